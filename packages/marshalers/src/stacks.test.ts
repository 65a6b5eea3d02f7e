import { readFileSync } from 'node:fs';
import { type AnyResourceType, defineResource, isCosiError, NamespaceType, type Resource } from '@cosi-ts/resource';
import type { Marshaler, RecordPlace } from '@cosi-ts/state-inmem';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { compressed } from './compression-marshaler.js';
import { encrypted } from './encryption-marshaler.js';
import { protobufMarshaler } from './protobuf-marshaler.js';
import { zstd } from './zstd.js';
import { hostZstd } from './zstd-host.js';

interface StoredRecord {
  readonly layers: readonly ('protobuf' | 'zstd' | 'aes-gcm')[];
  readonly minSize?: number;
  readonly bytes: string;
}

interface Row {
  readonly name: string;
  readonly expect: { readonly metadata: Record<string, unknown> };
  readonly records: readonly StoredRecord[];
}

interface BrokenRow extends StoredRecord {
  readonly name: string;
  readonly key?: 'wrong';
  readonly outcome: 'error' | 'value';
  readonly expect?: { readonly metadata: Record<string, unknown> };
}

function vectors<T>(file: string): T {
  return JSON.parse(readFileSync(new URL(`../../../tools/vectors/${file}.json`, import.meta.url), 'utf8'));
}

const records = vectors<{ aesKey: string; rows: Row[] }>('records');
const broken = vectors<{ aesKey: string; wrongAesKey: string; rows: BrokenRow[] }>('broken-records');
const fromBase64 = (text: string) => Uint8Array.from(Buffer.from(text, 'base64'));
const fromHex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));

const types = new Map<string, AnyResourceType>([[NamespaceType.type, NamespaceType]]);
const engines = process.versions.node.startsWith('20.') ? (['portable'] as const) : (['portable', 'host'] as const);

function stackOf(
  { layers, minSize }: Pick<StoredRecord, 'layers' | 'minSize'>,
  key: Uint8Array,
  engine: 'host' | 'portable',
): Marshaler {
  return layers.reduce<Marshaler | undefined>((inner, layer) => {
    if (layer === 'protobuf') return protobufMarshaler({ types });
    if (inner === undefined) throw new Error('protobuf comes first');
    if (layer === 'zstd') return compressed(inner, { minBytes: minSize, compressor: zstd({ engine }) });
    return encrypted(inner, { keys: () => key, format: 1 });
  }, undefined) as Marshaler;
}

function placeOf(metadata: Record<string, unknown>): RecordPlace {
  return { namespace: String(metadata.namespace), type: String(metadata.type), id: String(metadata.id) };
}

function shown(resource: Resource): Record<string, unknown> {
  const { metadata } = resource;
  return {
    ...metadata,
    version: metadata.version?.toString() ?? 'undefined',
    created: metadata.created.toString(),
    updated: metadata.updated.toString(),
  };
}

describe.each(engines)('records that the Go implementation wrote, with the %s engine', (engine) => {
  const cases = records.rows.flatMap((row) =>
    row.records.map((record) => ({
      name: `${row.name}: ${record.layers.join(' + ')} ${record.minSize ?? ''}`,
      row,
      record,
    })),
  );

  it.each(cases)('P5: $name is read, and read again when it was written here', async ({ row, record }) => {
    const stack = stackOf(record, fromHex(records.aesKey), engine);
    const place = placeOf(row.expect.metadata);
    const resource = await stack.unmarshal(fromBase64(record.bytes), place);
    expect(shown(resource)).toMatchObject(row.expect.metadata);
    const again = await stack.unmarshal(await stack.marshal(resource, place), place);
    expect(again.equals(resource)).toBe(true);
    expect(shown(again)).toEqual(shown(resource));
  });

  // What the protobuf layer makes of damage by itself is tested where it is written.
  it.each(broken.rows.filter(({ layers }) => layers.length > 1))(
    'P5, P9: $layers: $name gives what it gives there',
    async (row) => {
      const key = fromHex(row.key === 'wrong' ? broken.wrongAesKey : broken.aesKey);
      const place = row.expect === undefined ? { namespace: 'n', type: 't', id: 'i' } : placeOf(row.expect.metadata);
      const read = Promise.resolve().then(() => stackOf(row, key, engine).unmarshal(fromBase64(row.bytes), place));
      if (row.outcome === 'value') {
        expect(shown(await read)).toMatchObject(row.expect?.metadata ?? {});
      } else {
        const error = await read.catch((reason: unknown) => reason);
        expect(isCosiError(error) && error.code).toBe('corrupt');
        expect(isCosiError(error) && error.subject).toEqual(place);
      }
    },
  );
});

