import { workScenarios } from '../controllers/scenarios.js';
import { workSuite } from '../controllers/work-stage.js';
import { type GoPeer, goBackends } from '../go-peer.js';
import { serveOurs } from '../our-servers.js';
import type { Suite } from '../outcome.js';
import { definitionScenarios } from './definitions.js';
import { errorScenarios } from './errors.js';
import { largeSuites } from './large.js';
import { lifeScenarios } from './life.js';
import { queryScenarios } from './queries.js';
import { refusedSuite } from './refused.js';
import { resourceScenarios } from './resources.js';
import { exchangeSuite, type Scenario, serversOf } from './stage.js';
import { watchScenarios } from './watches.js';
import { yamlScenarios } from './yaml.js';

const parts: readonly (readonly [name: string, scenarios: readonly Scenario[]])[] = [
  ['exchange of resources', resourceScenarios],
  ['exchange of definitions', definitionScenarios],
  ['exchange of YAML', yamlScenarios],
  ['queries of both', queryScenarios],
  ['watches of both', watchScenarios],
  ['lives in both hands', lifeScenarios],
  ['errors of both', errorScenarios],
];

/** What programs of both implementations do with one state, on servers of either. */
export function exchangeSuites(peer: GoPeer): readonly Suite[] {
  const ours = { backends: ['in-memory', 'LevelDB, encrypted'], serve: serveOurs };
  return [
    ...serversOf(peer, ours, goBackends).flatMap((servers) => [
      workSuite(workScenarios, peer, servers),
      ...parts.map(([name, scenarios]) => exchangeSuite(name, scenarios, peer, servers)),
    ]),
    ...largeSuites(peer),
    refusedSuite(peer),
  ];
}
