import type { Attempt, ExecutionContext, Executor, Outcome, Recovery } from '../executors/executor.js';
import type { JsonObject } from '../json.js';

interface Held {
  readonly attempt: Attempt;
  readonly context: ExecutionContext;
  readonly settle: (outcome: Outcome) => void;
}

/** Attempts begin and end when the test says so. */
export class HeldExecutor implements Executor {
  readonly name: string;
  /** Every attempt that was begun: its id, and `#attempt` after the first. */
  readonly begun: string[] = [];
  readonly keys = new Map<string, Set<string>>();
  readonly open = new Map<string, Held>();
  readonly stops: string[] = [];
  /** Whether attempts end when they are asked to. */
  heedsSignals = true;
  /** What attempts come to that nobody holds; undefined: all are held. */
  answer: ((attempt: Attempt) => Outcome) | undefined;
  readonly recover?: (attempt: Attempt) => Promise<Recovery>;
  #waiters: (() => void)[] = [];

  constructor(name = 'function', recover?: (attempt: Attempt) => Promise<Recovery>) {
    this.name = name;
    if (recover !== undefined) this.recover = recover;
  }

  execute(attempt: Attempt, context: ExecutionContext): Promise<Outcome> {
    const label = attempt.attempt === 1 ? attempt.id : `${attempt.id}#${attempt.attempt}`;
    this.begun.push(label);
    const keys = this.keys.get(attempt.id) ?? new Set();
    keys.add(attempt.idempotencyKey);
    this.keys.set(attempt.id, keys);
    if (this.answer !== undefined) return Promise.resolve(this.answer(attempt));
    if (this.open.has(attempt.id)) throw new Error(`E13: ${attempt.id} executes already`);
    return new Promise((resolve) => {
      const settle = (outcome: Outcome) => {
        this.open.delete(attempt.id);
        resolve(outcome);
      };
      this.open.set(attempt.id, { attempt, context, settle });
      const onAbort = () => {
        const { reason } = context.signal.reason as { reason: 'cancelled' | 'timeout' | 'lost' };
        this.stops.push(`${label} ${reason}`);
        if (this.heedsSignals) settle({ state: 'failed', reason, message: 'was asked to end' });
        this.#changed();
      };
      if (context.signal.aborted) onAbort();
      else context.signal.addEventListener('abort', onAbort, { once: true });
      this.#changed();
    });
  }

  /** Lets go of what it holds, as one does whose processes go on. */
  async close(): Promise<void> {
    for (const { settle } of [...this.open.values()]) {
      settle({ state: 'failed', reason: 'error', message: 'the executor was closed' });
    }
  }

  succeed(id: string, outputs: JsonObject = {}): void {
    this.#held(id).settle({ state: 'succeeded', outputs });
  }

  fail(id: string, reason: 'exit' | 'error' | 'rejected' = 'exit'): void {
    this.#held(id).settle({ state: 'failed', reason, message: `failed with ${reason}` });
  }

  /** Resolves when so many attempts are held, or these are. */
  async until(ids: readonly string[] | number): Promise<void> {
    const isSo = () => (typeof ids === 'number' ? this.open.size >= ids : ids.every((id) => this.open.has(id)));
    while (!isSo()) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  #held(id: string): Held {
    const held = this.open.get(id);
    if (held === undefined) throw new Error(`${id} does not execute; ${[...this.open.keys()].join(', ')} do`);
    return held;
  }

  #changed(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter();
  }
}
