import { type ApiRequest, type Route, route } from '@cosi-ts/app-kit';
import type { ControlPlane } from '../control-plane.js';
import { NetworkConfig, VMConfig, VMStatus } from '../resources/index.js';

/** `/status`: counts, addresses, and the report of the runtime. */
export function statusRoute(plane: ControlPlane): Route {
  const { state, machines, addresses } = plane;

  return route('GET', '/status', async ({ signal }: ApiRequest) => {
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
  });
}
