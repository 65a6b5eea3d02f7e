import type { State } from '@cosi-ts/state';
import { Host } from './resources/index.js';

/** What a newcomer's first VM can be placed on. */
const hosts = [
  { id: 'host-1', zone: 'a' },
  { id: 'host-2', zone: 'b' },
  { id: 'host-3', zone: 'c' },
];

/** Adds three simulated hosts, unless there is a host already. Tells whether it did. */
export async function addDefaultHosts(state: State): Promise<boolean> {
  if ((await state.list(Host.kind)).length > 0) return false;
  for (const { id, zone } of hosts) {
    await state.create(Host.new(id, { cpus: 16, memoryMib: 65_536 }, { labels: { zone } }));
  }
  return true;
}
