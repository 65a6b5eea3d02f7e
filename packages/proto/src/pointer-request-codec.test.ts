import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DestroyRequestSchema,
  GetRequestSchema,
  TeardownAndDestroyRequestSchema,
  TeardownRequestSchema,
} from './gen/cosi/resource/state_pb.js';
import { decodeGetRequest, encodePointerRequest } from './pointer-request-codec.js';

const text = fc.string({ unit: 'grapheme', maxLength: 200 });
const pointer = fc.record({ namespace: text, type: text, id: text });

describe('bytes of requests for one resource', () => {
  it('are what the generated codecs read', () => {
    fc.assert(
      fc.property(pointer, text, (at, owner) => {
        expect(fromBinary(GetRequestSchema, encodePointerRequest(at))).toEqual(
          create(GetRequestSchema, { ...at, options: {} }),
        );
        for (const schema of [DestroyRequestSchema, TeardownRequestSchema, TeardownAndDestroyRequestSchema]) {
          expect(fromBinary(schema, encodePointerRequest(at, owner))).toEqual(
            create(schema, { ...at, options: { owner } }),
          );
        }
      }),
    );
  });

  it('are read as the generated codecs write them, what is not known apart', () => {
    fc.assert(
      fc.property(pointer, fc.boolean(), (at, withOptions) => {
        const request = create(GetRequestSchema, { ...at, ...(withOptions && { options: {} }) });
        request.$unknown = [{ no: 9, wireType: WireType.Varint, data: Uint8Array.of(5) }];
        expect(decodeGetRequest(toBinary(GetRequestSchema, request))).toEqual(at);
      }),
    );
  });

  it.each([
    ['an end within a text', Uint8Array.of(0x0a, 5, 0x61)],
    ['a field of another wire type', Uint8Array.of(0x08, 1)],
    ['options that reach past the end', Uint8Array.of(0x22, 3, 0)],
    ['a field number of 0', Uint8Array.of(0x00)],
  ])('are refused as the mistake of the caller: %s', (_name, message) => {
    expect(() => decodeGetRequest(message)).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringMatching(/^the request cannot be/) }),
    );
  });
});
