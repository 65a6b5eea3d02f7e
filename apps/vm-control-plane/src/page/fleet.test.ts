import type { ResourceView } from '@cosi-ts/app-kit';
import { describe, expect, it } from 'vitest';
import type { MachineJson } from '../http/machine-view.js';
import { Fleet } from './fleet.js';
import { matching, nextId } from './selection.js';
import { lineOf, lineOfMachine } from './story.js';

const resource = (name: string, id: string, spec: object = {}, more: Partial<ResourceView> = {}): ResourceView => ({
  type: `${name}.vms.cosi.dev`,
  id,
  version: '1',
  phase: 'running',
  owner: '',
  created: '2026-01-01T00:00:00Z',
  updated: '2026-01-01T00:00:00Z',
  labels: {},
  finalizers: [],
  spec: spec as ResourceView['spec'],
  ...more,
});
const machine = (id: string, over: Partial<MachineJson> = {}): MachineJson => ({
  id,
  state: 'running',
  host: 'host-1',
  cpus: 1,
  memoryMiB: 512,
  image: 'x',
  mac: '',
  ip: '',
  boots: 1,
  error: '',
  ...over,
});

describe('the fleet of the page', () => {
  it('puts together what several resources say of a VM', () => {
    const fleet = new Fleet();
    fleet.change(
      'created',
      resource('VMConfigs', 'web-1', { cpus: 2, memoryMiB: 512, image: 'debian-12' }, { labels: { tier: 'web' } }),
    );
    expect(fleet.vms()[0]).toMatchObject({
      id: 'web-1',
      state: 'pending',
      power: 'running',
      host: '',
      address: '',
      hasMachine: false,
    });
    fleet.change('created', resource('VMPlacements', 'web-1', { host: 'host-1', cpus: 2, memoryMiB: 512 }));
    fleet.change('created', resource('NetworkConfigs', 'web-1', { ip: '10.0.0.2', mac: '52:54:00:00:00:00' }));
    fleet.change('created', resource('VMStatuses', 'web-1', { state: 'running', ip: '10.0.0.2', boots: 1 }));
    fleet.setMachines([machine('web-1'), machine('stranger')]);
    fleet.change('created', resource('Hosts', 'host-1', { cpus: 8, memoryMiB: 4096 }));
    expect(fleet.vms()[0]).toMatchObject({
      state: 'running',
      host: 'host-1',
      ip: '10.0.0.2',
      cpus: 2,
      hasMachine: true,
    });
    expect(fleet.hosts()).toMatchObject([
      { id: 'host-1', reservedCpus: 2, reservedMemoryMiB: 512, vms: 1, isCordoned: false },
    ]);
    expect(fleet.orphans().map(({ id }) => id)).toEqual(['stranger']);
    expect(fleet.addressesTaken()).toBe(1);
  });

  it('shows a VM that is being deleted as stopping from the first moment', () => {
    const fleet = new Fleet();
    fleet.change('created', resource('VMConfigs', 'web-1', {}, { phase: 'tearingDown' }));
    fleet.change('created', resource('VMStatuses', 'web-1', { state: 'running' }));
    expect(fleet.vms()[0]).toMatchObject({ state: 'stopping', isLeaving: true });
    fleet.change('updated', resource('VMStatuses', 'web-1', { state: 'releasing' }));
    expect(fleet.vms()[0]?.state).toBe('releasing');
    fleet.change('destroyed', resource('VMConfigs', 'web-1'));
    expect(fleet.vms()).toEqual([]);
  });

  it('shows what it had until a new beginning is complete', () => {
    const fleet = new Fleet();
    fleet.change('created', resource('VMConfigs', 'old'));
    fleet.reset();
    fleet.load([resource('VMConfigs', 'vm-10'), resource('VMConfigs', 'vm-9')]);
    expect(fleet.vms().map(({ id }) => id)).toEqual(['old']);
    fleet.ready();
    expect(fleet.vms().map(({ id }) => id)).toEqual(['vm-9', 'vm-10']);
  });

  it('finds VMs by state and by words', () => {
    const fleet = new Fleet();
    fleet.change('created', resource('VMConfigs', 'web-1', { image: 'debian-12' }, { labels: { tier: 'web' } }));
    fleet.change('created', resource('VMConfigs', 'db-1', { image: 'debian-12' }));
    fleet.change('created', resource('VMStatuses', 'db-1', { state: 'running' }));
    const ids = (search: string, state?: 'running') => matching(fleet.vms(), search, state).map(({ id }) => id);
    expect(ids('')).toEqual(['db-1', 'web-1']);
    expect(ids('debian TIER=web')).toEqual(['web-1']);
    expect(ids('', 'running')).toEqual(['db-1']);
    expect(ids('nothing')).toEqual([]);
    expect(nextId('web', fleet.vms())).toBe('web-2');
    expect(nextId('vm', fleet.vms())).toBe('vm-1');
  });
});

describe('the story of the page', () => {
  it('tells the life of a VM in order', () => {
    const lines = [
      lineOf('created', resource('VMConfigs', 'a'), undefined),
      lineOf('created', resource('VMStatuses', 'a', { state: 'pending' }), undefined),
      lineOf('created', resource('NetworkConfigs', 'a', { ip: '10.0.0.2' }), undefined),
      lineOf('created', resource('VMPlacements', 'a', { host: 'host-1' }), undefined),
      lineOfMachine('a', machine('a', { state: 'booting' }), undefined),
      lineOf(
        'updated',
        resource('VMStatuses', 'a', { state: 'running' }),
        resource('VMStatuses', 'a', { state: 'booting' }),
      ),
      lineOfMachine('a', machine('a', { state: 'stopped', error: 'killed' }), machine('a')),
      lineOf('updated', resource('VMConfigs', 'a', {}, { phase: 'tearingDown' }), resource('VMConfigs', 'a')),
      lineOfMachine('a', null, machine('a')),
      lineOf('destroyed', resource('NetworkConfigs', 'a'), undefined),
      lineOf('destroyed', resource('VMPlacements', 'a'), undefined),
      lineOf('destroyed', resource('VMConfigs', 'a'), undefined),
    ];
    expect(lines.map((line) => line?.text)).toEqual([
      'VM wanted',
      'pending',
      'network 10.0.0.2',
      'placed on host-1',
      'machine made',
      'running',
      'machine: killed',
      'VM is to go',
      'machine gone',
      'network gone',
      'place released',
      'VM gone',
    ]);
  });

  it('says nothing of what changes nothing for people', () => {
    const before = resource('VMConfigs', 'a', { cpus: 1 });
    expect(lineOf('updated', { ...before, finalizers: ['x'] }, before)).toBeUndefined();
    const status = resource('VMStatuses', 'a', { state: 'running' });
    expect(lineOf('updated', { ...status, version: '2' }, status)).toBeUndefined();
    expect(lineOfMachine('a', machine('a'), machine('a'))).toBeUndefined();
  });

  it('says what stands in the way', () => {
    const placed = resource('VMPlacements', 'a', { host: 'host-1' });
    expect(lineOf('updated', resource('VMPlacements', 'a', {}), placed)).toMatchObject({
      text: 'no host will do',
      tone: 'bad',
    });
    expect(lineOf('updated', resource('Hosts', 'h', { cordoned: true }), resource('Hosts', 'h'))?.text).toBe(
      'host cordoned',
    );
  });
});
