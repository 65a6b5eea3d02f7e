import type { Kind } from '@cosi-ts/resource';
import { type CoreState, createWatch, type Event, filter, type Watch, type WatchKindOptions } from '@cosi-ts/state';

/** A state whose watches of kinds can be broken, refused, and counted. */
export interface BreakableCore extends CoreState {
  /** The options of every watch of a kind that was asked for. */
  readonly asked: WatchKindOptions[];
  /** Thrown by the next calls that watch a kind, one each. */
  readonly refusals: Error[];
  /** Given as the first event of the next watches, one each. */
  readonly firstErrors: Error[];
  /** How many watches of kinds have not ended. */
  open: number;
  /** Ends all present watches: with an errored event, or just so. */
  cut(error?: Error): void;
}

export function breakable(core: CoreState): BreakableCore {
  const cuts = new Set<(error: Error | undefined) => void>();
  const passing = filter(core, () => undefined);
  const asked: WatchKindOptions[] = [];
  const refusals: Error[] = [];
  const firstErrors: Error[] = [];
  const watchKindAggregated = async (kind: Kind, options: WatchKindOptions = {}): Promise<Watch<readonly Event[]>> => {
    asked.push(options);
    const refusal = refusals.shift();
    if (refusal !== undefined) throw refusal;
    const inner = await core.watchKindAggregated(kind, options);
    const first = firstErrors.shift();
    let failed = first;
    let end: (() => void) | undefined;
    let isCut = false;
    const cut = (error: Error | undefined) => {
      isCut = true;
      failed = error;
      end?.();
    };
    cuts.add(cut);
    broken.open++;
    return createWatch<readonly Event[]>(
      {
        async pull() {
          if (failed !== undefined) {
            const error = failed;
            failed = undefined;
            isCut = true;
            return [{ type: 'errored', error }];
          }
          if (isCut) return undefined;
          const ended = new Promise<undefined>((resolve) => {
            end = () => resolve(undefined);
          });
          const result = await Promise.race([inner.next(), ended]);
          if (result === undefined) {
            const error = failed as Error | undefined;
            failed = undefined;
            return error === undefined ? undefined : [{ type: 'errored', error }];
          }
          return result.done === true ? undefined : result.value;
        },
        async close() {
          cuts.delete(cut);
          broken.open--;
          end?.();
          await inner.close();
        },
      },
      options.signal,
    );
  };
  const broken: BreakableCore = Object.assign(passing, {
    asked,
    refusals,
    firstErrors,
    open: 0,
    watchKindAggregated,
    cut(error?: Error) {
      for (const cut of [...cuts]) cut(error);
    },
  });
  return broken;
}
