import type { Route } from '@cosi-ts/app-kit';
import type { Clock, Random } from '@cosi-ts/state';
import type { DefinitionCache } from '../definition/definition-cache.js';
import type { WorkflowEngine } from '../workflow-engine.js';
import { eventsRoute } from './events-route.js';
import { executionsRoutes } from './executions-routes.js';
import { logRoutes } from './log-routes.js';
import { runActionRoutes } from './run-action-routes.js';
import { runsRoutes } from './runs-routes.js';
import { schedulesRoutes } from './schedules-routes.js';
import { secretsRoutes } from './secrets-routes.js';
import { signalRoutes } from './signal-routes.js';
import { workersRoute } from './workers-route.js';
import { workflowsRoutes } from './workflows-routes.js';

export interface ApiOptions {
  readonly engine: Pick<WorkflowEngine, 'state' | 'cancel' | 'retry' | 'pause' | 'signal'>;
  readonly logsFolder: string;
  readonly definitions: DefinitionCache;
  readonly random: Random;
  readonly clock: Clock;
  /** What is told of the engine's health in event streams. */
  readonly health: () => unknown;
}

/** The API, which docs/http-api.md describes. */
export function apiRoutes({ engine, logsFolder, definitions, random, clock, health }: ApiOptions): readonly Route[] {
  const { state } = engine;
  return [
    ...workflowsRoutes(state, definitions),
    ...runsRoutes({ state, random, definitions }),
    ...runActionRoutes(engine),
    ...executionsRoutes(state, definitions),
    ...logRoutes({ state, logsFolder, definitions, clock }),
    ...signalRoutes(engine, definitions),
    ...schedulesRoutes(state, clock),
    ...secretsRoutes(state),
    workersRoute(state, clock),
    eventsRoute({ state, definitions, clock, health }),
  ];
}
