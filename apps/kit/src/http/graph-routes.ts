import { graphToDot, type Runtime } from '@cosi-ts/runtime';
import { type Route, route } from './router.js';
import { sendText } from './send-text.js';

/** `/graph.json` and `/graph.dot`: which controllers read and write which resources. */
export function graphRoutes(runtime: Pick<Runtime, 'graph'>): readonly Route[] {
  return [
    route('GET', '/graph.json', () => ({ status: 200, body: runtime.graph() })),
    route('GET', '/graph.dot', (request) => sendText(request, 'text/vnd.graphviz', graphToDot(runtime.graph()))),
  ];
}
