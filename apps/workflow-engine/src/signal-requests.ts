import { isAlreadyExists, isNotFound, type JsonValue, label } from '@cosi-ts/resource';
import type { CallOptions, State } from '@cosi-ts/state';
import { textOf } from './controllers/times.js';
import { find } from './resources/find.js';
import { Signal, StepResult, WorkflowRun } from './resources/index.js';
import { labels, signalId } from './resources/labels.js';

export interface SignalOptions extends CallOptions {
  readonly payload?: JsonValue | undefined;
  /** Who sends it. */
  readonly by?: string | undefined;
}

/** Sends signals to runs. Of those that go through it, the second of a name waits for the first to be sent. */
export class SignalRequests {
  readonly #state: State;
  readonly #sending = new Map<string, Promise<unknown>>();

  constructor(state: State) {
    this.#state = state;
  }

  /**
   * Sends a signal. It waits for a step that takes it; another one of its name can be sent as soon as one has. Rejects
   * with `not-found` when there is no such run, and with `already-exists` while one of that name waits to be taken: the
   * first counts, so that who sends one twice by mistake does not answer the next question, too.
   */
  async send(run: string, name: string, options: SignalOptions = {}): Promise<void> {
    const id = signalId(run, name);
    const before = this.#sending.get(id) ?? Promise.resolve();
    const sending = before.catch(() => undefined).then(() => this.#send(run, name, options));
    this.#sending.set(id, sending);
    try {
      await sending;
    } finally {
      if (this.#sending.get(id) === sending) this.#sending.delete(id);
    }
  }

  async #send(run: string, name: string, { payload, by = '', signal, context }: SignalOptions): Promise<void> {
    const call = { signal, context };
    await this.#state.get(WorkflowRun.at(run), call);
    const text = payload === undefined ? '' : JSON.stringify(payload);
    const made = Signal.new(signalId(run, name), { run, name, payload: text, by }, { labels: { [labels.run]: run } });
    try {
      await this.#state.create(made, call);
      return;
    } catch (error) {
      if (!isAlreadyExists(error) || !(await this.#isTaken(run, name, call))) throw error;
    }
    try {
      await this.#state.destroy(made.metadata, call);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    await this.#state.create(made, call);
  }

  /** Whether a step has taken the signal that there is. */
  async #isTaken(run: string, name: string, call: CallOptions): Promise<boolean> {
    const present = await find(this.#state, Signal.at(signalId(run, name)), call);
    if (present === undefined) return true;
    const results = await this.#state.list(StepResult.kind, { ...call, labels: [label(labels.run).is(run)] });
    const at = present.metadata.created.toString();
    return results.some(({ spec }) => spec.signal === name && textOf(spec.signalAt) === at);
  }
}
