import { type ApiRequest, Problem, type Route, route } from '@cosi-ts/app-kit';
import { isNotFound } from '@cosi-ts/resource';
import type { State } from '@cosi-ts/state';
import type { Hypervisor } from '../hypervisor/hypervisor.js';
import { VMConfig } from '../resources/index.js';
import { machineJson } from './machine-view.js';

/** `/hypervisor/machines`: what is really there, whatever is wanted. */
export function hypervisorRoutes(state: State, hypervisor: Hypervisor): readonly Route[] {
  const list = async ({ signal }: ApiRequest) => {
    const machines = await hypervisor.list({ signal });
    const wanted = new Set((await state.list(VMConfig.kind, { signal })).map(({ metadata }) => metadata.id));
    return {
      status: 200,
      body: { machines: machines.map((machine) => ({ ...machineJson(machine), orphan: !wanted.has(machine.id) })) },
    };
  };

  const kill = async ({ params, signal }: ApiRequest) => {
    const machine = await hypervisor.kill(params.id as string, { signal });
    if (machine === undefined) throw noMachine(params.id as string);
    return { status: 200, body: machineJson(machine) };
  };

  /** For orphans only: the machine of a VM would be made again. */
  const remove = async ({ params, signal }: ApiRequest) => {
    const id = params.id as string;
    if (await hasVM(id, signal)) {
      throw new Problem(409, 'conflict', `the machine ${JSON.stringify(id)} belongs to the VM of that id`, {
        hint: `delete the VM: DELETE /vms/${encodeURIComponent(id)}`,
      });
    }
    if ((await hypervisor.get(id, { signal })) === undefined) throw noMachine(id);
    const machine = await hypervisor.remove(id, { signal });
    return { status: 202, body: machine === undefined ? { id, state: 'gone' } : machineJson(machine) };
  };

  const hasVM = async (id: string, signal: AbortSignal): Promise<boolean> => {
    try {
      await state.get(VMConfig.at(id), { signal });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  };

  return [
    route('GET', '/hypervisor/machines', list),
    route('POST', '/hypervisor/machines/:id/kill', kill),
    route('DELETE', '/hypervisor/machines/:id', remove),
  ];
}

function noMachine(id: string): Problem {
  return new Problem(404, 'not-found', `there is no machine ${JSON.stringify(id)}`, {
    hint: 'GET /hypervisor/machines lists them',
  });
}
