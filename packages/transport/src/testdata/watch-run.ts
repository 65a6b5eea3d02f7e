import { defineResource, kindTombstone, type Resource, Timestamp, UnavailableError } from '@cosi-ts/resource';
import { type Bookmark, createWatch, type Event, type Random, VirtualClock, type Watch } from '@cosi-ts/state';
import { expect } from 'vitest';
import { BootstrapComparison } from '../client/resume/bootstrap-comparison.js';
import { EventArrays } from '../client/resume/event-arrays.js';
import { KindProgress } from '../client/resume/kind-progress.js';
import type { Progress } from '../client/resume/progress.js';
import { ResumingWatch } from '../client/resume/resuming-watch.js';
import type { Start } from '../client/resume/start.js';
import { ScriptedStream, ScriptedStreams } from './scripted-streams.js';

export const Thing = defineResource<{ n: number }>({ type: 'Things.test', namespace: 'a' });
export const plain: Start = { bookmark: undefined, bootstrap: false, noop: false, tailEvents: 0 };
export const at = (position: number): Bookmark => Uint8Array.of(position);
const marker = kindTombstone(Thing.kind, Timestamp.epoch);

export function thing(id: string, version: bigint, createdS = 1): Resource {
  const resource = Thing.new(id, { n: Number(version) });
  return resource.withMetadata(resource.metadata.with({ version, created: new Timestamp(createdS, 0) }));
}

type Position = { readonly bookmark?: Bookmark };
const position = (n: number | undefined): Position => (n === undefined ? {} : { bookmark: at(n) });
export const created = (id: string, n?: number, version = 1n): Event => ({
  type: 'created',
  resource: thing(id, version),
  ...position(n),
});
export const destroyed = (id: string, n?: number): Event => ({
  type: 'destroyed',
  resource: thing(id, 1n),
  ...position(n),
});
export const bootstrapped = (n?: number): Event => ({ type: 'bootstrapped', resource: marker, ...position(n) });
export const noop = (n?: number): Event => ({ type: 'noop', resource: marker, ...position(n) });
export const errored = (error: Error): Event => ({ type: 'errored', error });
export const cut = new UnavailableError('the connection was cut');

/** No jitter: half of the spread. */
export const middle: Random = { float: () => 0.5, bytes: (length) => new Uint8Array(length) };

export interface Run<T> extends AsyncDisposable {
  readonly watch: Watch<T>;
  readonly first: ScriptedStream;
  readonly streams: ScriptedStreams;
  readonly clock: VirtualClock;
  readonly logs: Record<string, unknown>[];
  /** The next item, once so much time has passed. */
  after(ms: number): Promise<T | undefined>;
}

export function run<T>(
  progress: Progress<T>,
  options: {
    aggregated?: boolean;
    resume?: boolean;
    random?: Random;
    atBookmark?: boolean;
    expiry?: AbortSignal;
    maxSilenceMs?: number;
  } = {},
): Run<T> {
  const clock = new VirtualClock();
  const streams = new ScriptedStreams(() => clock.monotonicMs());
  const first = new ScriptedStream();
  const logs: Record<string, unknown>[] = [];
  const { aggregated = false, resume = true, random = middle, atBookmark = false, expiry, maxSilenceMs } = options;
  const logger = { warn: (fields: object) => void logs.push(fields as Record<string, unknown>), error() {} };
  const source = new ResumingWatch(
    { stream: first, aggregated, atBookmark },
    progress,
    Thing.kind,
    streams.open,
    expiry,
    { resume, resumeBackoff: { initialMs: 500, maxMs: 30_000 }, clock, random, logger, maxSilenceMs },
    () => {},
  );
  const watch = createWatch(source);
  return {
    watch,
    first,
    streams,
    clock,
    logs,
    async after(ms) {
      const next = watch.next();
      await clock.advance(ms);
      return (await next).value;
    },
    async [Symbol.asyncDispose]() {
      await watch.close();
      expect(clock.timers).toBe(0);
    },
  };
}

export const kindProgress = (asked: Partial<Start> = {}) =>
  new KindProgress<Event>({ ...plain, ...asked }, new BootstrapComparison());
export const arraysProgress = (asked: Partial<Start> = {}) =>
  new KindProgress<readonly Event[]>({ ...plain, ...asked }, new EventArrays(asked.bootstrap ?? false));
