import type { Pointer, TypedDraft, TypedKind, TypedPointer, TypedResource } from '@cosi-ts/resource';
import type { MappedInput } from './inputs.js';
import type { InputMetadata } from './mappers.js';
import type { Output } from './outputs.js';
import type { QueueController, ReconcileContext } from './queue-controller.js';
import type { ReconcileResult } from './requeue.js';

/** Returned by a transform when its output is not to be: it is torn down, and destroyed when nothing holds it. */
export declare const destroyOutput: unique symbol;

export type TransformResult = ReconcileResult | typeof destroyOutput;

export interface QTransformOptions<I, O> {
  readonly name: string;
  /** `VMConfig.kind` */
  readonly input: TypedKind<I>;
  /** `NetworkConfig.kind` */
  readonly output: TypedKind<O>;

  /**
   * The output of an input; undefined when it is to have none. Must depend on nothing that can change during the
   * input's life. Default: the same id.
   */
  readonly map?: ((input: TypedResource<I>) => TypedPointer<O> | undefined) | undefined;
  /** The input of an output: the reverse of `map`, and needed when that is given. Default: the same id. */
  readonly unmap?: ((output: InputMetadata) => Pointer | undefined) | undefined;

  /**
   * Makes of the draft what the output is to be. The draft is of the present output, or empty when there is none; it may
   * be called several times when someone else writes. Returning (or throwing) a requeue keeps the change; a
   * {@link SkipError} drops it; {@link destroyOutput} takes the output away.
   */
  readonly transform: (
    draft: TypedDraft<O>,
    input: TypedResource<I>,
    context: ReconcileContext,
  ) => TransformResult | Promise<TransformResult>;

  /**
   * Runs when the input is torn down, before the output is; the input goes on only when it has returned nothing. May run
   * several times.
   */
  readonly finalizerRemoval?:
    | ((input: TypedResource<I>, context: ReconcileContext) => ReconcileResult | Promise<ReconcileResult>)
    | undefined;

  /** More inputs, each with a mapper; no two of one kind. Default: none. */
  readonly extraInputs?: readonly MappedInput[] | undefined;
  /** More types that the functions write. Default: none. */
  readonly extraOutputs?: readonly Output[] | undefined;
  /** Default: exclusive. */
  readonly outputKind?: Output['kind'] | undefined;
  /** How many inputs at once. Default: 1. */
  readonly concurrency?: number | undefined;
  readonly reconcileDeadlineMs?: number | undefined;

  /** An input that is torn down counts as running until only these finalizers, and the controller's own, are left on it. */
  readonly ignoreTeardownUntil?: readonly string[] | undefined;
  /** An input that is torn down counts as running while one of these finalizers is on it. */
  readonly ignoreTeardownWhile?: readonly string[] | undefined;

  readonly runHook?: QueueController['runHook'];
  readonly shutdownHook?: QueueController['shutdownHook'];
}

/**
 * A queue controller that makes one output, which it owns, of each input. It holds a finalizer with its name on every
 * input that has an output, so that the output goes before the input does.
 *
 * An output that is tearing down belongs to an earlier life of its input: it is destroyed, once the finalizers of others
 * are gone from it, before a new one is made.
 *
 * @example
 * runtime.register(
 *   qtransform({
 *     name: 'NetworkController',
 *     input: VMConfig.kind,
 *     output: NetworkConfig.kind,
 *     transform(draft, vm) {
 *       draft.spec.mac = macOf(vm.metadata.id);
 *     },
 *   }),
 * );
 */
export declare function qtransform<I, O>(options: QTransformOptions<I, O>): QueueController<TypedPointer<I>>;
