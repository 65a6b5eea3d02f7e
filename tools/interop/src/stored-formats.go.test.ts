import { readFileSync } from 'node:fs';
import { addSlot, getMasterKey, initialize } from '@cosi-ts/keystorage';
import { compressed, encrypted, protobufMarshaler, zstd } from '@cosi-ts/marshalers';
import { decodeResource } from '@cosi-ts/proto';
import { namespaceResource, type Resource, Timestamp } from '@cosi-ts/resource';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildPeer, type PeerAnswer, type PeerRequest, type StackOptions } from './peer.js';

const key = '01080f161d242b323940474e555c636a71787f868d949ba2a9b0b7bec5ccd3da';
const stacks: readonly StackOptions[] = [
  { layers: ['protobuf'] },
  { layers: ['protobuf', 'zstd'], minSize: 64 },
  { layers: ['protobuf', 'zstd'], minSize: 100_000 },
  { layers: ['protobuf', 'aes-gcm'], key },
  { layers: ['protobuf', 'zstd', 'aes-gcm'], minSize: 64, key },
];
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const fromBase64 = (text: string) => Uint8Array.from(Buffer.from(text, 'base64'));
const fromHex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));

type Marshaler = ReturnType<typeof protobufMarshaler>;

function stackOf({ layers, minSize }: StackOptions, engine: 'portable' | undefined): Marshaler {
  const layer = (inner: Marshaler, name: string): Marshaler => {
    if (name === 'zstd') return compressed(inner, { minBytes: minSize, compressor: zstd({ engine }) });
    return name === 'aes-gcm' ? encrypted(inner, { keys: () => fromHex(key), format: 1 }) : inner;
  };
  return layers.reduce(layer, protobufMarshaler());
}

function described(text: string): Resource {
  const resource = namespaceResource('ours', text);
  const at = new Timestamp(1_700_000_000, 123_456_789);
  return resource.withMetadata(
    resource.metadata.with({
      version: 2n ** 62n,
      created: at,
      updated: at.next(),
      labels: { a: '1', ключ: 'значение' },
      finalizers: ['one', 'two'],
    }),
  );
}

let ask: (request: PeerRequest) => PeerAnswer;
beforeAll(() => {
  ask = buildPeer(process.env.COSI_GO ?? 'go');
}, 300_000);

describe.each(['default', 'portable'] as const)('records, with the %s engine', (name) => {
  const engine = name === 'default' ? undefined : name;

  it('P5, P10: what we write is read by the Go implementation', async () => {
    const resources = [described(''), described('lorem ipsum dolor sit amet '.repeat(400))];
    const records = await Promise.all(
      resources.flatMap((resource) =>
        stacks.map(async (stack) => ({
          ...stack,
          resource,
          bytes: base64(await stackOf(stack, engine).marshal(resource, resource.metadata)),
        })),
      ),
    );
    const { read } = ask({
      read: records.map(({ layers, minSize, key: aesKey, bytes }) => ({
        layers,
        minSize: minSize ?? 0,
        key: aesKey ?? '',
        bytes,
      })),
    });
    expect(read).toHaveLength(records.length);
    for (const [i, { error, value }] of (read ?? []).entries()) {
      const { layers, resource } = records[i] as (typeof records)[number];
      expect([layers, error]).toEqual([layers, undefined]);
      const back = decodeResource(fromBase64(value));
      expect(back.equals(resource)).toBe(true);
      expect(back.metadata.created.equals(resource.metadata.created)).toBe(true);
    }
  });

  it('P5, P10: what the Go implementation writes is read here', async () => {
    const { written } = ask({ write: stacks });
    expect(written).toHaveLength(stacks.length);
    for (const [i, { bytes, plain }] of (written ?? []).entries()) {
      const same = decodeResource(fromBase64(plain));
      const read = await stackOf(stacks[i] as StackOptions, engine).unmarshal(fromBase64(bytes), same.metadata);
      expect(read.equals(same)).toBe(true);
      expect(read.metadata.labels).toEqual({ peer: 'go' });
    }
  });
});

describe('key storage', () => {
  interface TestKey {
    readonly name: string;
    readonly publicKey: string;
    readonly privateKey: string;
  }
  const { keys }: { keys: readonly TestKey[] } = JSON.parse(
    readFileSync(new URL('../../vectors/keystorage.json', import.meta.url), 'utf8'),
  );
  const holders = ['rsa-a', 'curve-a', 'v6', 'v4-aead'].map(
    (name) => keys.find((each) => each.name === name) as TestKey,
  );
  const [first] = holders as [TestKey];

  it('K3: blobs that we make are opened by the Go implementation, through every slot', async () => {
    let blob = await initialize(undefined, { slot: first.name, publicKey: first.publicKey, masterKey: fromHex(key) });
    for (const { name, publicKey } of holders.slice(1)) {
      blob = await addSlot(blob, { slot: name, publicKey }, { slot: first.name, privateKey: first.privateKey });
    }
    const { opened } = ask({
      open: holders.map(({ name, privateKey }) => ({ blob: base64(blob), slot: name, privateKey })),
    });
    expect(opened).toEqual(holders.map(() => ({ value: key })));
  });

  it('K3: blobs that the Go implementation makes are opened here, through every slot', async () => {
    const publicKeys = Object.fromEntries(holders.map(({ name, publicKey }) => [name, publicKey]));
    const { blob } = ask({ newBlob: { masterKey: key, publicKeys, first: first.name, privateKey: first.privateKey } });
    for (const { name, privateKey } of holders) {
      const opened = await getMasterKey(fromBase64(blob), { slot: name, privateKey });
      expect([name, Buffer.from(opened).toString('hex')]).toEqual([name, key]);
    }
  });
});
