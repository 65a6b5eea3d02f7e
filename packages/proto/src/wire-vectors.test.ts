import {
  clone,
  create,
  type DescMessage,
  equals,
  fromBinary,
  fromJson,
  isMessage,
  type JsonValue,
  toBinary,
} from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import { decodeResource, encodeResource } from './resource-codec.js';
import { fromBase64, vectors, type WireMessage, type WireRow } from './testdata/vectors.js';
import * as wire from './wire.js';
import { fromWireResource, toWireResource } from './wire-resource.js';

const methods = new Map(wire.State.methods.map((method) => [method.name, method]));
const rows = vectors<WireRow>('wire');

function messagesOf(row: WireRow): { schema: DescMessage; message: WireMessage }[] {
  const method = methods.get(row.rpc);
  if (method === undefined) throw new Error(`the service has no call ${row.rpc}`);
  return [
    { schema: method.input, message: row.request },
    ...row.responses.map((message) => ({ schema: method.output, message })),
  ];
}

describe('recorded messages', () => {
  it('are of every call of the service', () => {
    expect(new Set(rows.map(({ rpc }) => rpc))).toEqual(new Set(methods.keys()));
  });

  it.each(rows)('$scenario $step: $name', (row) => {
    for (const { schema, message } of messagesOf(row)) {
      const bytes = fromBase64(message.bytes);
      const decoded = fromBinary(schema, bytes);
      const expected = fromJson(schema, message.json as JsonValue, { ignoreUnknownFields: false });
      expect(equals(schema, decoded, expected)).toBe(true);
      const encoded = toBinary(schema, decoded);
      expect(encoded).toHaveLength(bytes.length);
      expect(equals(schema, fromBinary(schema, encoded), decoded)).toBe(true);
    }
  });
});

/** All resources in a message, wherever they are. */
function resourcesIn(value: unknown): wire.Resource[] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  const here = isMessage(value, wire.ResourceSchema) ? [value] : [];
  return [...here, ...Object.values(value).flatMap(resourcesIn)];
}

const resources = rows.flatMap((row) =>
  messagesOf(row).flatMap(({ schema, message }) => resourcesIn(fromBinary(schema, fromBase64(message.bytes)))),
);

/** What this project refuses or peers read otherwise: other versions than plain decimals, unknown phases, absent parts. */
const plain = ({ metadata, spec }: wire.Resource) =>
  metadata !== undefined &&
  spec !== undefined &&
  /^(undefined|0|[1-9][0-9]*)$/.test(metadata.version) &&
  ['running', 'tearingDown'].includes(metadata.phase);

describe('resources in recorded messages', () => {
  it('are both good and bad ones', () => {
    expect(resources.filter(plain).length).toBeGreaterThan(250);
    expect(resources.filter((resource) => !plain(resource)).length).toBeGreaterThan(3);
  });

  it('R16: go through unchanged, as messages and as bytes', () => {
    for (const message of resources.filter(plain)) {
      const bytes = toBinary(wire.ResourceSchema, message);
      const read = fromWireResource(message);
      const expected = normal(message);
      expect(toWireResource(read)).toEqual(expected);
      const decoded = decodeResource(bytes);
      expect(decoded.equals(read)).toBe(true);
      expect(fromBinary(wire.ResourceSchema, encodeResource(decoded))).toEqual(expected);
    }
  });

  it('are refused where they are bad', () => {
    for (const message of resources.filter((resource) => !plain(resource))) {
      expect(() => fromWireResource(message)).toThrow(expect.objectContaining({ code: 'corrupt' }));
      expect(() => decodeResource(toBinary(wire.ResourceSchema, message))).toThrow(
        expect.objectContaining({ code: 'corrupt' }),
      );
      expect(() => fromWireResource(message, { fault: 'invalid-argument' })).toThrow(
        expect.objectContaining({ code: 'invalid-argument' }),
      );
    }
  });
});

/** The message with times that are present and maps in order, as we send it. */
function normal(message: wire.Resource): wire.Resource {
  const copy = clone(wire.ResourceSchema, message);
  const { metadata } = copy;
  if (metadata === undefined) return copy;
  metadata.created ??= create(TimestampSchema);
  metadata.updated ??= create(TimestampSchema);
  metadata.finalizers = [...new Set(metadata.finalizers)];
  return copy;
}
