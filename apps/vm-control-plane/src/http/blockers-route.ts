import { type ApiRequest, type Route, route } from '@cosi-ts/app-kit';
import type { ControlPlane } from '../control-plane.js';
import { VMConfig } from '../resources/index.js';

/** What a VM that is being deleted waits for. */
export function blockersRoute({ runtime }: ControlPlane): Route {
  return route('GET', '/vms/:id/blockers', async ({ params, signal }: ApiRequest) => {
    const { id, phase, since, blockers } = await runtime.blockers(VMConfig.at(params.id as string), { signal });
    return {
      status: 200,
      body: {
        id,
        phase,
        since,
        blockers: blockers.map(({ finalizer, controller, isOrphan, lastError }) => ({
          finalizer,
          controller,
          orphan: isOrphan,
          lastError: lastError === undefined ? undefined : { message: lastError.message, at: lastError.at },
        })),
      },
    };
  });
}
