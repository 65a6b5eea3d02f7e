import { type Clock, type Random, systemClock, systemRandom } from '@cosi-ts/state';
import type { BackingStore } from './backing-store.js';
import type { HistoryBounds } from './history.js';

export interface HistoryOptions {
  /** How many events are kept for each kind. At least 1. Default: 65 536. */
  readonly maxEvents?: number;
  /**
   * How much the events of each kind may take: the encoded size of their resources where the bytes exist anyway, else
   * an estimate. The newest event is kept whatever its size. Default: 64 MiB.
   */
  readonly maxBytes?: number;
}

export interface InMemoryOptions {
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Default: the system's. */
  readonly random?: Random;
  /** Where resources are kept beyond the process. The state does not close it. Default: nowhere. */
  readonly store?: BackingStore | undefined;
  /** What is kept of the past for watchers. Whichever bound is reached first counts. */
  readonly history?: HistoryOptions;
}

export const defaultHistory: HistoryBounds = Object.freeze({ maxEvents: 65_536, maxBytes: 64 * 1024 * 1024 });

export interface ResolvedInMemoryOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: BackingStore | undefined;
  readonly history: HistoryBounds;
}

/** Throws a `RangeError` that names the field. */
export function resolveInMemoryOptions(options: InMemoryOptions = {}): ResolvedInMemoryOptions {
  const maxEvents = options.history?.maxEvents ?? defaultHistory.maxEvents;
  const maxBytes = options.history?.maxBytes ?? defaultHistory.maxBytes;
  if (!Number.isSafeInteger(maxEvents) || maxEvents < 1) {
    throw new RangeError(`history.maxEvents must be an integer from 1, not ${maxEvents}`);
  }
  if (!(maxBytes >= 0)) throw new RangeError(`history.maxBytes must be a number from 0, not ${maxBytes}`);
  return Object.freeze({
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    store: options.store,
    history: Object.freeze({ maxEvents, maxBytes }),
  });
}
