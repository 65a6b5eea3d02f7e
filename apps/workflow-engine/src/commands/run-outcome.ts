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
  const failed = run.steps.filter((step) => step.state === 'failed');
  const first = failed.find(({ execution }) => execution?.hasLog === true);
  if (first !== undefined) await printTail(run.id, first, client, terminal);
  const line = `${markOf(state)} run ${id} ${state === 'cancelled' ? 'was cancelled' : state}${took === '' ? '' : ` after ${took}`}`;
  terminal.note(paintState(line, state, terminal));
  if (message !== '') terminal.note(`  ${message}`);
  if (failed.length > 0 && isKept) {
    terminal.note(`  logs:   workflow logs ${id} ${failed[0]?.step ?? ''}`);
    terminal.note(`  retry:  workflow retry ${id}`);
  }
  if (state === 'succeeded' && outputs !== null && Object.keys(outputs as object).length > 0) {
    terminal.print(JSON.stringify(outputs, undefined, 2));
  }
  return exitCodeOf(state);
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
