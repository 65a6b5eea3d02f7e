import {
  isAlreadyExists,
  isNotFound,
  isOutcomeUnknown,
  isVersionConflict,
  type Pointer,
  pointerText,
  type Resource,
} from '@cosi-ts/resource';
import {
  Backoff,
  type BackoffOptions,
  type CallOptions,
  type Clock,
  type CoreState,
  type CreateOptions,
  canTeardown,
  type DestroyOptions,
  givenPointer,
  type Random,
  sleep,
  type TeardownCapable,
  type TeardownOptions,
  type UpdateOptions,
} from '@cosi-ts/state';
import type { Logger } from '../logger.js';
import { errorOf } from '../thrown.js';
import type { WriteLimit } from '../write-limit.js';
import { Crowds } from './crowds.js';
import { type Judgement, judgeCreate, judgeDestroy, judgeTeardown, judgeUpdate } from './judgement.js';
import { UnsettledWriteError } from './unsettled-write.js';

/** So often at most a write is made again: a state that can be read and not written is not to be waited for in silence. */
const mostRepeats = 5;

export interface SettlingOptions {
  /** Who writes. What belongs to it, nobody else changes, finalizers apart. */
  readonly owner: string;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
  /** Of writes that are made again more than once. */
  readonly backoff: Required<BackoffOptions>;
  readonly limit: WriteLimit | undefined;
}

interface Write<T> {
  readonly pointer: Pointer;
  readonly options: (CallOptions & { readonly owner?: string | undefined }) | undefined;
  make(): Promise<T>;
  judge(found: Resource | undefined, isAlone: boolean): Judgement<T>;
}

/**
 * The state, with writes whose answer was lost settled by reading the resource again, which waits for as long as the
 * state has reads wait: one that was made resolves, one that was not is made (again), one that was refused is refused,
 * and each has its effect once. Where what is stored does not tell, it rejects with an {@link UnsettledWriteError}, and
 * where it cannot be read, with the failure of the write, both of which say that the outcome is not known.
 */
export function settledWrites(core: CoreState, options: SettlingOptions): CoreState {
  const writes = new SettledWrites(core, options);
  const settled: CoreState & Partial<TeardownCapable> = {
    get: core.get.bind(core),
    list: core.list.bind(core),
    watch: core.watch.bind(core),
    watchKind: core.watchKind.bind(core),
    watchKindAggregated: core.watchKindAggregated.bind(core),
    create: (resource: Resource, options?: CreateOptions) =>
      writes.settled({
        pointer: resource.metadata,
        options,
        make: () => core.create(resource, options),
        judge: (found, isAlone) => {
          const owned = resource.withMetadata(resource.metadata.with({ owner: options?.owner ?? '' }));
          return judgeCreate(owned, found, isAlone);
        },
      }),
    update: (resource: Resource, options?: UpdateOptions) =>
      writes.settled({
        pointer: resource.metadata,
        options,
        make: () => core.update(resource, options),
        judge: (found, isAlone) => judgeUpdate(resource, found, isAlone),
      }),
    destroy: (pointer: Pointer, options?: DestroyOptions) => {
      const at = givenPointer(pointer);
      return writes.settled({ pointer: at, options, make: () => core.destroy(at, options), judge: judgeDestroy });
    },
  };
  if (canTeardown(core)) {
    settled.teardown = (pointer: Pointer, options?: TeardownOptions) => {
      const at = givenPointer(pointer);
      return writes.settled({
        pointer: at,
        options,
        make: () => core.teardown(at, options),
        judge: (found, isAlone) => judgeTeardown(at, found, isAlone),
      });
    };
  }
  return settled;
}

class SettledWrites {
  readonly #core: CoreState;
  readonly #options: SettlingOptions;
  readonly #crowds = new Crowds();

  constructor(core: CoreState, options: SettlingOptions) {
    this.#core = core;
    this.#options = options;
  }

  async settled<T>(write: Write<T>): Promise<T> {
    const crowd = this.#crowds.enter(write.pointer);
    try {
      return await write.make();
    } catch (error) {
      if (!isOutcomeUnknown(error)) throw error;
      const isOwn = write.options?.owner === this.#options.owner;
      return await this.#settle(write, error, () => isOwn && !crowd.isCrowded);
    } finally {
      this.#crowds.leave(crowd);
    }
  }

  async #settle<T>(write: Write<T>, failure: unknown, isAlone: () => boolean): Promise<T> {
    const { clock, random, limit } = this.#options;
    const signal = write.options?.signal;
    const backoff = new Backoff(random, this.#options.backoff);
    let lost = failure;
    let repeats = 0;
    let mayRepeat = limit === undefined;
    for (;;) {
      const found = await this.#read(write, lost);
      const judgement = write.judge(found, isAlone());
      if (judgement.is !== 'pending' || mayRepeat) this.#tell(write, judgement, lost);
      if (judgement.is === 'made') return judgement.result;
      if (judgement.is === 'refused') throw judgement.error;
      if (judgement.is === 'unclear') throw new UnsettledWriteError(write.pointer, found, lost);
      if (repeats === mostRepeats) throw lost;
      if (!mayRepeat) {
        if (repeats > 0) await sleep(clock, backoff.nextMs(), signal);
        await limit?.pass(signal);
        mayRepeat = true;
        // That was a while, in which a new life of the id may have begun, with versions that are there already.
        continue;
      }
      repeats++;
      mayRepeat = false;
      try {
        return await write.make();
      } catch (error) {
        if (isOutcomeUnknown(error)) lost = error;
        // What was lost may have arrived only now.
        else if (!isVersionConflict(error) && !isAlreadyExists(error) && !isNotFound(error)) throw error;
      }
    }
  }

  async #read<T>({ pointer, options }: Write<T>, lost: unknown): Promise<Resource | undefined> {
    const { signal, context } = options ?? {};
    try {
      return await this.#core.get(givenPointer(pointer), { signal, context });
    } catch (error) {
      signal?.throwIfAborted();
      if (isNotFound(error)) return undefined;
      const facts = { err: errorOf(error), resource: pointerText(pointer) };
      this.#options.logger.warn(facts, 'the answer to a write was lost, and what is stored cannot be read');
      throw lost;
    }
  }

  #tell<T>({ pointer }: Write<T>, { is }: Judgement<T>, lost: unknown): void {
    const facts = { err: errorOf(lost), resource: pointerText(pointer) };
    this.#options.logger.warn(facts, `the answer to a write was lost, ${outcomes[is]}`);
  }
}

const outcomes: Readonly<Record<Judgement<unknown>['is'], string>> = {
  made: 'it had its effect',
  pending: 'it had no effect: it is made again',
  refused: 'it had no effect: another one came first',
  unclear: 'and what is stored does not tell whether it had its effect',
};
