import type { RunDetail } from '../http/run-detail.js';
import { exitCodes } from './exit-codes.js';
import { markOf } from './step-line.js';
import { paintState, type Terminal } from './terminal.js';
import { tookText } from './times.js';

/** Says how a run ended, what it gave, and where to look when something failed. */
export function printOutcome(run: RunDetail, terminal: Terminal, options: { readonly isKept: boolean }): number {
  const { id, state, message, startedAt, endedAt, outputs } = run;
  const took = tookText(startedAt, endedAt, Date.now());
  const line = `${markOf(state)} run ${id} ${state === 'cancelled' ? 'was cancelled' : state}${took === '' ? '' : ` after ${took}`}`;
  terminal.note(paintState(line, state, terminal));
  if (message !== '') terminal.note(`  ${message}`);
  const failed = run.steps.filter((step) => step.state === 'failed');
  if (failed.length > 0 && options.isKept) {
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
