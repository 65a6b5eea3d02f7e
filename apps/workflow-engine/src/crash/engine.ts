/**
 * The engine on durable data, to be asked and killed. Arguments: the folder of data, the file for effects, and `idle` for
 * the data alone: requests are kept then, and nothing is done about them.
 */
import { openData, openLogger } from '@cosi-ts/app-kit';
import { answerQuestions } from '@cosi-ts/harness';
import { isAlreadyExists, isInvalidArgument, isNotFound, isPhaseConflict } from '@cosi-ts/resource';
import { systemClock as clock, systemRandom as random } from '@cosi-ts/state';
import { runControllerName } from '../controllers/run-controller.js';
import { FunctionExecutor } from '../executors/function/function-executor.js';
import { RunExecutor } from '../executors/run/run-executor.js';
import { StepResult, StepRun, Workflow, WorkflowRun } from '../resources/index.js';
import { RunRequests } from '../run-requests.js';
import { workflowData } from '../workflow-data.js';
import { WorkflowEngine } from '../workflow-engine.js';
import { notedWork } from './functions.js';
import { statusesOf, stepResultView, stepRunView } from './snapshot.js';

const [, , folder = '', effects = '', mode = ''] = process.argv;
const logger = openLogger({ level: 'warn', format: 'json' }, process.stderr);
const { state } = await openData(workflowData, { folder }, { clock, random, logger });
const requests = new RunRequests(state, { random, keeping: runControllerName });

if (mode !== 'idle') {
  await WorkflowEngine.start({
    state,
    executors: [
      new RunExecutor(folder, { clock, logger }),
      new FunctionExecutor(folder, [notedWork(effects)], { clock, logger }),
    ],
    logger,
    graceMs: 1000,
    retention: { count: Number.POSITIVE_INFINITY },
    hostProcess: process,
  });
}

/** What was asked already has happened, or can happen no more: an answer was lost, or came late. */
async function atMostOnce(request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    const isKnown = [isAlreadyExists, isPhaseConflict, isNotFound, isInvalidArgument].some((is) => is(error));
    if (!isKnown) throw error;
  }
}

answerQuestions(
  {
    define: ({ name, source }: { name: string; source: string }) =>
      atMostOnce(state.create(Workflow.new(name, { source }))),
    start: ({ id, workflow, n }: { id: string; workflow: string; n: number }) =>
      atMostOnce(requests.start(workflow, { id, inputs: { n } })),
    signal: ({ id, name, payload }: { id: string; name: string; payload: { approved: boolean; by: string } }) =>
      atMostOnce(requests.signal(id, name, { payload })),
    retry: ({ id }: { id: string }) => atMostOnce(requests.retry(id)),
    cancel: ({ id }: { id: string }) => atMostOnce(requests.cancel(id)),
    pause: ({ id, paused }: { id: string; paused: boolean }) => atMostOnce(requests.pause(id, paused)),
    statuses: () => statusesOf(state),
    snapshot: async () => ({
      runs: (await state.list(WorkflowRun.kind)).map(({ metadata }) => metadata.id),
      statuses: await statusesOf(state),
      executions: (await state.list(StepRun.kind)).map(stepRunView),
      results: (await state.list(StepResult.kind)).map(stepResultView),
    }),
  },
  { pid: process.pid },
);
