import type { Kind, Pointer, TypedResource } from '@cosi-ts/resource';
import type { QueryOptions } from '@cosi-ts/state';
import { inTurns } from './in-turns.js';
import type { JobContext } from './job-context.js';
import { type Output, shared } from './outputs.js';
import type { Requeue } from './requeue.js';
import { type FailedInput, FailedInputsError } from './runtime-errors.js';
import { errorOf } from './thrown.js';

/**
 * What a handler has to say: nothing, or no pointers, when it has done its part; else what stands in its way, or a requeue.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a function without a return statement must do
export type CleanupResult = readonly Pointer[] | Requeue | void;

/** One part of what is to be done before an input that is torn down may go. */
export interface CleanupHandler<I> {
  /** The kinds that it reads, and of which resources can stand in its way. Default: none. */
  readonly inputs?: readonly Kind[] | undefined;
  /** The types that it writes. Default: none. */
  readonly outputs?: readonly Output[] | undefined;
  /**
   * Does its part. When it gives resources that stand in the way, it runs again when one of them changes; when it throws a
   * {@link SkipError}, when anything of its inputs does; when it throws anything else, after a backoff. Whoever comes
   * after it waits until it has nothing to say. May run several times.
   */
  run(input: TypedResource<I>, context: JobContext): CleanupResult | Promise<CleanupResult>;
}

/**
 * Waits until there are no outputs of the input left. Others take them away.
 *
 * @param outputs where they are
 * @param query which of them are the input's
 *
 * @example
 * noOutputsLeft(VMConfig.kind, (network) => ({ labels: [label('network').is(network.metadata.id)] }))
 */
export function noOutputsLeft<I>(outputs: Kind, query: (input: TypedResource<I>) => QueryOptions): CleanupHandler<I> {
  const kind = plain(outputs);
  return {
    inputs: [kind],
    async run(input, { state }) {
      return (await state.list(kind, query(input))).map(({ metadata }) => metadata);
    },
  };
}

export interface RemoveOutputsOptions {
  /** Outputs of these owners are removed, too. Default: only those that nobody owns. */
  readonly owners?: readonly string[] | undefined;
}

/**
 * Tears down and destroys the outputs of the input that nobody owns, and those of the listed owners, and waits until they
 * are gone. Those of others are left alone.
 *
 * @param outputs where they are
 * @param query which of them are the input's
 */
export function removeOutputs<I>(
  outputs: Kind,
  query: (input: TypedResource<I>) => QueryOptions,
  options: RemoveOutputsOptions = {},
): CleanupHandler<I> {
  const kind = plain(outputs);
  const owners = new Set(['', ...(options.owners ?? [])]);
  return {
    inputs: [kind],
    outputs: [shared(kind)],
    async run(input, { state, signal }) {
      const left: Pointer[] = [];
      const failures: FailedInput[] = [];
      await inTurns(await state.list(kind, query(input)), signal, async ({ metadata }) => {
        const { owner } = metadata;
        if (!owners.has(owner)) return;
        try {
          if (!(await state.destroyIfReady(metadata, { owner }))) left.push(metadata);
        } catch (error) {
          signal.throwIfAborted();
          failures.push({ resource: { ...kind, id: metadata.id }, error: errorOf(error) });
        }
      });
      if (failures.length > 0) throw new FailedInputsError(state.owner, failures);
      return left;
    },
  };
}

function plain({ namespace, type }: Kind): Kind {
  return Object.freeze({ namespace, type });
}
