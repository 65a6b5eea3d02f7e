import type { Metadata, TypedDraft, TypedPointer, TypedResource } from '@cosi-ts/resource';
import type { ControllerContext } from './controller.js';
import { inTurns } from './in-turns.js';
import { InputContext } from './input-context.js';
import { isRequeue, isSkip, type ReconcileResult } from './requeue.js';
import { type FailedInput, FailedInputsError } from './runtime-errors.js';
import { holdInput } from './scoped-state.js';
import { errorOf } from './thrown.js';
import type { TransformOptions } from './transform.js';
import { mappedOutput, writeOutput } from './transform-output.js';

/** One look of a transform at all its inputs: their outputs are made first, then those that are not to be go. */
export class TransformPass<I, O> {
  readonly #options: TransformOptions<I, O>;
  readonly #counts: (input: Metadata) => boolean;
  readonly #context: ControllerContext;
  readonly #failures: FailedInput[] = [];
  /** The controller's outputs when the look began, by id. */
  #outputs: ReadonlyMap<string, TypedResource<O>> = new Map();
  /** Ids of the outputs that are to stay. */
  readonly #kept = new Set<string>();
  /** Ids of those that were dealt with. */
  readonly #written = new Set<string>();
  /** Inputs that are to be let go when their outputs are gone. */
  readonly #leaving: { readonly input: Metadata; readonly output: string | undefined }[] = [];
  /** Ids of the outputs that go before those inputs. */
  readonly #going = new Set<string>();
  /** Ids of the outputs that are still there although they are to go. */
  readonly #left = new Set<string>();
  /** False when an input's output is unknown: then any output might be it. */
  #allMapped = true;

  /** @param counts whether an input matches the query */
  constructor(options: TransformOptions<I, O>, counts: (input: Metadata) => boolean, context: ControllerContext) {
    this.#options = options;
    this.#counts = counts;
    this.#context = context;
  }

  /** Throws a {@link FailedInputsError} for the inputs and outputs that failed, after all have been dealt with. */
  async run(): Promise<void> {
    const { name, input, output, inputQuery } = this.#options;
    const { state, signal } = this.#context;
    // Who holds inputs must also see those that match no more.
    const inputs = await state.list(input, this.#holds ? {} : inputQuery);
    const own = (await state.list(output)).filter(({ metadata }) => metadata.owner === name);
    this.#outputs = new Map(own.map((each) => [each.metadata.id, each]));
    await inTurns(inputs, signal, (each) => this.#try(each.metadata, () => this.#take(each)));
    for (const { output: id } of this.#leaving) if (id !== undefined) this.#going.add(id);
    await inTurns(own, signal, ({ metadata }) => this.#try(metadata, () => this.#tidy(metadata)));
    await inTurns(this.#leaving, signal, ({ input: metadata, output: id }) =>
      this.#try(metadata, async () => {
        if (id === undefined || !this.#left.has(id)) await state.removeFinalizer(metadata);
      }),
    );
    if (this.#failures.length > 0) throw new FailedInputsError(name, this.#failures);
  }

  /** Whether it holds its inputs by its finalizer. */
  get #holds(): boolean {
    return this.#options.inputFinalizers === true;
  }

  async #take(input: TypedResource<I>): Promise<void> {
    const { phase, finalizers } = input.metadata;
    const tearsDown = phase === 'tearingDown' && this.#options.ignoreTearingDownInputs !== true;
    if (!tearsDown && this.#counts(input.metadata)) await this.#keep(input);
    else if (this.#holds && finalizers.includes(this.#options.name)) await this.#leave(input);
  }

  async #keep(input: TypedResource<I>): Promise<void> {
    const { state } = this.#context;
    const output = this.#outputOf(input);
    if (output === undefined) return;
    this.#kept.add(output.id);
    const held = await this.#held(input);
    // It went after it was listed: another event tells.
    if (held === undefined) return;
    this.#written.add(output.id);
    const context = new InputContext(this.#context, input.metadata);
    const transform = (draft: TypedDraft<O>) => this.#options.transform(draft, held, context);
    const last = this.#outputs.get(output.id) ?? 'absent';
    this.#lookAgain(await writeOutput(output, transform, state, last));
  }

  async #held(input: TypedResource<I>): Promise<TypedResource<I> | undefined> {
    if (!this.#holds || input.metadata.finalizers.includes(this.#options.name)) return input;
    return holdInput(this.#context.state, input);
  }

  async #leave(input: TypedResource<I>): Promise<void> {
    const output = this.#outputOf(input);
    let isDone = false;
    try {
      const context = new InputContext(this.#context, input.metadata);
      const result = await this.#options.finalizerRemoval?.(input, context);
      this.#lookAgain(result);
      isDone = result === undefined;
    } finally {
      if (isDone) this.#leaving.push({ input: input.metadata, output: output?.id });
      else if (output !== undefined) this.#kept.add(output.id);
    }
  }

  /** Takes an output away that is not to be, and, whatever is to be, one of an earlier life. */
  async #tidy(output: Metadata): Promise<void> {
    const { id, phase } = output;
    const stays = this.#kept.has(id) || (!this.#allMapped && !this.#going.has(id));
    // What became of one that was tearing down is decided where it was written.
    if (stays && (phase === 'running' || this.#written.has(id))) return;
    if (!stays) this.#left.add(id);
    if (await this.#context.state.destroyIfReady(output)) this.#left.delete(id);
  }

  #outputOf(input: TypedResource<I>): TypedPointer<O> | undefined {
    try {
      return mappedOutput(this.#options, input);
    } catch (error) {
      this.#allMapped = false;
      throw error;
    }
  }

  #lookAgain(result: ReconcileResult): void {
    if (result !== undefined) this.#context.queueReconcile(result.requeueAfterMs);
  }

  /** What fails is noted, and the others go on. */
  async #try(resource: Metadata, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      this.#context.signal.throwIfAborted();
      this.#note(resource, errorOf(thrown));
    }
  }

  #note(resource: Metadata, error: Error): void {
    const { logger } = new InputContext(this.#context, resource);
    if (isSkip(error)) {
      logger.debug({ reason: error.message }, 'skipped');
      return;
    }
    let err = error;
    if (isRequeue(error)) {
      this.#lookAgain(error);
      if (error.cause === undefined) return;
      err = errorOf(error.cause);
    }
    const { namespace, type, id } = resource;
    this.#failures.push(Object.freeze({ resource: Object.freeze({ namespace, type, id }), error: err }));
    logger.error({ err }, 'failed');
  }
}
