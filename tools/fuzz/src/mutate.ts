import type { Seeded } from '@cosi-ts/harness';

/** Parts that decoders stumble over: long varints, long lengths, groups, and tags that do not exist. */
const parts: readonly (readonly number[])[] = [
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
  [0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f],
  [0x0a, 0x80, 0x80, 0x80, 0x80, 0x08],
  [0x0b],
  [0x0c],
  [0x07],
  [0x00],
  [0x0b, 0x0b, 0x0b, 0x0b, 0x0c, 0x0c],
  [0x80],
  [0xc0, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
];

/** The same bytes with a few faults. */
export function mutated(bytes: Uint8Array, random: Seeded): Uint8Array {
  let result = Buffer.from(bytes);
  for (let faults = 1 + random.below(4); faults > 0; faults--) {
    const at = random.below(result.length + 1);
    const [before, after] = [result.subarray(0, at), result.subarray(at)];
    const next = after[0] ?? 0;
    switch (random.below(7)) {
      case 0:
        result = Buffer.concat([before, Buffer.of(next ^ (1 << random.below(8))), after.subarray(1)]);
        break;
      case 1:
        result = Buffer.concat([before, Buffer.of(random.below(256)), after.subarray(1)]);
        break;
      case 2:
        result = Buffer.from(before);
        break;
      case 3:
        result = Buffer.concat([before, after.subarray(1 + random.below(8))]);
        break;
      case 4:
        result = Buffer.concat([before, Buffer.from(random.pick(parts)), after]);
        break;
      case 5:
        result = Buffer.concat([before, after.subarray(0, random.below(64)), after]);
        break;
      case 6:
        result = Buffer.concat([before, randomBytes(random, random.below(16)), after]);
        break;
    }
  }
  return result;
}

export function randomBytes(random: Seeded, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random.below(256));
}
