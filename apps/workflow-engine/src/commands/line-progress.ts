import type { ExecutionView } from '../http/execution-view.js';
import type { RunView } from '../http/run-view.js';
import type { RunWatcher } from './run-following.js';
import { stepText, waitsForWorker } from './step-line.js';
import type { Terminal } from './terminal.js';

/** So often a step with many executions gets a line while it stays in its state. */
const countsIntervalMs = 2000;

/** Tells of a run in lines, one for each change: for logs and files, and terminals that cannot draw. */
export class LineProgress implements RunWatcher {
  readonly #terminal: Terminal;
  readonly #now: () => number;
  readonly #executions = new Map<string, ExecutionView>();
  /** Steps with items or rounds. */
  readonly #manifold = new Set<string>();
  readonly #told = new Map<string, { readonly text: string; readonly state: string; readonly ms: number }>();
  #run: RunView | undefined;
  #runState = '';

  constructor(terminal: Terminal, now: () => number = Date.now) {
    this.#terminal = terminal;
    this.#now = now;
  }

  onRun(run: RunView): void {
    this.#run = run;
    this.#tellRun();
    this.#tell();
  }

  onExecutions(executions: readonly ExecutionView[]): void {
    for (const execution of executions) {
      if (execution.index < 0) this.#executions.set(execution.step, execution);
      else this.#manifold.add(execution.step);
    }
    this.#tell();
  }

  onGap(isGone: boolean): void {
    this.#terminal.note(isGone ? 'the engine has gone: waiting for it' : 'the engine is back');
  }

  end(): void {
    this.#tell(true);
  }

  #tellRun(): void {
    const { state = '', message = '' } = this.#run ?? {};
    if (state === this.#runState) return;
    this.#runState = state;
    if (state === 'queued' || state === 'paused' || state === 'cancelling') {
      this.#terminal.note(`run ${this.#run?.id} is ${state}${message === '' ? '' : `: ${message}`}`);
    }
  }

  /** @param isEnd nothing more comes: what is not known now never will be */
  #tell(isEnd = false): void {
    const nowMs = this.#now();
    let isHeldUp = false;
    for (const summary of this.#run?.steps ?? []) {
      const { step, state, total } = summary;
      if (state === 'pending') continue;
      const told = this.#told.get(step);
      const execution = this.#executions.get(step);
      const isCurrent = execution === undefined || execution.state === state || waitsForWorker(execution);
      // What is known of the execution comes after the state of the step, and may be older than it.
      const isUnknown =
        execution === undefined
          ? total === 1 && state !== 'skipped' && !this.#manifold.has(step)
          : total <= 1 && !isCurrent;
      if (isUnknown) isHeldUp = true;
      // What was skipped is told after the step because of which it was.
      if (!isEnd && (isUnknown || (isHeldUp && state === 'skipped'))) continue;
      const text = stepText({ summary, execution: isCurrent ? execution : undefined }, nowMs);
      const key = total > 1 ? text : `${state} ${execution?.attempt ?? 0} ${execution?.waitingFor ?? ''}`;
      if (told?.text === key) continue;
      const isSoon = told?.state === state && total > 1 && nowMs - told.ms < countsIntervalMs;
      if (isSoon) continue;
      this.#told.set(step, { text: key, state, ms: nowMs });
      this.#terminal.note(`${step}: ${text}`);
    }
  }
}
