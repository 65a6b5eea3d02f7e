import { create, fromBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DestroyRequestSchema,
  GetRequestSchema,
  TeardownAndDestroyRequestSchema,
  TeardownRequestSchema,
} from './gen/cosi/resource/state_pb.js';
import { encodePointerRequest } from './pointer-request-codec.js';

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
});
