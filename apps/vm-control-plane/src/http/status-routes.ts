import { graphToDot } from '@cosi-ts/runtime';
import type { ControlPlane } from '../control-plane.js';
import { NetworkConfig, VMConfig, VMStatus } from '../resources/index.js';
import { type ApiRequest, type Route, route } from './router.js';

/**
 * `/healthz` for whoever starts and watches the app, `/status` for whoever wants to know more, `/graph.json` and
 * `/graph.dot` for what depends on what.
 */
export function statusRoutes(plane: ControlPlane, isStarted: () => boolean): readonly Route[] {
  const { state, machines, addresses } = plane;

  const healthz = () => {
    const { ready, problems } = plane.health();
    if (ready && isStarted()) return { status: 200, body: { status: 'ok' } };
    return {
      status: 503,
      body: { status: 'not ready', problems: isStarted() ? problems : [...problems, 'is starting'] },
    };
  };

  const status = async ({ signal }: ApiRequest) => {
    const { ready, problems, runtime } = plane.health();
    const configs = await state.list(VMConfig.kind, { signal });
    const states: Record<string, number> = {};
    for (const { spec } of await state.list(VMStatus.kind, { signal }))
      states[spec.state] = (states[spec.state] ?? 0) + 1;
    const networks = await state.list(NetworkConfig.kind, { signal });
    const wanted = new Set(configs.map(({ metadata }) => metadata.id));
    const orphans = [...machines.values()].filter(({ id }) => !wanted.has(id)).map(({ id }) => id);
    return {
      status: 200,
      body: {
        ready,
        problems,
        vms: { count: configs.length, states },
        machines: { count: machines.size, orphans },
        addresses: {
          network: addresses.cidr,
          size: addresses.size,
          taken: networks.filter(({ spec }) => spec.ip !== '').length,
        },
        runtime,
      },
    };
  };

  const graphDot = ({ raw, response }: ApiRequest) => {
    const text = graphToDot(plane.runtime.graph());
    response.writeHead(200, {
      'content-type': 'text/vnd.graphviz; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    });
    response.end(raw.method === 'HEAD' ? undefined : text);
    return undefined;
  };

  return [
    route('GET', '/healthz', healthz),
    route('GET', '/status', status),
    route('GET', '/graph.json', () => ({ status: 200, body: plane.runtime.graph() })),
    route('GET', '/graph.dot', graphDot),
  ];
}
