import type { Pointer } from '@cosi-ts/resource';
import type { QueueInput } from './inputs.js';
import type { JobContext } from './job-context.js';
import type { InputMetadata, MapResult } from './mappers.js';
import type { Output } from './outputs.js';
import type { PartContext } from './part-registry.js';
import type { ReconcileResult } from './requeue.js';
import type { WriteLimitOptions } from './write-limit.js';

export interface ReconcileContext extends JobContext {
  /** 1, and one more for each failure in a row of this item. */
  readonly attempt: number;
}

export interface HookContext extends JobContext, PartContext {
  /** Has a primary item reconciled. Any number of calls before it is begun become one. False when the controller has ended. */
  queue(pointer: Pointer): boolean;
  /** See {@link QueueControllerHandle.replaceInputs}. */
  replaceInputs(inputs: readonly QueueInput[]): Promise<void>;
  /** The next failure of the hook is followed by the shortest delay again. */
  resetRestartBackoff(): void;
}

/**
 * A controller that is called for one item at a time: take it when each resource of a kind can be brought to what is
 * wanted by itself. The runtime keeps a queue of items, each in it at most once and never in two workers at once; a
 * change during the work on an item has it worked on once more.
 *
 * `reconcile` compares what is wanted with what is there and acts on the difference. It is called for every item at the
 * start, whenever the item changes, and again whenever it asked for it or failed, so it must bear being called at any
 * time, and must not depend on having seen every change.
 *
 * @typeParam P the pointer that `reconcile` is given: with `primary(VMConfig.kind)` it is a `TypedPointer`
 *
 * @example
 * const controller: QueueController = {
 *   name: 'VMController',
 *   inputs: [primary(VMConfig.kind)],
 *   outputs: [exclusive(VMStatus)],
 *   async reconcile({ id }, { state }) {
 *     const vm = await state.find(VMConfig.at(id));
 *     if (vm === undefined) return;
 *     await state.modify(VMStatus.at(id), (draft) => { draft.spec.cpus = vm.spec.cpus; });
 *   },
 * };
 */
export interface QueueController<P extends Pointer = Pointer> {
  /** Unique in the runtime. It owns what the controller writes, and is the name of its finalizer. */
  readonly name: string;
  /** At least one of them primary; no two with the same namespace, type and id. */
  readonly inputs: readonly QueueInput<P>[];
  /** The types that the controller writes. Default: none. */
  readonly outputs?: readonly Output[] | undefined;
  /** How many items are worked on at once. Default: 1. */
  readonly concurrency?: number | undefined;
  /**
   * How long one call may take: then its signal aborts, the item counts as timed out and goes to backoff, and others go
   * on. Default: that of the runtime.
   */
  readonly reconcileDeadlineMs?: number | undefined;
  /** How fast it may write. Default: that of the runtime. */
  readonly writeLimit?: WriteLimitOptions | undefined;
  /**
   * Whether only one of the runtimes that share a state may run it at a time: the one that leads, by the runtime's
   * `leaderElection`. The others keep watching its inputs, and take over. Without an election the runtime counts as the
   * only one. Default: false.
   */
  readonly needsLeader?: boolean | undefined;

  /**
   * Brings one primary item to what is wanted. It may be absent, and tearing down.
   *
   * Returning ends the work on the item, or with {@link requeueAfter} until later. Throwing, conflicts included, has it
   * called again after a backoff that grows with each failure; {@link RequeueError} and {@link SkipError} say otherwise.
   */
  reconcile(pointer: P, context: ReconcileContext): Promise<ReconcileResult> | ReconcileResult;

  /** Which primary items a change of a mapped input concerns. Needed when a mapped input comes without a mapper. */
  mapInput?(metadata: InputMetadata, context: JobContext): MapResult | Promise<MapResult>;

  /** Runs beside the workers while the runtime runs; restarted after a backoff when it throws. May return. */
  runHook?(context: HookContext): Promise<void> | void;

  /** Runs once after all controllers have ended. Its signal aborts at the end of the grace time. */
  shutdownHook?(context: JobContext): Promise<void> | void;
}
