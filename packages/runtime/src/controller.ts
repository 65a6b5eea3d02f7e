import type { Kind } from '@cosi-ts/resource';
import type { ControllerInput } from './inputs.js';
import type { JobContext } from './job-context.js';
import type { Output } from './outputs.js';
import type { PartContext } from './part-registry.js';
import type { WriteLimitOptions } from './write-limit.js';

/** Something has changed, or it is time to look: the controller is to compare what is wanted with what is there. */
export interface ReconcileEvent {
  /** 1, and one more for each failure of `run` in a row. */
  readonly attempt: number;
}

export interface ControllerContext extends JobContext, PartContext {
  /**
   * Gives an event at the start, and one whenever an input has changed since the last: any number of changes during the
   * work become one. Ends when the controller is to end. Asking for the next event says that the last was dealt with.
   */
  readonly events: AsyncIterable<ReconcileEvent>;
  /**
   * Asks for another event, at once or after so many milliseconds; an event that comes before that takes its place. Can
   * be called from anywhere: a timer, a request, an event of a device. Throws a `RangeError` for NaN and Infinity.
   */
  queueReconcile(delayMs?: number): void;
  /** See {@link ControllerHandle.replaceInputs}. */
  replaceInputs(inputs: readonly ControllerInput[]): Promise<void>;
  /**
   * Begins to note which outputs are written, until {@link cleanupOutputs}. A `run` that throws in between forgets it.
   * Throws a `TypeError` when that goes on already.
   */
  startTrackingOutputs(): void;
  /**
   * Takes away the controller's own outputs of these kinds that were not written since {@link startTrackingOutputs}:
   * they are torn down, and destroyed when nothing holds them. What was written is kept, changed by that or not.
   *
   * @returns false when others hold some of it: a destroy-ready input tells when they have let go
   */
  cleanupOutputs(...kinds: readonly Kind[]): Promise<boolean>;
  /** The next failure of `run` is followed by the shortest delay again. */
  resetRestartBackoff(): void;
}

/**
 * A controller that looks at everything at once: take it when what it makes depends on many resources together. Where
 * each resource can be dealt with by itself, a {@link QueueController} does less work for each change.
 *
 * `run` loops over events, and brings what is there to what is wanted at each of them. It must bear an event at any time,
 * and must not depend on having seen every change. When it throws, that is logged, and it is called again after a backoff
 * without end, with an event to begin with. When it returns, the controller has ended.
 *
 * @example
 * const controller: Controller = {
 *   name: 'SumController',
 *   inputs: [weak(Numbers.kind)],
 *   outputs: [exclusive(Sum)],
 *   async run({ events, state }) {
 *     for await (const _ of events) {
 *       const numbers = await state.list(Numbers.kind);
 *       await state.modify(Sum.at('all'), (draft) => {
 *         draft.spec.value = numbers.reduce((sum, { spec }) => sum + spec.value, 0);
 *       });
 *     }
 *   },
 * };
 */
export interface Controller {
  /** Unique in the runtime. It owns what the controller writes, and is the name of its finalizer. */
  readonly name: string;
  /** No two with the same namespace, type and id. */
  readonly inputs: readonly ControllerInput[];
  /** The types that the controller writes. Default: none. */
  readonly outputs?: readonly Output[] | undefined;
  /** How fast it may write. Default: that of the runtime. */
  readonly writeLimit?: WriteLimitOptions | undefined;
  /**
   * Whether only one of the runtimes that share a state may run it at a time: the one that leads, by the runtime's
   * `leaderElection`. The others keep watching its inputs, and take over. Without an election the runtime counts as the
   * only one. Default: false.
   */
  readonly needsLeader?: boolean | undefined;

  run(context: ControllerContext): Promise<void> | void;

  /** Runs once after all controllers have ended. Its signal aborts at the end of the grace time. */
  shutdownHook?(context: JobContext): Promise<void> | void;
}
