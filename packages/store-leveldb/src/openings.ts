import { CorruptError } from '@cosi-ts/resource';
import type { Clock, Random } from '@cosi-ts/state';
import type { Epoch } from '@cosi-ts/state-inmem';
import { unframed } from './checksum.js';
import { keyNumber, openingKey } from './keys.js';
import { type Entry, jsonEntry, parseJson } from './ledger.js';

const idBytes = 8;

/** How many are kept at most. A store that is opened over and over without being written to would collect them. */
const maxOpenings = 1000;

/** One opening of the database: an epoch of its bookmarks. */
export interface Opening extends Epoch {
  /** Counts the openings, from 1. */
  readonly ordinal: number;
}

/** The opening after these. */
export function nextOpening(before: readonly Opening[], start: number, random: Random): Opening {
  return { ordinal: (before.at(-1)?.ordinal ?? 0) + 1, id: random.bytes(idBytes), start };
}

export function openingEntry({ ordinal, id, start }: Opening, clock: Clock): Entry {
  return jsonEntry(openingKey(ordinal), { id: Buffer.from(id).toString('hex'), start, at: clock.now() });
}

/**
 * Reads the entries of the key space of openings.
 *
 * @param position the newest in the log: no opening begins after it
 */
export function readOpenings(entries: readonly Entry[], position: number): Opening[] {
  const openings: Opening[] = [];
  for (const [key, value] of entries) {
    const ordinal = keyNumber(key);
    const { id, start } = parseJson(unframed(key, value)) ?? {};
    const before = openings.at(-1);
    const follows = before === undefined || (ordinal === before.ordinal + 1 && (start as number) >= before.start);
    if (
      ordinal === undefined ||
      !isId(id) ||
      !Number.isSafeInteger(start) ||
      (start as number) > position ||
      !follows
    ) {
      throw new CorruptError(`the store's record of its opening number ${ordinal ?? '?'} is damaged`);
    }
    openings.push({ ordinal, id: Buffer.from(id, 'hex'), start: start as number });
  }
  return openings;
}

/** Those of which no bookmark can be resumed from any more, at the beginning: their ranges end before the floor. */
export function outdatedOpenings(openings: readonly Opening[], floor: number): readonly Opening[] {
  const firstKept = openings.findIndex((_, i) => {
    const next = openings[i + 1];
    return next === undefined || next.start >= floor;
  });
  return openings.slice(0, Math.max(firstKept, openings.length - maxOpenings));
}

export function sameOpening(a: Opening, b: Opening | undefined): boolean {
  return a.ordinal === b?.ordinal && Buffer.compare(a.id, b.id) === 0;
}

function isId(id: unknown): id is string {
  return typeof id === 'string' && /^[0-9a-f]{16}$/.test(id);
}
