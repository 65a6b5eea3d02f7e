import { InvalidBookmarkError, type Kind, type Pointer } from '@cosi-ts/resource';
import {
  type CoreState,
  createWatch,
  type Event,
  filter,
  type GetOptions,
  type ListOptions,
  type Watch,
  type WatchKindOptions,
  type WatchOptions,
} from '@cosi-ts/state';

/** The state that a runtime is given: what it asks of it is counted, and its watches can be broken. */
export interface ObservedCore extends CoreState {
  /** How many gets and lists there were of a type. */
  reads(kind: Pick<Kind, 'type'>): number;
  /** How many watches have not ended. */
  readonly openWatches: number;
  /** The types of what was destroyed, in this order. */
  readonly destroyed: readonly string[];
  /** How many watches were asked for. */
  readonly askedWatches: number;
  /**
   * Ends all watches: with that error as their last event, or just so. Until it is mended there are no new ones, and
   * from then on bookmarks are refused where that was asked for.
   */
  break(how: { readonly error?: Error | undefined; readonly refuseBookmarks?: boolean | undefined }): void;
  mend(): void;
  /** Until what is given is called, watches are read no more, except for what they are asked for already. */
  stall(): () => void;
}

export function observed(core: CoreState): ObservedCore {
  const cuts = new Set<(error: Error | undefined) => void>();
  const reads = new Map<string, number>();
  const destroyed: string[] = [];
  const gates = {
    isBroken: false,
    refusesBookmarks: false,
    open: 0,
    asked: 0,
    stalled: undefined as Promise<void> | undefined,
  };
  const read = (type: string) => reads.set(type, (reads.get(type) ?? 0) + 1);

  function watching<S extends Kind, T>(
    start: (subject: S, options?: WatchKindOptions) => Promise<Watch<T>>,
    failure: (error: Error) => T,
  ) {
    return async (subject: S, options: WatchKindOptions = {}): Promise<Watch<T>> => {
      gates.asked++;
      if (gates.isBroken) throw new Error('the state cannot be watched now');
      if (gates.refusesBookmarks && options.startFromBookmark !== undefined)
        throw new InvalidBookmarkError('bookmarks are refused');
      const { signal, ...rest } = options;
      return breakableWatch(await start(subject, { ...rest, signal }), failure, cuts, gates, signal);
    };
  }

  const own = {
    reads: ({ type }: Pick<Kind, 'type'>) => reads.get(type) ?? 0,
    destroyed,
    get: (pointer: Pointer, options?: GetOptions) => {
      read(pointer.type);
      return core.get(pointer, options);
    },
    list: (kind: Kind, options?: ListOptions) => {
      read(kind.type);
      return core.list(kind, options);
    },
    destroy: (...args: Parameters<CoreState['destroy']>) => {
      const { type } = args[0];
      return core.destroy(...args).then(() => void destroyed.push(type));
    },
    watch: watching<Pointer, Event>(
      (pointer, options?: WatchOptions) => core.watch(pointer, options),
      (error) => ({ type: 'errored', error }),
    ),
    watchKind: watching<Kind, Event>(
      (kind, options) => core.watchKind(kind, options),
      (error) => ({ type: 'errored', error }),
    ),
    watchKindAggregated: watching<Kind, readonly Event[]>(
      (kind, options) => core.watchKindAggregated(kind, options),
      (error) => [{ type: 'errored', error }],
    ),
    get openWatches() {
      return gates.open;
    },
    get askedWatches() {
      return gates.asked;
    },
    break({ error, refuseBookmarks = false }: { error?: Error | undefined; refuseBookmarks?: boolean | undefined }) {
      gates.isBroken = true;
      gates.refusesBookmarks = refuseBookmarks;
      for (const cut of [...cuts]) cut(error);
    },
    mend() {
      gates.isBroken = false;
    },
    stall() {
      let goOn: () => void = () => undefined;
      gates.stalled = new Promise((resolve) => {
        goOn = resolve;
      });
      return () => {
        gates.stalled = undefined;
        goOn();
      };
    },
  };
  const passing = filter(core, () => undefined);
  return Object.defineProperties(passing, Object.getOwnPropertyDescriptors(own)) as typeof passing & typeof own;
}

/** The watch, until it is cut. */
function breakableWatch<T>(
  inner: Watch<T>,
  failure: (error: Error) => T,
  cuts: Set<(error: Error | undefined) => void>,
  gates: { open: number; readonly stalled: Promise<void> | undefined },
  signal: AbortSignal | undefined,
): Watch<T> {
  let last: { readonly error: Error | undefined } | undefined;
  let end: () => void = () => undefined;
  const ended = new Promise<undefined>((resolve) => {
    end = () => resolve(undefined);
  });
  const cut = (error: Error | undefined) => {
    cuts.delete(cut);
    last = { error };
    end();
  };
  cuts.add(cut);
  gates.open++;
  return createWatch<T>(
    {
      async pull() {
        if (gates.stalled !== undefined) await Promise.race([gates.stalled, ended]);
        const result = last === undefined ? await Promise.race([inner.next(), ended]) : undefined;
        if (result !== undefined && last === undefined) return result.done === true ? undefined : result.value;
        const error = last?.error;
        last = { error: undefined };
        return error === undefined ? undefined : failure(error);
      },
      async close() {
        cuts.delete(cut);
        gates.open--;
        end();
        await inner.close();
      },
    },
    signal,
  );
}
