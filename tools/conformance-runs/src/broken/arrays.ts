import type { Event } from '@cosi-ts/state';
import { createWatch, type Watch, type WatchKindOptions } from '@cosi-ts/state';
import { brokenCore, type CoreMethods } from './broken-state.js';

type Regroup = (events: readonly Event[]) => readonly (readonly Event[])[];

/** The same events in other arrays. */
function regrouped(core: CoreMethods, regroup: (options: WatchKindOptions) => Regroup): Partial<CoreMethods> {
  return {
    watchKindAggregated: async (kind, options = {}) =>
      inArrays(await core.watchKindAggregated(kind, options), regroup(options)),
  };
}

function inArrays(watch: Watch<readonly Event[]>, regroup: Regroup): Watch<readonly Event[]> {
  const ready: (readonly Event[])[] = [];
  return createWatch<readonly Event[]>({
    async pull() {
      while (ready.length === 0) {
        const result = await watch.next();
        if (result.done === true) return undefined;
        ready.push(...regroup(result.value));
      }
      return ready.shift();
    },
    close: () => watch.close(),
  });
}

export const brokenArrays = [
  brokenCore('W6', 'each event comes in an array of its own', (core) =>
    regrouped(core, () => (events) => events.map((event) => [event])),
  ),

  brokenCore('W6', 'bootstrapped comes in an array of its own', (core) =>
    regrouped(core, () => (events) => {
      const last = events.at(-1);
      return last?.type === 'bootstrapped' && events.length > 1 ? [events.slice(0, -1), [last]] : [events];
    }),
  ),

  brokenCore('W6', 'a large bootstrap comes in several arrays', (core) =>
    regrouped(core, () => (events) => (events.length > 100 ? [events.slice(0, 100), events.slice(100)] : [events])),
  ),

  brokenCore('W6', 'an empty array comes before the others', (core) =>
    regrouped(core, () => {
      let first = true;
      return (events) => {
        const arrays = first ? [[], events] : [events];
        first = false;
        return arrays;
      };
    }),
  ),

  brokenCore('W6', 'the noop comes in the array of the bootstrap', (core) =>
    regrouped(core, (options) => {
      let held: readonly Event[] = [];
      const joined = options.bootstrapContents === true && options.bootstrapBookmark === true;
      return (events) => {
        if (!joined) return [events];
        if (events.at(-1)?.type === 'bootstrapped') {
          held = events;
          return [];
        }
        const all = [...held, ...events];
        held = [];
        return [all];
      };
    }),
  ),
];
