import { type Clock, checkDelay, type Random, systemClock, systemRandom } from '@cosi-ts/state';
import type { Marshaler } from '@cosi-ts/state-inmem';
import { consoleLogger, type Logger } from './logger.js';

/** What of the past the event log keeps, and how it forgets the rest. Whichever bound is reached first counts. */
export interface LogOptions {
  /** How many events are kept. At least 1. Default: 1 000 000. */
  readonly maxEvents?: number | undefined;
  /** How long events are kept. Default: 86 400 000 (a day). */
  readonly maxAgeMs?: number | undefined;
  /** How often it is looked for events to forget. Default: 600 000 (ten minutes). */
  readonly compactionIntervalMs?: number | undefined;
  /** By which part of `maxEvents` the log may be over before it is compacted at once. Default: 0.1. */
  readonly slack?: number | undefined;
  /** How many events are forgotten in one step, between two batches of writes. At least 1. Default: 1000. */
  readonly stepEvents?: number | undefined;
}

/** @inline */
export interface LevelDBStoreOptions {
  /** How resources become the bytes of records, and back. */
  readonly marshaler: Marshaler;
  /**
   * What an acknowledged write survives. `sync`: the loss of power; every batch waits for the disk. `os`: the end of the
   * process, `kill -9` too; the last seconds can be lost with the power or the operating system. Default: `sync`.
   */
  readonly durability?: 'sync' | 'os' | undefined;
  /**
   * What happens to a record that cannot be read. `strict`: loading its namespace fails and names it. `lenient`: the rest
   * is loaded, and `badRecords` tells of it; the record stays where it is. Default: `strict`.
   */
  readonly loading?: 'strict' | 'lenient' | undefined;
  readonly log?: LogOptions | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
  /** Default: the system's. */
  readonly random?: Random | undefined;
  /** Default: warnings and errors go to the console. */
  readonly logger?: Logger | undefined;
}

export type LogBounds = { readonly [name in keyof LogOptions]-?: number };

export interface ResolvedStoreOptions {
  readonly marshaler: Marshaler;
  readonly sync: boolean;
  readonly lenient: boolean;
  readonly log: LogBounds;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export const defaultLog: LogBounds = Object.freeze({
  maxEvents: 1_000_000,
  maxAgeMs: 24 * 3600 * 1000,
  compactionIntervalMs: 10 * 60 * 1000,
  slack: 0.1,
  stepEvents: 1000,
});

/** Throws a `RangeError` that names the field, or a `TypeError` when there is no marshaler. */
export function resolveStoreOptions(options: LevelDBStoreOptions): ResolvedStoreOptions {
  const { marshaler, durability = 'sync', loading = 'strict' } = options;
  if (typeof marshaler?.marshal !== 'function') throw new TypeError('the store needs a marshaler');
  if (durability !== 'sync' && durability !== 'os') {
    throw new RangeError(`durability must be "sync" or "os", not ${JSON.stringify(durability)}`);
  }
  if (loading !== 'strict' && loading !== 'lenient') {
    throw new RangeError(`loading must be "strict" or "lenient", not ${JSON.stringify(loading)}`);
  }
  return Object.freeze({
    marshaler,
    sync: durability === 'sync',
    lenient: loading === 'lenient',
    log: resolveLog(options.log),
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    logger: options.logger ?? consoleLogger,
  });
}

function resolveLog(options: LogOptions = {}): LogBounds {
  const bounds = {
    maxEvents: options.maxEvents ?? defaultLog.maxEvents,
    maxAgeMs: checkDelay(options.maxAgeMs ?? defaultLog.maxAgeMs),
    compactionIntervalMs: checkDelay(options.compactionIntervalMs ?? defaultLog.compactionIntervalMs),
    slack: options.slack ?? defaultLog.slack,
    stepEvents: options.stepEvents ?? defaultLog.stepEvents,
  };
  for (const name of ['maxEvents', 'stepEvents'] as const) {
    if (!Number.isSafeInteger(bounds[name]) || bounds[name] < 1) {
      throw new RangeError(`log.${name} must be an integer from 1, not ${bounds[name]}`);
    }
  }
  if (!(bounds.slack >= 0)) throw new RangeError(`log.slack must be a number from 0, not ${bounds.slack}`);
  if (bounds.compactionIntervalMs === 0) throw new RangeError('log.compactionIntervalMs must be more than 0');
  return Object.freeze(bounds);
}
