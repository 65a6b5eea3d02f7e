import type { MachineSpec } from './machine.js';
import type { StoredMachine } from './stored-machine.js';

/** What a machine becomes next, and what it then waits for. */
export interface Step {
  readonly machine: StoredMachine;
  /** `keep`: whatever it waited for before. */
  readonly next: 'boot' | 'shutdown' | 'keep' | 'nothing';
}

/** The first step from how a machine is towards how it is wanted. Undefined: it is so already, or on its way. */
export function stepTowards(current: StoredMachine | undefined, spec: MachineSpec): Step | undefined {
  const { power, ...shape } = spec;
  if (current === undefined) {
    const defined = { ...shape, guestIp: '', boots: 0, failedBoots: 0, error: '', leaving: false } as const;
    return power === 'running' ? boot({ ...defined, state: 'stopped' }) : step({ ...defined, state: 'stopped' });
  }
  if (current.leaving) return undefined;
  const shaped = { ...current, ...shape };
  const needsBoot =
    current.host !== spec.host ||
    current.cpus !== spec.cpus ||
    current.memoryMib !== spec.memoryMib ||
    current.image !== spec.image;
  // An interface is plugged and unplugged while the machine runs.
  const replugged = current.mac !== spec.mac || current.ip !== spec.ip;

  if (current.state === 'stopping') return undefined;
  if (power === 'running') {
    if (current.state === 'stopped' || current.state === 'failed' || needsBoot) return boot(shaped);
    if (!replugged) return undefined;
    return step({ ...shaped, guestIp: current.state === 'running' ? spec.ip : '' }, 'keep');
  }
  if (current.state === 'running' || current.state === 'booting') {
    return step({ ...current, state: 'stopping', guestIp: '', error: '' }, 'shutdown');
  }
  if (current.state === 'failed' || needsBoot || replugged) {
    return step({ ...shaped, state: 'stopped', error: '', failedBoots: 0 });
  }
  return undefined;
}

/** The first step to being gone. `gone`: it is down already. Undefined: it is on its way. */
export function stepOut(current: StoredMachine): Step | 'gone' | undefined {
  if (current.state === 'stopped' || current.state === 'failed') return 'gone';
  if (current.leaving) return undefined;
  const leaving: StoredMachine = { ...current, leaving: true, guestIp: '', state: 'stopping' };
  // One that is shutting down already only has to be told not to stay.
  return step(leaving, current.state === 'stopping' ? 'keep' : 'shutdown');
}

/** What a kill makes of it. Undefined: it is not up. */
export function stepKilled(current: StoredMachine): Step | undefined {
  if (current.state !== 'running' && current.state !== 'booting') return undefined;
  return step({ ...current, state: 'stopped', guestIp: '', error: 'killed' });
}

function boot(machine: StoredMachine): Step {
  return step({ ...machine, state: 'booting', guestIp: '', boots: machine.boots + 1 }, 'boot');
}

function step(machine: StoredMachine, next: Step['next'] = 'nothing'): Step {
  return { machine: Object.freeze(machine), next };
}
