import { isNotFound } from '@cosi-ts/resource';
import type { Logger } from '@cosi-ts/runtime';
import { type State, systemClock } from '@cosi-ts/state';
import { listRuns, runView } from './http/run-view.js';
import { isFinal, RunStatus, WorkflowRun } from './resources/index.js';

/** What there is for clean-up steps, beside the time to end. */
const cleanUpMs = 2000;

/** Cancels every run that is not over, and waits for their ends: at most for the grace time and a moment. */
export async function endRuns(state: State, graceMs: number, logger: Logger): Promise<void> {
  const giveUp = new AbortController();
  const timer = systemClock.schedule(graceMs + cleanUpMs, () => giveUp.abort(new Error('the time is over')));
  const options = { signal: giveUp.signal };
  try {
    const open = (await listRuns(state, { nested: true }, options)).map(runView).filter((run) => !isFinal(run.state));
    if (open.length > 0) logger.info({ runs: open.length }, 'cancelling what runs, because nothing is kept');
    await Promise.all(
      open.map(async ({ id }) => {
        try {
          await state.teardown(WorkflowRun.at(id), options);
        } catch (error) {
          if (!isNotFound(error)) throw error;
          return;
        }
        await state.watchFor(
          RunStatus.at(id),
          { events: ['created', 'updated'], matches: ({ spec }) => isFinal(spec.state) },
          options,
        );
      }),
    );
  } catch (error) {
    if (!giveUp.signal.aborted) throw error;
    logger.warn({}, 'some runs have not ended in time: their processes are left to themselves');
  } finally {
    timer.cancel();
  }
}
