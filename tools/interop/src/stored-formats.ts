import { readFileSync } from 'node:fs';
import { compressed, encrypted, protobufMarshaler, zstd } from '@cosi-ts/marshalers';
import { decodeResource } from '@cosi-ts/proto';
import type { Resource } from '@cosi-ts/resource';
import type { Marshaler } from '@cosi-ts/state-inmem';
import { askStored, type StackOptions, type WrittenRecord } from './stored-peer.js';

/** Of records, and the master key of key storages; hexadecimal. */
export const key = '01080f161d242b323940474e555c636a71787f868d949ba2a9b0b7bec5ccd3da';

/** The stacks of marshalers that records are exchanged with. */
export const stacks: readonly StackOptions[] = [
  { layers: ['protobuf'] },
  { layers: ['protobuf', 'zstd'], minSize: 64 },
  { layers: ['protobuf', 'zstd'], minSize: 100_000 },
  { layers: ['protobuf', 'aes-gcm'], key },
  { layers: ['protobuf', 'zstd', 'aes-gcm'], minSize: 64, key },
];

/** The two ways to compress and decompress. */
export const engines = ['default', 'portable'] as const;
export type Engine = (typeof engines)[number];

/** A holder of a key slot. */
export interface Holder {
  readonly name: string;
  readonly publicKey: string;
  readonly privateKey: string;
}

export interface Holders {
  readonly first: Holder;
  readonly all: readonly Holder[];
}

/** What the Go implementation wrote once: checked in, so that it is read without Go, too. */
export interface StoredData {
  readonly peer: string;
  readonly records: readonly (StackOptions & WrittenRecord)[];
  readonly keyStorage: { readonly masterKey: string; readonly slots: readonly string[]; readonly blob: string };
}

export const dataFile = new URL('../data/stored-formats.json', import.meta.url);

export const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
export const fromBase64 = (text: string) => Uint8Array.from(Buffer.from(text, 'base64'));
export const fromHex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));

export function marshalerOf({ layers, minSize }: StackOptions, engine: Engine): Marshaler {
  const layer = (inner: Marshaler, name: string): Marshaler => {
    const compressor = zstd({ engine: engine === 'default' ? undefined : engine });
    if (name === 'zstd') return compressed(inner, { minBytes: minSize, compressor });
    return name === 'aes-gcm' ? encrypted(inner, { keys: () => fromHex(key), format: 1 }) : inner;
  };
  return layers.reduce(layer, protobufMarshaler());
}

/** Reads a record, which says what it must hold. */
export async function readRecord(
  record: StackOptions & WrittenRecord,
  engine: Engine,
): Promise<{ readonly read: Resource; readonly same: Resource }> {
  const same = decodeResource(fromBase64(record.plain));
  return { read: await marshalerOf(record, engine).unmarshal(fromBase64(record.bytes), same.metadata), same };
}

/** The holders of slots that key storages are made for: one for each sort of key. */
export function slotHolders(): Holders {
  const file = new URL('../../vectors/keystorage.json', import.meta.url);
  const { keys }: { keys: readonly Holder[] } = JSON.parse(readFileSync(file, 'utf8'));
  const all = ['rsa-a', 'curve-a', 'v6', 'v4-aead'].map((name) => {
    const found = keys.find((each) => each.name === name);
    if (found === undefined) throw new TypeError(`${file} has no key ${name}`);
    return found;
  });
  return { first: all[0] as Holder, all };
}

/** Has the Go implementation write what is checked in. */
export function makeStoredData(program: string, peer: string): StoredData {
  const { first, all } = slotHolders();
  const publicKeys = Object.fromEntries(all.map(({ name, publicKey }) => [name, publicKey]));
  const { written, blob } = askStored(program, {
    write: stacks,
    newBlob: { masterKey: key, publicKeys, first: first.name, privateKey: first.privateKey },
  });
  const records = (written ?? []).map((record, i) => ({ ...(stacks[i] as StackOptions), ...record }));
  return { peer, records, keyStorage: { masterKey: key, slots: all.map(({ name }) => name), blob } };
}
