import { type Machine, machineStates } from './machine.js';

/** A machine as it is kept: also whether it is on its way out. */
export interface StoredMachine extends Machine {
  readonly leaving: boolean;
}

const texts = ['id', 'host', 'image', 'mac', 'ip', 'guestIp', 'error'] as const;
const counts = ['cpus', 'memoryMib', 'boots', 'failedBoots'] as const;

/** Reads what was kept. Throws an `Error` that names what is wrong with it. */
export function readStoredMachine(value: unknown): StoredMachine {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('a machine is no object');
  const found = value as Record<string, unknown>;
  const name = typeof found['id'] === 'string' ? JSON.stringify(found['id']) : 'without an id';
  const wrong = (field: string) => new Error(`machine ${name}: ${field} cannot be ${JSON.stringify(found[field])}`);
  for (const field of texts) if (typeof found[field] !== 'string') throw wrong(field);
  for (const field of counts) if (!Number.isInteger(found[field]) || (found[field] as number) < 0) throw wrong(field);
  if (!(machineStates as readonly unknown[]).includes(found['state'])) throw wrong('state');
  if (typeof found['leaving'] !== 'boolean') throw wrong('leaving');
  return Object.freeze({ ...(found as unknown as StoredMachine) });
}
