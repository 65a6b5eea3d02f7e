import { create, toBinary } from '@bufbuild/protobuf';
import { wire } from '@cosi-ts/proto';
import { type Connection, checkStatus } from './grpc.js';

/** The kind that attacks fill and read. */
export const kind = { namespace: 'attack', type: 'Things.fuzz.cosi.dev' };

export interface ThingInit {
  readonly labels?: Record<string, string> | undefined;
  readonly specBytes?: number | undefined;
}

/** The message that creates a thing. */
export function creation(id: string, { labels = {}, specBytes = 10 }: ThingInit = {}): Uint8Array {
  return toBinary(
    wire.CreateRequestSchema,
    create(wire.CreateRequestSchema, {
      resource: {
        metadata: { ...kind, id, version: 'undefined', phase: 'running', labels },
        spec: { protoSpec: new Uint8Array(specBytes).fill(1), yamlSpec: '{}\n' },
      },
    }),
  );
}

export async function createThing(connection: Connection, id: string, init?: ThingInit): Promise<string> {
  return checkStatus('Create', await connection.call('Create', creation(id, init)));
}

export function listing(
  options: NonNullable<Parameters<typeof create<typeof wire.ListRequestSchema>>[1]>['options'],
): Uint8Array {
  return toBinary(wire.ListRequestSchema, create(wire.ListRequestSchema, { ...kind, ...(options && { options }) }));
}

export function watching(
  options: NonNullable<Parameters<typeof create<typeof wire.WatchRequestSchema>>[1]>['options'],
): Uint8Array {
  return toBinary(
    wire.WatchRequestSchema,
    create(wire.WatchRequestSchema, { ...kind, apiVersion: 1, ...(options && { options }) }),
  );
}
