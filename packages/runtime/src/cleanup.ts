import {
  type Kind,
  pointerKey,
  pointerText,
  sameKind,
  type TypedKind,
  type TypedPointer,
  type TypedResource,
} from '@cosi-ts/resource';
import type { CleanupHandler } from './cleanup-handler.js';
import { checkQueueController } from './controller-setup.js';
import { hold } from './hold.js';
import { mapped, primary } from './inputs.js';
import { LeavingInputs } from './leaving-inputs.js';
import type { Output } from './outputs.js';
import type { QueueController, ReconcileContext } from './queue-controller.js';
import { isSkip, type ReconcileResult } from './requeue.js';
import type { WriteLimitOptions } from './write-limit.js';

export interface CleanupOptions<I> {
  readonly name: string;
  /** `VMConfig.kind` */
  readonly input: TypedKind<I>;
  /** What is to be done before an input goes, in this order: each waits until the one before has nothing more to do. */
  readonly handlers: readonly CleanupHandler<NoInfer<I>>[];
  /** How many inputs at once. Default: 1. */
  readonly concurrency?: number | undefined;
  readonly reconcileDeadlineMs?: number | undefined;
  readonly writeLimit?: WriteLimitOptions | undefined;
  /** Whether only one of the runtimes that share a state may run it at a time. Default: false. */
  readonly needsLeader?: boolean | undefined;
  readonly shutdownHook?: QueueController['shutdownHook'];
}

/**
 * A queue controller that holds its finalizer on every input, and when one is torn down, lets it go only when handlers
 * have done what is to be done before: {@link removeOutputs}, {@link noOutputsLeft}, or some of your own. Throws a
 * `TypeError` that says what is wrong with the options.
 *
 * @example
 * runtime.register(
 *   cleanup({
 *     name: 'DiskCleanup',
 *     input: VMConfig.kind,
 *     handlers: [removeOutputs(Disk.kind, (vm) => ({ labels: [label('vm').is(vm.metadata.id)] }))],
 *   }),
 * );
 */
export function cleanup<I>(options: CleanupOptions<I>): QueueController<TypedPointer<I>> {
  checkOptions(options);
  const { name, input, handlers, shutdownHook } = options;
  const leaving = new LeavingInputs();
  const kinds = new Map(handlers.flatMap(({ inputs = [] }) => inputs.map((kind) => [pointerKey(kind), kind])));
  const waiting = [...kinds.values()].map((kind) =>
    mapped(kind, (changed) => leaving.concernedBy(changed).map((id) => input.declaration.at(id, input.namespace))),
  );
  const controller: QueueController<TypedPointer<I>> = {
    name,
    inputs: [primary(input), ...waiting],
    outputs: outputsOf(options),
    concurrency: options.concurrency,
    reconcileDeadlineMs: options.reconcileDeadlineMs,
    writeLimit: options.writeLimit,
    needsLeader: options.needsLeader,
    async reconcile(pointer, context) {
      const resource = await context.state.find(pointer);
      if (resource?.metadata.phase === 'tearingDown' && resource.metadata.finalizers.includes(name)) {
        return leave(handlers, resource, leaving, context);
      }
      leaving.forget(pointer.id);
      if (resource === undefined || resource.metadata.phase === 'tearingDown') return;
      if (!resource.metadata.finalizers.includes(name)) await hold(resource, context);
    },
    ...(shutdownHook === undefined ? {} : { shutdownHook }),
  };
  checkQueueController(controller as QueueController);
  return controller;
}

async function leave<I>(
  handlers: readonly CleanupHandler<I>[],
  input: TypedResource<I>,
  leaving: LeavingInputs,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  const { id } = input.metadata;
  leaving.look(id);
  for (const handler of handlers) {
    try {
      const result = await handler.run(input, context);
      if (result === undefined) continue;
      if ('requeueAfterMs' in result) return result;
      if (result.length === 0) continue;
      leaving.waitFor(id, result);
      context.logger.debug({ waitsFor: result.slice(0, 3).map(pointerText), count: result.length }, 'waits to go');
      return;
    } catch (error) {
      // The backoff decides when a failure is tried again, not whatever happens to the kinds that the handlers read.
      if (!isSkip(error)) leaving.waitFor(id, []);
      throw error;
    }
  }
  await context.state.removeFinalizer(input.metadata);
  leaving.forget(id);
}

/** Each type once: exclusive when all who write it say so. */
function outputsOf<I>({ name, handlers }: CleanupOptions<I>): Output[] {
  const outputs = new Map<string, Output>();
  for (const output of handlers.flatMap((handler) => handler.outputs ?? [])) {
    const known = outputs.get(output.type);
    if (known !== undefined && known.kind !== output.kind) {
      throw wrong(name, `handlers declare the output ${output.type} as exclusive and as shared`);
    }
    outputs.set(output.type, output);
  }
  return [...outputs.values()];
}

function checkOptions<I>({ name, input, handlers }: CleanupOptions<I>): void {
  if (handlers.length === 0) throw wrong(name, 'it has no handlers');
  for (const handler of handlers) {
    if (typeof handler.run !== 'function') throw wrong(name, 'a handler has no run function');
    if (handler.inputs?.some((kind: Kind) => sameKind(kind, input))) {
      throw wrong(name, `a handler reads ${pointerText(input)}, which is the input itself`);
    }
  }
}

function wrong(name: string, what: string): TypeError {
  return new TypeError(`cleanup ${JSON.stringify(name)}: ${what}`);
}
