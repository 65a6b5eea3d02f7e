import { CorruptError, type Version } from '@cosi-ts/resource';

/**
 * What a namespace should hold: how many resources, and a sum over where each is and at which version. It is kept up to
 * date with every write, without reading, and compared with what is read at the next load. Checksums see a record that
 * has changed; this sees one that is missing, that came back, or that is an older version of itself.
 */
export interface Tally {
  readonly resources: number;
  /** Modulo 2^32, so that additions may come in any order. */
  readonly sum: number;
}

export const emptyTally: Tally = Object.freeze({ resources: 0, sum: 0 });

/** The share of one record in the sum, given the checksum of its key. */
export function recordDigest(keyChecksum: number, version: Version): number {
  // A checksum is linear, and so would be a sum of checksums: the mixing makes every share depend on all of it.
  if (version === undefined) return mixed(keyChecksum, 0x9e3779b9, 0x85ebca6b);
  // Large integers take longer, and most versions are small ones.
  if (version < 0x1_0000_0000n) return mixed(keyChecksum, Number(version), 0);
  return mixed(keyChecksum, Number(version & 0xffff_ffffn), Number(version >> 32n));
}

export function tallied(tally: Tally, digest: number): Tally {
  return { resources: tally.resources + 1, sum: (tally.sum + digest) >>> 0 };
}

export function untallied(tally: Tally, digest: number): Tally {
  return { resources: tally.resources - 1, sum: (tally.sum - digest) >>> 0 };
}

/**
 * What a namespace has too little or too much of, as an error.
 *
 * @param found the tally of the records that could be read, and the number of the others
 * @param decoded false when the records were counted only
 */
export function tallyFault(
  namespace: string,
  expected: Tally,
  found: { readonly tally: Tally; readonly bad: number },
  decoded: boolean,
): CorruptError | undefined {
  const resources = found.tally.resources + found.bad;
  const name = JSON.stringify(namespace);
  if (resources !== expected.resources) {
    return new CorruptError(`namespace ${name} should hold ${expected.resources} resources, and holds ${resources}`);
  }
  // Of a record that cannot be read nobody knows the version.
  if (decoded && found.bad === 0 && found.tally.sum !== expected.sum) {
    return new CorruptError(`namespace ${name} has records that are not the ones last written`);
  }
  return undefined;
}

function mixed(keyChecksum: number, low: number, high: number): number {
  return mix(mix(mix(keyChecksum) ^ low) ^ high);
}

/** The finalizer of MurmurHash3: a bijection of 32 bits in which each bit depends on every other. */
function mix(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
