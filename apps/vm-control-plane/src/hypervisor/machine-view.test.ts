import { VirtualClock } from '@cosi-ts/state';
import { expect, it } from 'vitest';
import { seededRandom } from '../seeded-random.js';
import type { MachineSpec } from './machine.js';
import { MachineView } from './machine-view.js';
import { openSimulatedHypervisor } from './simulated-hypervisor.js';

const spec = (id: string): MachineSpec => ({
  id,
  host: 'host-1',
  cpus: 1,
  memoryMib: 512,
  image: 'x',
  mac: '',
  ip: '10.0.0.2',
  power: 'stopped',
});

it('shows the machines as they are, also those that change while it is opened', async () => {
  const hypervisor = await openSimulatedHypervisor({ clock: new VirtualClock(), random: seededRandom(1) });
  for (const id of ['stays', 'goes', 'changes']) await hypervisor.ensure(spec(id));
  const list = hypervisor.list.bind(hypervisor);
  hypervisor.list = async (options) => {
    const listed = await list(options);
    await hypervisor.remove('goes');
    await hypervisor.ensure({ ...spec('changes'), cpus: 8 });
    await hypervisor.ensure(spec('comes'));
    return listed;
  };
  using view = await MachineView.open(hypervisor);
  const shown = () => [...view.values()].map(({ id, cpus }) => `${id} ${cpus}`).sort();
  expect(shown()).toEqual(['changes 8', 'comes 1', 'stays 1']);
  await hypervisor.remove('stays');
  expect(view.get('stays')).toBeUndefined();
  expect(view.size).toBe(2);
});

it('hears of nothing any more once it is disposed of', async () => {
  const hypervisor = await openSimulatedHypervisor({ clock: new VirtualClock(), random: seededRandom(1) });
  const view = await MachineView.open(hypervisor);
  view[Symbol.dispose]();
  await hypervisor.ensure(spec('late'));
  expect(view.size).toBe(0);
});
