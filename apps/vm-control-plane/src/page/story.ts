import type { ResourceView } from '@cosi-ts/app-kit';
import type { MachineJson } from '../http/machine-view.js';
import { nameOf } from './fleet.js';

export type Tone = 'good' | 'busy' | 'bad' | 'plain';

/** One line of the log on the page. */
export interface Line {
  readonly id: string;
  readonly text: string;
  readonly tone: Tone;
}

type Change = 'created' | 'updated' | 'destroyed';
type Spec = Readonly<Record<string, unknown>>;

/** What a change means to people. Undefined: nothing that is worth a line. */
export function lineOf(change: Change, resource: ResourceView, before: ResourceView | undefined): Line | undefined {
  const say = (text: string, tone: Tone = 'plain'): Line => ({ id: resource.id, text, tone });
  const spec = resource.spec as Spec;
  const old = (before?.spec ?? {}) as Spec;
  const changed = (field: string) => spec[field] !== old[field];
  const isTornDown = resource.phase === 'tearingDown' && before?.phase !== 'tearingDown';
  switch (nameOf(resource.type)) {
    case 'VMConfigs':
      if (change === 'created') return say('VM wanted');
      if (change === 'destroyed') return say('VM gone');
      if (isTornDown) return say('VM is to go', 'busy');
      return changed('power') || changed('cpus') || changed('memoryMiB') || changed('image')
        ? say('VM changed')
        : undefined;
    case 'VMStatuses': {
      if (change === 'destroyed' || !changed('state')) return undefined;
      const state = String(spec.state);
      return say(state, toneOf(state));
    }
    case 'VMPlacements':
      if (change === 'destroyed') return say('place released');
      if (!changed('host')) return undefined;
      return spec.host === undefined ? say('no host will do', 'bad') : say(`placed on ${spec.host}`);
    case 'NetworkConfigs':
      if (change === 'destroyed') return say('network gone');
      if (!changed('ip')) return undefined;
      return spec.ip === undefined ? say('no free address', 'bad') : say(`network ${spec.ip}`);
    case 'Hosts':
      if (change === 'created') return say('host added', 'good');
      if (change === 'destroyed') return say('host gone');
      if (isTornDown) return say('host is to go', 'busy');
      return changed('cordoned') ? say(spec.cordoned === true ? 'host cordoned' : 'host uncordoned') : undefined;
    default:
      return undefined;
  }
}

export function lineOfMachine(
  id: string,
  machine: MachineJson | null,
  before: MachineJson | undefined,
): Line | undefined {
  if (machine === null) return { id, text: 'machine gone', tone: 'plain' };
  if (before === undefined) return { id, text: 'machine made', tone: 'plain' };
  if (machine.error !== '' && machine.error !== before.error)
    return { id, text: `machine: ${machine.error}`, tone: 'bad' };
  return undefined;
}

function toneOf(state: string): Tone {
  if (state === 'running') return 'good';
  if (state === 'failed') return 'bad';
  return state === 'stopped' || state === 'pending' ? 'plain' : 'busy';
}
