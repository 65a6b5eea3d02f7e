import { isNotFound, type Pointer, type Resource } from '@cosi-ts/resource';
import type { CoreMethods } from './broken-state.js';

/** The stored resource, or nothing. */
export async function stored(core: CoreMethods, pointer: Pointer): Promise<Resource | undefined> {
  try {
    return await core.get(pointer);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The resource with another version, if it has one. */
export const withVersion = (resource: Resource, change: (version: bigint) => bigint): Resource =>
  resource.metadata.version === undefined
    ? resource
    : resource.withMetadata(resource.metadata.with({ version: change(resource.metadata.version) }));
