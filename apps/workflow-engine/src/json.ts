import type { JsonValue } from '@cosi-ts/resource';

export type JsonObject = { readonly [name: string]: JsonValue };
