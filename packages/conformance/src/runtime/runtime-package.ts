import type * as library from '@cosi-ts/runtime';
import type { LeaderElection, Runtime, RuntimeOptions, StateElectionOptions } from '@cosi-ts/runtime';
import type { CoreState } from '@cosi-ts/state';

/** What the suite calls of a runtime. */
export type ConformingRuntime = Pick<
  Runtime,
  | 'register'
  | 'run'
  | 'close'
  | 'queue'
  | 'queueReconcile'
  | 'report'
  | 'graph'
  | 'blockers'
  | 'forceRemoveFinalizer'
  | 'includeTasks'
>;

/** What the suite calls of a task runner. */
export type ConformingTasks = Pick<library.TaskRunner<string>, 'reconcile' | 'report' | 'close'>;

/** The package of a runtime, with all that controllers are written with: `import * as runtime from '@cosi-ts/runtime'`. */
export interface RuntimePackage
  extends Pick<
    typeof library,
    | 'primary'
    | 'mapped'
    | 'mappedDestroyReady'
    | 'weak'
    | 'strong'
    | 'destroyReady'
    | 'exclusive'
    | 'shared'
    | 'sameId'
    | 'labelValue'
    | 'fromResource'
    | 'noItems'
    | 'requeueAfter'
    | 'SkipError'
    | 'RequeueError'
    | 'transform'
    | 'qtransform'
    | 'destroyOutput'
    | 'cleanup'
    | 'noOutputsLeft'
    | 'removeOutputs'
    | 'destroy'
    | 'graphToDot'
    | 'graphToJson'
  > {
  readonly Runtime: new (state: CoreState, options?: RuntimeOptions) => ConformingRuntime;
  readonly StateElection: new (state: CoreState, options?: StateElectionOptions) => LeaderElection;
  readonly TaskRunner: new (
    run: library.TaskFunction<string>,
    options?: library.TaskRunnerOptions<string>,
  ) => ConformingTasks;
}
