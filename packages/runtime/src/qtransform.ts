import {
  type Pointer,
  pointerText,
  sameKind,
  type TypedDraft,
  type TypedKind,
  type TypedPointer,
  type TypedResource,
} from '@cosi-ts/resource';
import { checkQueueController } from './controller-setup.js';
import { hold } from './hold.js';
import { type MappedInput, mappedDestroyReady, primary } from './inputs.js';
import type { InputMetadata } from './mappers.js';
import { exclusive, type Output, shared } from './outputs.js';
import type { QueueController, ReconcileContext } from './queue-controller.js';
import { type ReconcileResult, SkipError } from './requeue.js';
import { mappedOutput, type TransformResult, writeOutput } from './transform-output.js';
import type { WriteLimitOptions } from './write-limit.js';

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
  readonly writeLimit?: WriteLimitOptions | undefined;
  /** Whether only one of the runtimes that share a state may run it at a time. Default: false. */
  readonly needsLeader?: boolean | undefined;

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
 * are gone from it, before a new one is made. Throws a `TypeError` that says what is wrong with the options.
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
export function qtransform<I, O>(options: QTransformOptions<I, O>): QueueController<TypedPointer<I>> {
  checkOptions(options);
  const { input, output, unmap, extraInputs = [], extraOutputs = [], runHook, shutdownHook } = options;
  const inputOf = unmap ?? ((metadata: InputMetadata) => input.declaration.at(metadata.id, input.namespace));
  const controller: QueueController<TypedPointer<I>> = {
    name: options.name,
    inputs: [primary(input), mappedDestroyReady(output, inputOf), ...extraInputs],
    outputs: [options.outputKind === 'shared' ? shared(output) : exclusive(output), ...extraOutputs],
    concurrency: options.concurrency,
    reconcileDeadlineMs: options.reconcileDeadlineMs,
    writeLimit: options.writeLimit,
    needsLeader: options.needsLeader,
    async reconcile(pointer, context) {
      const resource = await context.state.find(pointer);
      if (resource === undefined) return;
      const { phase, finalizers } = resource.metadata;
      if (phase === 'running') return keep(options, resource, context);
      // Without the finalizer there never was an output, or it is gone.
      if (!finalizers.includes(options.name)) return;
      return ignoresTeardown(options, finalizers)
        ? keep(options, resource, context)
        : leave(options, resource, context);
    },
    ...(runHook === undefined ? {} : { runHook }),
    ...(shutdownHook === undefined ? {} : { shutdownHook }),
  };
  checkQueueController(controller as QueueController);
  return controller;
}

/** Makes the output what it is to be. */
async function keep<I, O>(
  options: QTransformOptions<I, O>,
  input: TypedResource<I>,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  const output = mappedOutput(options, input);
  if (output === undefined) throw new SkipError('it maps to no output', { subject: input.metadata });
  const isNew = !input.metadata.finalizers.includes(options.name);
  const held = isNew ? await hold(input, context) : input;
  if (held === undefined) return;
  const transform = (draft: TypedDraft<O>) => options.transform(draft, held, context);
  return writeOutput(output, transform, context.state, isNew ? 'absent' : undefined);
}

/** Takes the output away, and lets go of the input when it is gone. */
async function leave<I, O>(
  options: QTransformOptions<I, O>,
  input: TypedResource<I>,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  const { state, logger } = context;
  const result = await options.finalizerRemoval?.(input, context);
  if (result !== undefined) return result;
  const pointer = mappedOutput(options, input);
  const output = pointer === undefined ? undefined : await state.find(pointer);
  if (output !== undefined && output.metadata.owner === options.name) {
    // When its last finalizer goes, it is destroy-ready, which brings us here again.
    if (!(await state.destroyIfReady(output.metadata))) return;
  } else if (output !== undefined) {
    const facts = { output: pointerText(output.metadata), owner: output.metadata.owner };
    logger.warn(facts, 'the output of an input that goes is owned by someone else: left alone');
  }
  await state.removeFinalizer(input.metadata);
}

function ignoresTeardown<I, O>(options: QTransformOptions<I, O>, finalizers: readonly string[]): boolean {
  const { name, ignoreTeardownUntil, ignoreTeardownWhile = [] } = options;
  if (finalizers.some((finalizer) => ignoreTeardownWhile.includes(finalizer))) return true;
  if (ignoreTeardownUntil === undefined) return false;
  return finalizers.some((finalizer) => finalizer !== name && !ignoreTeardownUntil.includes(finalizer));
}

function checkOptions<I, O>(options: QTransformOptions<I, O>): void {
  const { name, input, output, map, unmap, extraInputs = [] } = options;
  const wrong = (what: string) => new TypeError(`qtransform ${JSON.stringify(name)}: ${what}`);
  if (typeof options.transform !== 'function') throw wrong('it has no transform function');
  if (map !== undefined && unmap === undefined) throw wrong('map needs its reverse, unmap');
  if (sameKind(input, output)) throw wrong('input and output are of the same kind');
  for (const [i, extra] of extraInputs.entries()) {
    const kind = pointerText({ namespace: extra.of.namespace, type: extra.of.type });
    if (extra.mapper === undefined) throw wrong(`the extra input ${kind} needs a mapper, or noItems`);
    const others = [input, output, ...extraInputs.slice(0, i).map((other) => other.of)];
    if (others.some((other) => sameKind(other, extra.of))) throw wrong(`there are two mappers for ${kind}`);
  }
}
