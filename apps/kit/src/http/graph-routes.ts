import { graphToDot, type Runtime } from '@cosi-ts/runtime';
import { type ApiRequest, type Route, route } from './router.js';

/** `/graph.json` and `/graph.dot`: which controllers read and write which resources. */
export function graphRoutes(runtime: Pick<Runtime, 'graph'>): readonly Route[] {
  const graphDot = ({ raw, response }: ApiRequest) => {
    const text = graphToDot(runtime.graph());
    response.writeHead(200, {
      'content-type': 'text/vnd.graphviz; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    });
    response.end(raw.method === 'HEAD' ? undefined : text);
    return undefined;
  };

  return [
    route('GET', '/graph.json', () => ({ status: 200, body: runtime.graph() })),
    route('GET', '/graph.dot', graphDot),
  ];
}
