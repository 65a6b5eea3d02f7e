import type { Kind, Pointer } from '@cosi-ts/resource';
import { createWatch, type Watch, type WatchKindOptions, type WatchOptions } from '@cosi-ts/state';
import { brokenCore, type CoreMethods } from './broken-state.js';

/** Each watch of the three forms replaced by another around it. */
function around(
  core: CoreMethods,
  change: <T>(open: (signal?: AbortSignal) => Promise<Watch<T>>, signal: AbortSignal | undefined) => Promise<Watch<T>>,
) {
  return {
    watch: (pointer: Pointer, options: WatchOptions = {}) =>
      change((signal) => core.watch(pointer, { ...options, signal }), options.signal),
    watchKind: (kind: Kind, options: WatchKindOptions = {}) =>
      change((signal) => core.watchKind(kind, { ...options, signal }), options.signal),
    watchKindAggregated: (kind: Kind, options: WatchKindOptions = {}) =>
      change((signal) => core.watchKindAggregated(kind, { ...options, signal }), options.signal),
  };
}

/** The items of a watch, under other ways to end it. */
function passedOn<T>(
  watch: Watch<T>,
  ends: { readonly signal?: AbortSignal | undefined; readonly close: () => unknown },
) {
  return createWatch<T>(
    {
      async pull() {
        const result = await watch.next();
        return result.done === true ? undefined : result.value;
      },
      close: async () => {
        await ends.close();
      },
    },
    ends.signal,
  );
}

export const brokenEnds = [
  brokenCore('W2', 'an abort leaves its subscription', (core) =>
    around(core, async (open, signal) => {
      signal?.throwIfAborted();
      const watch = await open();
      return endedEarly(watch, signal, () => (signal?.aborted === true ? undefined : watch.close()));
    }),
  ),

  brokenCore('W2', 'a watch that is closed leaves its subscription', (core) =>
    around(core, async (open, signal) => {
      signal?.throwIfAborted();
      return endedEarly(await open(), signal, () => undefined);
    }),
  ),

  brokenCore('W2', 'a closed watch still listens to its signal', (core) =>
    around(core, async (open, signal) => {
      const watch = await open(signal);
      signal?.addEventListener('abort', () => undefined);
      return passedOn(watch, { close: () => watch.close() });
    }),
  ),

  brokenCore('W2', 'leaving the loop does not end the watch', (core) => ({
    ...around(core, async (open, signal) => {
      const watch = await open(signal);
      watch.return = async () => ({ done: true, value: undefined });
      return watch;
    }),
  })),

  brokenCore(
    'W2',
    'a watch gives what was ready after its end',
    (core) =>
      around(core, async <T>(open: (signal?: AbortSignal) => Promise<Watch<T>>, signal: AbortSignal | undefined) => {
        const watch = await open(signal);
        let last: T | undefined;
        const next = watch.next.bind(watch);
        watch.next = async () => {
          const result = await next();
          if (result.done !== true) last = result.value;
          else if (last !== undefined) {
            const value = last;
            last = undefined;
            return { done: false, value };
          }
          return result;
        };
        return watch;
      }),
    { others: 14 },
  ),

  brokenCore('W2', 'a second next() while one waits gets in line', (core) =>
    around(core, async <T>(open: (signal?: AbortSignal) => Promise<Watch<T>>, signal: AbortSignal | undefined) => {
      const watch = await open(signal);
      const next = watch.next.bind(watch);
      let line: Promise<unknown> = Promise.resolve();
      watch.next = () => {
        const mine = line.then(next);
        line = mine.catch(() => undefined);
        return mine;
      };
      return watch;
    }),
  ),

  brokenCore('W2', 'an abort is an error of the next read', (core) =>
    around(core, async (open, signal) => {
      const watch = await open(signal);
      const next = watch.next.bind(watch);
      watch.next = async () => {
        const result = await next();
        if (result.done === true) signal?.throwIfAborted();
        return result;
      };
      return watch;
    }),
  ),
];

/** A watch whose end does not wait for the one inside. */
function endedEarly<T>(watch: Watch<T>, signal: AbortSignal | undefined, close: () => unknown): Watch<T> {
  let end: () => void = () => undefined;
  const over = new Promise<undefined>((resolve) => {
    end = () => resolve(undefined);
  });
  return createWatch<T>(
    {
      async pull() {
        const result = await Promise.race([watch.next(), over]);
        return result === undefined || result.done === true ? undefined : result.value;
      },
      close: async () => {
        end();
        await close();
      },
    },
    signal,
  );
}
