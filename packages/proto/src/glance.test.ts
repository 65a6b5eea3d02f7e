import { create, toBinary } from '@bufbuild/protobuf';
import { Metadata, type Pointer, Resource, Timestamp } from '@cosi-ts/resource';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResourceSchema } from './gen/cosi/resource/resource_pb.js';
import { decodeResource, encodeRecord, glanceResource } from './resource-codec.js';
import { copyOf, WireContent } from './wire-content.js';

const noBytes = new Uint8Array(0);
const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.constantFrom('', 'a', 'ä', 'running'));
const time = fc.tuple(fc.integer({ min: -5, max: 5 }), fc.integer({ min: 0, max: 2 }));
const map = fc.dictionary(text, text, { maxKeys: 3 });

const resource = fc
  .record({
    namespace: text,
    type: text,
    id: text,
    version: fc.option(fc.bigInt({ min: 0n, max: 3n }), { nil: undefined }),
    phase: fc.constantFrom('running' as const, 'tearingDown' as const),
    created: time.map(([seconds, nanos]) => new Timestamp(seconds, nanos)),
    updated: time.map(([seconds, nanos]) => new Timestamp(seconds, nanos)),
    labels: map,
    annotations: map,
  })
  .map((init) => new Metadata(init))
  .map((meta) => new Resource(meta, new WireContent(meta, copyOf({ protoSpec: Uint8Array.of(1), yamlSpec: noBytes }))));
/** What decoding gives; undefined when it is refused. */
function decoded(bytes: Uint8Array): Resource | undefined {
  try {
    return decodeResource(bytes);
  } catch {
    return undefined;
  }
}

function agree(bytes: Uint8Array, pointer: Pointer): void {
  const found = decoded(bytes)?.metadata;
  const glance = glanceResource(bytes, pointer);
  const isIt = found?.id === pointer.id && found.type === pointer.type && found.namespace === pointer.namespace;
  expect(glance !== undefined).toBe(isIt);
  if (found === undefined || glance === undefined) return;
  expect(glance.version).toBe(found.version);
  const newest = found.updated.compare(found.created) > 0 ? found.updated : found.created;
  expect(glance.newest).toEqual(newest);
}

describe('a glance', () => {
  it('P3: sees of every record what decoding it gives, and no other resource', () => {
    fc.assert(
      fc.property(resource, text, (original, other) => {
        const record = encodeRecord(original);
        agree(record, original.metadata);
        agree(record, { ...original.metadata, id: other });
      }),
      { numRuns: 500 },
    );
  });

  it('P3: is none of what decoding refuses, whatever is done to a record', () => {
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(resource, damage, fc.nat(), (original, flips, cut) => {
        const damaged = encodeRecord(original).slice();
        for (const [at, mask] of flips) damaged[at % damaged.length] = mask;
        for (const bytes of [damaged, damaged.subarray(0, cut % damaged.length)]) {
          agree(bytes, decoded(bytes)?.metadata ?? original.metadata);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('P3: is none of versions, phases and times that there are not', () => {
    const pointer = { namespace: 'n', type: 'T', id: 'i' };
    for (const [wrong, isThere] of [
      [{}, true],
      [{ version: '01' }, false],
      [{ version: '' }, false],
      [{ phase: 'gone' }, false],
      [{ created: { seconds: 1n << 40n } }, false],
      [{ updated: { seconds: -(1n << 40n) } }, false],
      [{ id: 'j' }, false],
    ] as const) {
      const meta = { ...pointer, version: '1', phase: 'running', ...wrong };
      const bytes = toBinary(ResourceSchema, create(ResourceSchema, { metadata: meta, spec: {} }));
      expect(glanceResource(bytes, pointer) !== undefined, Object.keys(wrong).join()).toBe(isThere);
      agree(bytes, pointer);
    }
  });
});
