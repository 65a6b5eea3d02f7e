import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { isCosiError } from '@cosi-ts/resource';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResourceSchema } from './gen/cosi/resource/resource_pb.js';
import { CreateRequestSchema, UpdateRequestSchema } from './gen/cosi/resource/state_pb.js';
import {
  decodeCreateRequest,
  decodeUpdateRequest,
  encodeCreateRequest,
  encodeUpdateRequest,
} from './write-request-codec.js';

const text = fc.string({ unit: 'grapheme', maxLength: 200 });
const resource = fc.option(
  text.map((id) => create(ResourceSchema, { metadata: { id } })),
  { nil: undefined },
);
const phase = fc.option(text, { nil: undefined });
const bytesOf = (message: ReturnType<typeof fromResource>) => message && toBinary(ResourceSchema, message);
const fromResource = (bytes: Uint8Array | undefined) => bytes && fromBinary(ResourceSchema, bytes);
const given = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as object;

describe('bytes of write requests', () => {
  it('a create is what the generated codec reads and writes', () => {
    fc.assert(
      fc.property(resource, text, (message, owner) => {
        const generated = create(CreateRequestSchema, { ...given({ resource: message }), options: { owner } });
        const bytes = encodeCreateRequest({ resource: bytesOf(message), owner });
        expect(fromBinary(CreateRequestSchema, bytes)).toEqual(generated);
        const read = decodeCreateRequest(toBinary(CreateRequestSchema, generated));
        expect([fromResource(read.resource), read.owner]).toEqual([message, owner]);
      }),
    );
  });

  it('an update is what the generated codec reads and writes; its options are there always', () => {
    fc.assert(
      fc.property(resource, text, phase, (message, owner, expectedPhase) => {
        const options = { owner, ...given({ expectedPhase }) };
        const generated = create(UpdateRequestSchema, { ...given({ newResource: message }), options });
        const bytes = encodeUpdateRequest({ resource: bytesOf(message), owner, expectedPhase });
        expect(fromBinary(UpdateRequestSchema, bytes)).toEqual(generated);
        const read = decodeUpdateRequest(toBinary(UpdateRequestSchema, generated));
        expect([fromResource(read.resource), read.owner, read.expectedPhase]).toEqual([message, owner, expectedPhase]);
      }),
    );
  });

  it('R13: an empty phase is there, and not the same as none', () => {
    const phaseOf = (expectedPhase: string | undefined) =>
      decodeUpdateRequest(encodeUpdateRequest({ resource: undefined, owner: '', expectedPhase })).expectedPhase;
    expect([phaseOf(''), phaseOf(undefined)]).toEqual(['', undefined]);
  });

  it('requests without options, or without anything, are read', () => {
    const nothing = { resource: undefined, owner: '', expectedPhase: undefined };
    expect(decodeUpdateRequest(new Uint8Array(0))).toMatchObject(nothing);
    expect(decodeCreateRequest(new Uint8Array(0)).owner).toBe('');
  });

  it('the field that updates once had is stepped over, whatever is in it', () => {
    const request = encodeUpdateRequest({ resource: undefined, owner: 'o', expectedPhase: undefined });
    expect(decodeUpdateRequest(Uint8Array.of(0x0a, 1, 0x31, ...request)).owner).toBe('o');
    expect(decodeUpdateRequest(Uint8Array.of(0x08, 5, ...request)).owner).toBe('o');
  });

  it('N7: anything else is read as the generated codec reads it, or is an invalid argument', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 30 }),
        fc.constantFrom(decodeCreateRequest, decodeUpdateRequest),
        (bytes, decode) => {
          try {
            const { owner, resource } = decode(bytes);
            // What the resource is is not looked at here. The generated codec does, and where it is damaged it reads past
            // its end into what comes after it.
            if (resource !== undefined && outcome(() => fromBinary(ResourceSchema, resource)) === undefined) return;
            const schema = decode === decodeCreateRequest ? CreateRequestSchema : UpdateRequestSchema;
            const generated = outcome(() => fromBinary(schema, bytes));
            if (generated !== undefined) expect(owner).toBe(generated.options?.owner ?? '');
          } catch (error) {
            expect(isCosiError(error) && error.code).toBe('invalid-argument');
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

function outcome<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
