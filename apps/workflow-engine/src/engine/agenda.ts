import type { Execution } from './execution.js';
import { Timers } from './timers.js';

/** The executions of a run that are not over, and which of them are to be looked at, now or later. */
export class Agenda {
  readonly #open = new Set<Execution>();
  readonly #next = new Set<Execution>();
  readonly #timers = new Timers<Execution>();

  get open(): Iterable<Execution> {
    return this.#open;
  }

  /** When the next is due; undefined when there is none. */
  get nextMs(): number | undefined {
    return this.#timers.nextMs;
  }

  /** From now on until it is removed, the execution is one that is not over. */
  add(execution: Execution): void {
    this.#open.add(execution);
  }

  remove(execution: Execution): void {
    this.#open.delete(execution);
  }

  /** Nothing is to be looked at for it any more, but what it is due for. */
  forget(execution: Execution): void {
    this.#open.delete(execution);
    this.#next.delete(execution);
  }

  lookAt(execution: Execution): void {
    this.#next.add(execution);
  }

  lookAtAll(): void {
    for (const execution of this.#open) this.#next.add(execution);
  }

  wakeAt(ms: number, execution: Execution): void {
    this.#timers.add(ms, execution);
  }

  /** Takes one that is to be looked at now. */
  take(): Execution | undefined {
    for (const execution of this.#next) {
      this.#next.delete(execution);
      return execution;
    }
    return undefined;
  }

  /** Takes the one whose time came first. */
  takeDue(nowMs: number): Execution | undefined {
    return this.#timers.take(nowMs);
  }
}
