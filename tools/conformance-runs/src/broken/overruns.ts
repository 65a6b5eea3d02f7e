import { type Kind, OverrunError, type Pointer } from '@cosi-ts/resource';
import { createWatch, type Event, type Watch, type WatchKindOptions } from '@cosi-ts/state';
import { alteredEvents, brokenCore, type CoreMethods } from './broken-state.js';

export const brokenOverruns = [
  brokenCore('W12', 'the history is trimmed silently', (core) => ({
    watchKind: async (kind, options = {}) => silentlyTrimmed(core, kind, options),
  })),

  brokenCore('W12', 'a watch that falls behind ends without an error', (core) =>
    alteredEvents(core, () => (event) => (event.type === 'errored' ? undefined : event)),
  ),

  brokenCore('W12', 'an overrun says no more than that', (core) =>
    alteredEvents(
      core,
      () => (event) => (event.type === 'errored' ? { type: 'errored', error: new Error('buffer overrun') } : event),
    ),
  ),

  brokenCore('W12', 'an overrun names the wrong kind', (core) =>
    alteredEvents(
      core,
      () => (event) =>
        event.type === 'errored'
          ? { type: 'errored', error: new OverrunError({ namespace: 'n', type: 't' }, 1n, 2n, 1) }
          : event,
    ),
  ),

  brokenCore('W12', 'the history is far shorter than it says', (core) => {
    const limit = 20;
    return {
      watchKind: async (kind, options = {}) => impatient(await core.watchKind(kind, options), core, kind, limit),
    };
  }),

  brokenCore('W12', 'the overrun of one watch ends the others', (core) => {
    const open = new Set<Watch<Event>>();
    return {
      watchKind: async (kind, options) => {
        const watch = await core.watchKind(kind, options);
        open.add(watch);
        const passed = createWatch<Event>({
          async pull() {
            const result = await watch.next();
            if (result.done !== true && result.value.type === 'errored') {
              await Promise.all([...open].filter((other) => other !== watch).map((other) => other.close()));
            }
            return result.value;
          },
          close: async () => {
            open.delete(watch);
            await watch.close();
          },
        });
        return passed;
      },
    };
  }),

  brokenCore('W14', 'the slowest watch holds up the others', (core) => lockStep(core), { others: 32 }),
];

/** Begins again with what is kept, as if nothing had happened. */
async function silentlyTrimmed(core: CoreMethods, kind: Kind, options: WatchKindOptions): Promise<Watch<Event>> {
  let watch = await core.watchKind(kind, options);
  return createWatch<Event>({
    async pull() {
      for (;;) {
        const result = await watch.next();
        if (result.done === true) return undefined;
        if (result.value.type !== 'errored') return result.value;
        await watch.close();
        watch = await core.watchKind(kind, { labels: options.labels, id: options.id, tailEvents: 1000 });
      }
    },
    close: () => watch.close(),
  });
}

/** Fails when more events of the kind have come than the limit since the last read. */
function impatient(watch: Watch<Event>, core: CoreMethods, kind: Kind, limit: number): Watch<Event> {
  let behind = 0;
  const counting = core.watchKind(kind).then(async (counter) => {
    void (async () => {
      for await (const _ of counter) behind++;
    })();
    return counter;
  });
  let failed = false;
  return createWatch<Event>({
    async pull() {
      if (failed) return undefined;
      if (behind > limit) {
        failed = true;
        return { type: 'errored', error: new OverrunError(kind, 0n, BigInt(behind), limit) };
      }
      const result = await watch.next();
      behind = Math.max(0, behind - 1);
      return result.value;
    },
    close: async () => {
      await watch.close();
      await (await counting).close();
    },
  });
}

/** Each watch gives its next event only when every other one has been read as far. */
function lockStep(core: CoreMethods): Partial<CoreMethods> {
  const reads = new Map<object, number>();
  let moved: (() => void)[] = [];
  const move = () => {
    const waiting = moved;
    moved = [];
    for (const wake of waiting) wake();
  };
  const stepped = <T>(watch: Watch<T>): Watch<T> => {
    const key = {};
    reads.set(key, 0);
    let closed = false;
    return createWatch<T>({
      async pull() {
        const mine = (reads.get(key) ?? 0) + 1;
        reads.set(key, mine);
        move();
        const result = await watch.next();
        while (!closed && [...reads.values()].some((read) => read < mine)) {
          await new Promise<void>((resolve) => moved.push(resolve));
        }
        return result.done === true ? undefined : result.value;
      },
      close: async () => {
        closed = true;
        reads.delete(key);
        move();
        await watch.close();
      },
    });
  };
  return {
    watch: async (pointer: Pointer, options) => stepped(await core.watch(pointer, options)),
    watchKind: async (kind, options) => stepped(await core.watchKind(kind, options)),
    watchKindAggregated: async (kind, options) => stepped(await core.watchKindAggregated(kind, options)),
  };
}
