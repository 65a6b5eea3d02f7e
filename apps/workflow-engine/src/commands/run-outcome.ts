import type { LineView } from '../http/log-routes.js';
import type { RunDetail, StepView } from '../http/run-detail.js';
import { type EngineClient, part } from './engine-client.js';
import { exitCodes } from './exit-codes.js';
import { markOf } from './step-line.js';
import { paint, paintState, type Terminal } from './terminal.js';
import { tookText } from './times.js';

export interface OutcomeOptions {
  readonly client: EngineClient;
  readonly terminal: Terminal;
  /** Whether the run is there afterwards. */
  readonly isKept: boolean;
}

/** So many lines of a log tell mostly why a step failed. */
const tailLines = 10;

/** Says how a run ended, what it gave, and where to look when something failed. Gives the exit code. */
export async function printOutcome(run: RunDetail, { client, terminal, isKept }: OutcomeOptions): Promise<number> {
  const { id, state, message, startedAt, endedAt, outputs } = run;
  const took = tookText(startedAt, endedAt, Date.now());
  const failed = state === 'succeeded' ? undefined : failedStep(run);
  if (failed?.execution?.hasLog === true) await printTail(run.id, failed, client, terminal);
  const line = `${markOf(state)} run ${id} ${state === 'cancelled' ? 'was cancelled' : state}${took === '' ? '' : ` after ${took}`}`;
  terminal.note(paintState(line, state, terminal));
  if (message !== '') terminal.note(`  ${message}`);
  if (failed !== undefined && isKept) {
    const where = whereToLook(id, failed);
    if (where !== undefined) terminal.note(where);
    terminal.note(`  retry:  workflow retry ${id}`);
  }
  if (state === 'succeeded' && outputs !== null && Object.keys(outputs as object).length > 0) {
    terminal.print(JSON.stringify(outputs, undefined, 2));
  }
  return exitCodeOf(state);
}

/** The step by which a run failed, or else one that did: a failure that is passed over makes no run fail. */
function failedStep({ message, steps }: RunDetail): StepView | undefined {
  const failed = steps.filter((step) => step.state === 'failed');
  return failed.find(({ step }) => message.startsWith(`the step ${step} failed`)) ?? failed[0];
}

/** Undefined: there is nothing more to be seen than the message. */
function whereToLook(run: string, { step, kind, executions, execution }: StepView): string | undefined {
  if (kind === 'workflow' && executions === 'one') return `  run:    workflow get run ${run}.${step}`;
  const { elsewhere } = execution ?? {};
  if (executions === 'one' && elsewhere) return `  log:    ${elsewhere.log} on ${elsewhere.host}`;
  const hasLogs = executions !== 'one' || execution?.hasLog === true;
  return hasLogs ? `  logs:   workflow logs ${run} ${step}` : undefined;
}

export function exitCodeOf(state: string): number {
  if (state === 'succeeded') return exitCodes.ok;
  return state === 'cancelled' ? exitCodes.cancelled : exitCodes.failed;
}

/** The end of the log of a step that failed. */
async function printTail(run: string, { step }: StepView, client: EngineClient, terminal: Terminal): Promise<void> {
  const path = `/runs/${part(run)}/steps/${part(step)}/log?tail=${tailLines}`;
  const { lines } = await client.get<{ lines: readonly LineView[] }>(path);
  for (const { text } of lines) terminal.note(paint(`  ${step} │ ${text}`, 'gray', terminal));
}
