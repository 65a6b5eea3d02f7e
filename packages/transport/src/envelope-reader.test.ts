import { Code, ConnectError } from '@connectrpc/connect';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { enveloped, envelopeOf, envelopesOf, messagesIn } from './envelope.js';
import { EnvelopeReader } from './envelope-reader.js';
import { itemOf } from './testdata/placed-items.js';

const message = fc.oneof(
  fc.uint8Array({ maxLength: 12 }),
  fc.nat(40_000).map((length) => new Uint8Array(length).fill(length)),
);

const lengthOf = (messages: readonly Uint8Array[]) => messages.reduce((sum, { length }) => sum + length, 0);
const inEnvelopes = (messages: readonly Uint8Array[]) => envelopesOf(messages.map(itemOf), lengthOf(messages));

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

function refusal(reader: EnvelopeReader, ...bytes: number[]): ConnectError {
  try {
    reader.add(Uint8Array.from(bytes));
  } catch (error) {
    return ConnectError.from(error);
  }
  throw new Error('nothing was refused');
}

describe('envelopes', () => {
  it('are read back however they are cut', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 30 }), (messages, cuts) => {
        const { bytes, count } = inEnvelopes(messages);
        expect(count).toBe(messages.length);
        const reader = new EnvelopeReader(40_000);
        const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
        const read = edges.slice(1).flatMap((edge, i) => reader.add(bytes.slice(edges[i], edge)));
        expect(read.map(hex)).toEqual(messages.map(hex));
        expect(reader.isWithinMessage).toBe(false);
      }),
    );
  });

  it('are read back from single bytes', () => {
    const reader = new EnvelopeReader(1000);
    const { bytes } = inEnvelopes([new Uint8Array(300).fill(1), new Uint8Array(0), Uint8Array.of(2)]);
    const read = [...bytes].flatMap((byte) => reader.add(Uint8Array.of(byte)));
    expect(read.map(({ length }) => length)).toEqual([300, 0, 1]);
  });

  it('are taken apart in one piece', () => {
    const messages = [Uint8Array.of(1, 2), new Uint8Array(0), new Uint8Array(70_000).fill(3)];
    expect([...messagesIn(inEnvelopes(messages))].map(hex)).toEqual(messages.map(hex));
    const joined = envelopeOf(messages.map(itemOf), lengthOf(messages));
    expect([...messagesIn({ bytes: joined, count: 1 })].map(hex)).toEqual([messages.map(hex).join('')]);
    expect(hex(enveloped(Uint8Array.of(1, 2)))).toBe('00000000020102');
  });

  it('N6: one that is too large is refused when its length is there, with the limit named', () => {
    const { code, rawMessage } = refusal(new EnvelopeReader(1000), 0, 0, 0, 0x03, 0xe9);
    expect([code, rawMessage]).toEqual([Code.ResourceExhausted, expect.stringMatching(/1001 .*1000/)]);
    const reader = new EnvelopeReader(2 ** 32 - 1);
    expect(reader.add(Uint8Array.of(0, 0xff, 0xff, 0xff, 0xff))).toEqual([]);
    expect(reader.isWithinMessage).toBe(true);
  });

  it('N6: one that is too large leaves those before it', () => {
    const messages: Uint8Array[] = [];
    const bytes = Uint8Array.of(0, 0, 0, 0, 1, 7, 0, 0, 0, 0x03, 0xe9);
    expect(() => new EnvelopeReader(1000).add(bytes, messages)).toThrow(/1001 .*1000/);
    expect(messages.map(hex)).toEqual(['07']);
  });

  it('N7: one that is compressed is refused', () => {
    expect(refusal(new EnvelopeReader(1000), 1, 0, 0, 0, 0).code).toBe(Code.Internal);
  });
});
