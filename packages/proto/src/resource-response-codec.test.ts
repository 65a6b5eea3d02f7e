import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { isCorrupt } from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import { ResourceSchema } from './gen/cosi/resource/resource_pb.js';
import { GetResponseSchema } from './gen/cosi/resource/state_pb.js';
import { bytesOf } from './placed-bytes.js';
import { decodeResourceResponse, ResourceResponse } from './resource-response-codec.js';

const resource = create(ResourceSchema, { metadata: { id: 'x', labels: { a: 'b' } }, spec: { yamlSpec: 'a: 1\n' } });

describe('bytes of answers with a resource', () => {
  it('N6: are those of the generated codec, around bytes that were there', () => {
    const bytes = bytesOf(new ResourceResponse(toBinary(ResourceSchema, resource)));
    expect(fromBinary(GetResponseSchema, bytes)).toEqual(create(GetResponseSchema, { resource }));
    expect(decodeResourceResponse(toBinary(GetResponseSchema, create(GetResponseSchema, { resource })))).toEqual(
      toBinary(ResourceSchema, resource),
    );
  });

  it('may be without a resource, with fields that are not known, and with one that comes in parts', () => {
    expect(decodeResourceResponse(new Uint8Array(0))).toBeUndefined();
    expect(decodeResourceResponse(Uint8Array.of(0x10, 1))).toBeUndefined();
    expect(decodeResourceResponse(Uint8Array.of(0x0a, 0))).toEqual(new Uint8Array(0));
    expect(decodeResourceResponse(Uint8Array.of(0x0a, 1, 7, 0x12, 1, 9, 0x0a, 2, 8, 9))).toEqual(
      Uint8Array.of(7, 8, 9),
    );
  });

  it('N7: are refused when they are anything else', () => {
    for (const bytes of [[0x0a, 2, 1], [0x08, 1], [0x0a], [0xff]]) {
      let error: unknown;
      try {
        decodeResourceResponse(Uint8Array.from(bytes));
      } catch (thrown) {
        error = thrown;
      }
      expect([bytes, isCorrupt(error)]).toEqual([bytes, true]);
    }
  });
});
