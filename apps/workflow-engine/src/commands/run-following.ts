import type { ExecutionView } from '../http/execution-view.js';
import type { RunDetail } from '../http/run-detail.js';
import type { RunView } from '../http/run-view.js';
import { isFinal } from '../resources/states.js';
import { type EngineClient, part } from './engine-client.js';

/** Who shows how a run goes. */
export interface RunWatcher {
  /** The run has changed. */
  onRun(run: RunView): void;
  /** Executions have changed: of steps with items the newest few only. */
  onExecutions(executions: readonly ExecutionView[]): void;
  /** The engine has gone, or is back. */
  onGap(isGone: boolean): void;
  /** Nothing more is told. */
  end(): void;
}

interface Changes<T> {
  readonly changed: readonly T[];
  readonly gone: readonly string[];
}

/** Follows a run to its end, and gives it in full. Rejects with the signal's reason. */
export async function followRun(
  client: EngineClient,
  id: string,
  watcher: RunWatcher,
  signal: AbortSignal,
): Promise<RunDetail> {
  try {
    await untilOver(client, id, watcher, signal);
    const run = await client.get<RunDetail>(`/runs/${part(id)}`);
    // The run was told to be over, and maybe not yet how its last steps had ended.
    watcher.onExecutions(run.steps.flatMap(({ execution }) => execution ?? []));
    return run;
  } finally {
    watcher.end();
  }
}

async function untilOver(client: EngineClient, id: string, watcher: RunWatcher, signal: AbortSignal): Promise<void> {
  const own = new AbortController();
  const onAbort = () => own.abort(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    const events = client.events(`/events?run=${part(id)}`, own.signal, (isGone) => watcher.onGap(isGone));
    for await (const { event, data } of events) {
      if (event === 'executions') watcher.onExecutions((data as Changes<ExecutionView>).changed);
      if (event !== 'runs') continue;
      const run = (data as Changes<RunView>).changed.find((each) => each.id === id);
      if (run === undefined) break;
      watcher.onRun(run);
      if (isFinal(run.state)) break;
    }
  } finally {
    // The stream goes on as long as it is read.
    own.abort(new Error('the run is over'));
    signal.removeEventListener('abort', onAbort);
  }
}
