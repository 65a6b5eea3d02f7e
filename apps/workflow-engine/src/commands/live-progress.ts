import type { ExecutionView } from '../http/execution-view.js';
import type { RunView, StepSummaryView } from '../http/run-view.js';
import { isFinal } from '../resources/states.js';
import type { RunWatcher } from './run-following.js';
import { markOf, stepText, waitsForWorker } from './step-line.js';
import { cut } from './table.js';
import { paint, paintState, type Terminal } from './terminal.js';
import { tookText } from './times.js';

const redrawMs = 200;
const spinner = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const barWidth = 20;

/** Draws a run in the terminal, over and over in the same lines: one for the run, one for each step. */
export class LiveProgress implements RunWatcher {
  readonly #terminal: Terminal;
  readonly #now: () => number;
  readonly #executions = new Map<string, ExecutionView>();
  readonly #timer: NodeJS.Timeout;
  #run: RunView | undefined;
  #isGone = false;
  #drawn = 0;
  #frame = 0;

  constructor(terminal: Terminal, now: () => number = Date.now) {
    this.#terminal = terminal;
    this.#now = now;
    this.#timer = setInterval(() => this.#draw(), redrawMs);
  }

  onRun(run: RunView): void {
    this.#run = run;
    if (this.#drawn === 0) this.#draw();
  }

  onExecutions(executions: readonly ExecutionView[]): void {
    for (const execution of executions) if (execution.index < 0) this.#executions.set(execution.step, execution);
  }

  onGap(isGone: boolean): void {
    this.#isGone = isGone;
  }

  end(): void {
    clearInterval(this.#timer);
    this.#draw();
  }

  /** The lines, as they are drawn. */
  lines(): readonly string[] {
    const run = this.#run;
    if (run === undefined) return [];
    const { columns, rows } = this.#terminal;
    const nowMs = this.#now();
    const turning = isFinal(run.state) ? markOf(run.state) : (spinner[this.#frame % spinner.length] ?? '');
    const gone = this.#isGone ? ', and the engine has gone: waiting for it' : '';
    const took = tookText(run.startedAt, run.endedAt, nowMs);
    const head = `${turning} ${run.id}  ${run.state}${took === '' ? '' : ` ${took}`}${run.message === '' ? '' : `: ${run.message}`}${gone}`;
    const { steps, hidden } = fitting(run.steps, Math.max(1, rows - 3));
    const width = Math.min(40, Math.max(0, ...steps.map(({ step }) => step.length)));
    return [
      paint(cut(head, columns - 1), 'bold', this.#terminal),
      ...steps.map((summary) => this.#stepLine(summary, width, nowMs)),
      ...(hidden === 0 ? [] : [paint(`  … and ${hidden} more steps`, 'gray', this.#terminal)]),
    ];
  }

  #stepLine(summary: StepSummaryView, width: number, nowMs: number): string {
    const { step, state, total, succeeded, failed, dropped } = summary;
    const execution = this.#executions.get(step);
    const isCurrent = execution !== undefined && (execution.state === state || waitsForWorker(execution));
    const text = stepText({ summary, execution: isCurrent ? execution : undefined }, nowMs);
    const bar = total > 1 ? `${barOf(succeeded + failed + dropped, total)} ` : '';
    const line = `  ${markOf(state)} ${step.padEnd(width)}  ${bar}${text}`;
    return paintState(cut(line, this.#terminal.columns - 1), state, this.#terminal);
  }

  #draw(): void {
    const lines = this.lines();
    if (lines.length === 0) return;
    this.#frame++;
    const up = this.#drawn === 0 ? '' : `\u001b[${this.#drawn}A`;
    // Each line is cleared to its end, and what was drawn below it the last time.
    this.#terminal.write(`${up}${lines.map((line) => `\r${line}\u001b[K\n`).join('')}\u001b[J`);
    this.#drawn = lines.length;
  }
}

/** As many steps as there is room for: those that are over and well go first. */
function fitting(steps: readonly StepSummaryView[], room: number) {
  if (steps.length <= room) return { steps, hidden: 0 };
  const weight = ({ state }: StepSummaryView) =>
    ['failed', 'waiting', 'running', 'cancelled', 'pending', 'succeeded', 'skipped'].indexOf(state);
  const kept = new Set([...steps].sort((a, b) => weight(a) - weight(b)).slice(0, room - 1));
  return { steps: steps.filter((step) => kept.has(step)), hidden: steps.length - kept.size };
}

function barOf(over: number, total: number): string {
  const filled = Math.floor((over / total) * barWidth);
  return `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`;
}
