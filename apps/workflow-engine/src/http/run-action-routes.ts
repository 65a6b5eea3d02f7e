import { type ApiRequest, Problem, type Route, route } from '@cosi-ts/app-kit';
import { isFinal, labels, WorkflowRun } from '../resources/index.js';
import type { WorkflowEngine } from '../workflow-engine.js';
import { type RunView, runParts, runView } from './run-view.js';

type Engine = Pick<WorkflowEngine, 'state' | 'cancel' | 'retry' | 'pause'>;

/** What can be asked of a run. Each answers at once with the run: what was asked is recorded, and the engine at work. */
export function runActionRoutes(engine: Engine): readonly Route[] {
  const { state } = engine;

  const action = (name: string, act: (view: RunView, signal: AbortSignal) => Promise<void>) =>
    route('POST', `/runs/:run/${name}`, async ({ params, signal }: ApiRequest) => {
      const id = params.run as string;
      await act(runView(await runParts(state, id, { signal })), signal);
      return { status: 202, body: runView(await runParts(state, id, { signal })) };
    });

  const remove = async ({ params, signal }: ApiRequest) => {
    const view = runView(await runParts(state, params.run as string, { signal }));
    if (!isFinal(view.state)) {
      throw new Problem(
        409,
        'run-state',
        `run ${view.id} is ${view.state}, and only a run that is over can be deleted`,
        {
          hint: `cancel it first: "workflow cancel ${view.id}", or POST /runs/${view.id}/cancel`,
        },
      );
    }
    if (view.parent !== '') {
      throw new Problem(409, 'nested-run', `run ${view.id} belongs to run ${view.parent}, and goes with it`, {
        hint: `delete the run that it belongs to: DELETE /runs/${view.parent}`,
      });
    }
    // From the mark on it is gone for everybody; the engine destroys what belongs to it.
    await state.updateWithConflicts(
      WorkflowRun.at(view.id),
      ({ metadata }) => {
        metadata.labels[labels.forgotten] = 'true';
        metadata.phase = 'tearingDown';
      },
      { expectedPhase: 'any', signal },
    );
    return { status: 202, body: view };
  };

  return [
    route('DELETE', '/runs/:run', remove),
    action('cancel', async (view, signal) => {
      if (view.state === 'cancelling') return;
      checkNotOver(view, 'be cancelled');
      await engine.cancel(view.id, { signal });
    }),
    action('retry', async (view, signal) => {
      if (view.state === 'failed' || view.state === 'cancelled') return engine.retry(view.id, { signal });
      const isOver = view.state === 'succeeded';
      throw new Problem(
        409,
        'run-state',
        `run ${view.id} ${isOver ? 'has succeeded' : `is ${view.state}`}: only what failed or was cancelled is retried`,
        {
          hint: isOver ? 'start a new run of the workflow' : 'wait for its end, or cancel it first',
        },
      );
    }),
    action('pause', async (view, signal) => {
      checkCanPause(view, 'be paused');
      await engine.pause(view.id, true, { signal });
    }),
    action('resume', async (view, signal) => {
      checkCanPause(view, 'be resumed');
      await engine.pause(view.id, false, { signal });
    }),
  ];
}

function checkNotOver({ id, state }: RunView, what: string): void {
  if (!isFinal(state)) return;
  throw new Problem(
    409,
    'run-over',
    `run ${id} has ${state === 'cancelled' ? 'been cancelled' : state}, and cannot ${what}`,
    {
      hint: state === 'succeeded' ? 'start a new run of the workflow' : 'a retry executes again what did not succeed',
    },
  );
}

function checkCanPause(view: RunView, what: string): void {
  checkNotOver(view, what);
  if (view.state !== 'cancelling') return;
  throw new Problem(409, 'run-state', `run ${view.id} is being cancelled, and cannot ${what}`, {
    hint: 'wait for its end; a retry executes again what did not succeed',
  });
}