const Disk = defineResource<{ name: string; text: string }>({ type: 'Disks.test.cosi.dev', namespace: 'test' });
const place: RecordPlace = { namespace: 'test', type: Disk.type, id: 'a' };
const keyA = new Uint8Array(32).fill(1);
const keyB = new Uint8Array(32).fill(2);
const disk = (text: string) => Disk.new('a', { name: 'x', text });

const stacks: Record<string, () => Marshaler> = {
  protobuf: () => protobufMarshaler(),
  'protobuf, zstd': () => compressed(protobufMarshaler(), { minBytes: 64 }),
  'protobuf, aes': () => encrypted(protobufMarshaler(), { keys: () => keyA }),
  'protobuf, zstd, aes': () => encrypted(compressed(protobufMarshaler(), { minBytes: 64 }), { keys: () => keyA }),
};

describe.each(Object.keys(stacks))('the stack %s', (name) => {
  it('P5: gives back what it was given', async () => {
    const stack = (stacks[name] as () => Marshaler)();
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          text: fc.string({ unit: 'grapheme', maxLength: 300 }),
          labels: fc.dictionary(fc.string(), fc.string({ unit: 'grapheme' })),
          repeat: fc.integer({ min: 1, max: 40 }),
        }),
        async ({ text, labels, repeat }) => {
          const resource = Disk.new('a', { name: 'x', text: text.repeat(repeat) }, { labels });
          const read = Disk.from(await stack.unmarshal(await stack.marshal(resource, place), place));
          expect(read.spec).toEqual(resource.spec);
          expect(read.equals(resource)).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('P5: a record that is cut short never reads as something else', async () => {
    const stack = (stacks[name] as () => Marshaler)();
    const record = await stack.marshal(disk('lorem ipsum '.repeat(30)), place);
    for (let length = 0; length < record.length; length++) {
      const cut = Promise.resolve().then(() => stack.unmarshal(record.slice(0, length), place));
      const error = await cut.catch((reason: unknown) => reason);
      expect([length, isCosiError(error) && error.code]).toEqual([length, 'corrupt']);
    }
  });
});

describe('compression', () => {
  const long = 'lorem ipsum '.repeat(200);

  it.each(engines)('P5: the %s engine writes the checksum of the content', async (engine) => {
    const record = await compressed(protobufMarshaler(), { compressor: zstd({ engine }) }).marshal(disk(long), place);
    expect([...record.subarray(0, 6)]).toEqual([0, 0x7a, 0x28, 0xb5, 0x2f, 0xfd]);
    expect((record[6] ?? 0) & 0x04).toBe(0x04);
    // Every flipped bit is noticed, those of the checksum included.
    const stack = compressed(protobufMarshaler(), { compressor: zstd({ engine }) });
    const plain = await stack.unmarshal(record, place);
    for (let bit = 16; bit < record.length * 8; bit++) {
      const flipped = record.slice();
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const read = await Promise.resolve()
        .then(() => stack.unmarshal(flipped, place))
        .catch((reason: unknown) => reason);
      if (isCosiError(read)) expect(read.code).toBe('corrupt');
      else expect((read as Resource).equals(plain)).toBe(true);
    }
  });

  it('P5: engines read each other', async () => {
    for (const writer of engines) {
      for (const reader of engines) {
        const record = await compressed(protobufMarshaler(), { compressor: zstd({ engine: writer }) }).marshal(
          disk(long),
          place,
        );
        const stack = compressed(protobufMarshaler(), { compressor: zstd({ engine: reader }) });
        expect(Disk.from(await stack.unmarshal(record, place)).spec.text).toBe(long);
      }
    }
  });

  it('P5: what does not get shorter stays plain, and what is short too', async () => {
    const inner = protobufMarshaler();
    const random = Array.from({ length: 2000 }, (_, i) =>
      String.fromCharCode(33 + ((i * 7919 + (i % 13) * 104729) % 90)),
    ).join('');
    const plain = await inner.marshal(disk('short'), place);
    expect(await compressed(inner).marshal(disk('short'), place)).toEqual(plain);
    const grown = {
      id: 0x7a,
      compress: (bytes: Uint8Array) => new Uint8Array(bytes.length),
      decompress: (bytes: Uint8Array) => bytes,
    };
    const incompressible = await inner.marshal(disk(random), place);
    expect(await compressed(inner, { compressor: grown }).marshal(disk(random), place)).toEqual(incompressible);
  });

  it('glances at plain records alone', async () => {
    const inner = protobufMarshaler();
    const stack = compressed(inner);
    const short = await stack.marshal(disk('short'), place);
    const shown = inner.glance?.(short, place);
    expect(shown).toMatchObject({ version: disk('short').metadata.version });
    expect(stack.glance?.(short, place)).toEqual(shown);
    expect(stack.glance?.(await stack.marshal(disk(long), place), place)).toBeUndefined();
    expect(stack.glance?.(short, { ...place, id: 'another' })).toBeUndefined();
  });

  it('P9: a plain record that begins like a compressed one is compressed, however short', async () => {
    const bytes = Uint8Array.of(0, 0x7a, 3);
    const inner: Marshaler = { marshal: () => bytes, unmarshal: vi.fn(() => disk('')) };
    const stack = compressed(inner);
    const record = await stack.marshal(disk(''), place);
    expect(record).not.toEqual(bytes);
    await stack.unmarshal(record, place);
    expect(vi.mocked(inner.unmarshal).mock.calls[0]?.[0]).toEqual(bytes);
  });

  it.each(engines)('P9: the %s engine stops at the bound, whatever the frame claims', async (engine) => {
    const zeros = await zstd({ engine }).compress(new Uint8Array(3_000_000));
    expect(zeros.length).toBeLessThan(1000);
    expect(await zstd({ engine }).decompress(zeros, 3_000_000)).toHaveLength(3_000_000);
    await expect(Promise.resolve().then(() => zstd({ engine }).decompress(zeros, 2_999_999))).rejects.toThrow(
      '2999999',
    );
    // The same without a size in the header: single segment and size off, a window of 8 MiB.
    const silent = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x68, 0x03, 0x00, 0x10, 0x2a);
    expect(await zstd({ engine }).decompress(silent, 131_072)).toEqual(new Uint8Array(131_072).fill(0x2a));
    await expect(Promise.resolve().then(() => zstd({ engine }).decompress(silent, 131_071))).rejects.toThrow('131071');
    const greedy = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 1, 0, 0, 0x03, 0x00, 0x10, 0x2a);
    await expect(Promise.resolve().then(() => zstd({ engine }).decompress(greedy, 1_000_000))).rejects.toThrow(
      '1000000',
    );
  });

  it('P5: what would be too long when it is decompressed is stored as it is, and can be read', async () => {
    const inner = protobufMarshaler();
    const plain = await inner.marshal(disk(long), place);
    for (const [maxDecodedBytes, isCompressed] of [
      [plain.length, true],
      [plain.length - 1, false],
    ] as const) {
      const stack = compressed(inner, { maxDecodedBytes });
      const record = await stack.marshal(disk(long), place);
      expect(record.length < plain.length).toBe(isCompressed);
      expect(Disk.from(await stack.unmarshal(record, place)).spec.text).toBe(long);
    }
  });

  it('P5: what can be stored neither compressed nor plain is refused when it is written', async () => {
    const inner: Marshaler = { marshal: () => Uint8Array.of(0, 0x7a, 3), unmarshal: () => disk('') };
    const refused = expect.objectContaining({ code: 'invalid-argument', subject: place });
    await expect(
      Promise.resolve().then(() => compressed(inner, { maxDecodedBytes: 2 }).marshal(disk(''), place)),
    ).rejects.toThrow(refused);
  });

  it('what the host decompresses holds on to no more memory than it takes', () => {
    // As the host's own functions: short results lie in a piece of 16 KiB.
    const within = (bytes: Uint8Array) => {
      const piece = new Uint8Array(16 * 1024);
      piece.set(bytes, 8);
      return piece.subarray(8, 8 + bytes.length);
    };
    const constants = { ZSTD_c_compressionLevel: 100, ZSTD_c_checksumFlag: 201 };
    const zlib = { zstdCompressSync: within, zstdDecompressSync: within, constants };
    vi.stubGlobal('process', { getBuiltinModule: () => zlib });
    const engine = hostZstd();
    vi.unstubAllGlobals();
    const content = Uint8Array.of(1, 2, 3);
    const frame = { bytes: content, contentBytes: 3, windowBytes: 3, checksum: undefined };
    const given = engine?.decompress(frame, 3) as Uint8Array;
    expect(given).toEqual(content);
    expect(given.buffer.byteLength).toBe(3);
  });

  it('refuses a level and bounds that make no sense', () => {
    expect(() => zstd({ level: 0 })).toThrow(RangeError);
    expect(() => compressed(protobufMarshaler(), { minBytes: -1 })).toThrow('minBytes');
  });
});

