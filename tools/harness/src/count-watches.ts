import type { Kind, Pointer } from '@cosi-ts/resource';
import { type CoreState, createWatch, type Event, type Watch, type WatchKindOptions } from '@cosi-ts/state';

/** Counts, from now on, the watches of a state that have not been closed. The state's methods are replaced. */
export function countWatches(core: CoreState): { readonly open: number } {
  const count = { open: 0 };
  const counted =
    <S extends Kind, T>(start: (subject: S, options?: WatchKindOptions) => Promise<Watch<T>>) =>
    async (subject: S, options: WatchKindOptions = {}): Promise<Watch<T>> => {
      const watch = await start(subject, options);
      count.open++;
      return createWatch<T>(
        {
          pull: async () => (await watch.next()).value,
          close: () => {
            count.open--;
            return watch.close();
          },
        },
        options.signal,
      );
    };
  core.watch = counted<Pointer, Event>(core.watch.bind(core));
  core.watchKind = counted<Kind, Event>(core.watchKind.bind(core));
  core.watchKindAggregated = counted<Kind, readonly Event[]>(core.watchKindAggregated.bind(core));
  return count;
}