describe('encryption', () => {
  it('P10: format 2 binds a record to its place, and an event to its position', async () => {
    const stack = encrypted(protobufMarshaler(), { keys: () => keyA });
    const record = await stack.marshal(disk('secret'), place);
    expect(record[0]).toBe(2);
    const others: RecordPlace[] = [
      { ...place, id: 'b' },
      { ...place, namespace: 'other' },
      { ...place, namespace: 'tes', type: `t${Disk.type}` },
      { ...place, position: 1 },
    ];
    for (const other of others) {
      await expect(Promise.resolve().then(() => stack.unmarshal(record, other))).rejects.toThrow('cannot be decrypted');
    }
    const event = await stack.marshal(disk('secret'), { ...place, position: 7 });
    await stack.unmarshal(event, { ...place, position: 7 });
    await expect(Promise.resolve().then(() => stack.unmarshal(event, { ...place, position: 8 }))).rejects.toThrow(
      'position 8',
    );
  });

  it('P10: format 1 is written when asked for, and read in any case', async () => {
    const peer = encrypted(protobufMarshaler(), { keys: () => keyA, format: 1 });
    const record = await peer.marshal(disk('secret'), place);
    expect(record[0]).toBe(1);
    const ours = encrypted(protobufMarshaler(), { keys: () => keyA });
    expect(Disk.from(await ours.unmarshal(record, place)).spec.text).toBe('secret');
    expect(await ours.isCurrent?.(record, place)).toBe(false);
  });

  it('P5: every flipped bit is an error that names the record', async () => {
    const stack = encrypted(protobufMarshaler(), { keys: () => keyA });
    const record = await stack.marshal(disk('secret'), place);
    for (let bit = 0; bit < record.length * 8; bit++) {
      const flipped = record.slice();
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const error = await Promise.resolve()
        .then(() => stack.unmarshal(flipped, place))
        .catch((reason: unknown) => reason);
      expect(isCosiError(error) && error.code).toBe('corrupt');
      expect((error as Error).message).toContain('Disks.test.cosi.dev(test/a)');
    }
  });

  it('P5: the provider is asked once, lazily, and again only after it failed', async () => {
    const keys = vi.fn(async () => keyA);
    keys.mockRejectedValueOnce(new Error('vault is sealed'));
    const stack = encrypted(protobufMarshaler(), { keys });
    expect(keys).not.toHaveBeenCalled();
    await expect(stack.marshal(disk('a'), place)).rejects.toThrow('vault is sealed');
    const written = await Promise.all([1, 2, 3].map(() => stack.marshal(disk('a'), place)));
    expect(keys).toHaveBeenCalledTimes(2);
    expect(new Set(written.map((record) => Buffer.from(record).toString('hex'))).size).toBe(3);
  });

  it('P5: the newest key writes, older ones read, and records of theirs are told apart', async () => {
    const before = await encrypted(protobufMarshaler(), { keys: () => keyA }).marshal(disk('old'), place);
    const stack = encrypted(protobufMarshaler(), { keys: () => [keyB, keyA] });
    expect(Disk.from(await stack.unmarshal(before, place)).spec.text).toBe('old');
    const after = await stack.marshal(disk('new'), place);
    expect(await stack.isCurrent?.(before, place)).toBe(false);
    expect(await stack.isCurrent?.(after, place)).toBe(true);
    const onlyNew = encrypted(protobufMarshaler(), { keys: () => keyB });
    expect(Disk.from(await onlyNew.unmarshal(after, place)).spec.text).toBe('new');
    await expect(Promise.resolve().then(() => onlyNew.unmarshal(before, place))).rejects.toThrow('cannot be decrypted');
  });

  it('P5: a key of another length is refused, and the key the provider wipes was copied', async () => {
    await expect(
      Promise.resolve().then(() =>
        encrypted(protobufMarshaler(), { keys: () => new Uint8Array(16) }).marshal(disk('a'), place),
      ),
    ).rejects.toThrow('32 bytes');
    const given = keyA.slice();
    const stack = encrypted(protobufMarshaler(), { keys: () => given });
    const record = await stack.marshal(disk('a'), place);
    given.fill(0);
    expect(Disk.from(await stack.unmarshal(record, place)).spec.text).toBe('a');
  });
});
