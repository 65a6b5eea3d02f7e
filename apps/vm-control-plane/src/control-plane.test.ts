import { complaints } from '@cosi-ts/app-kit/testing';
import { messageSpec } from '@cosi-ts/proto';
import { defineResource, type Kind, type Pointer } from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import { VMConfigSpecSchema } from './gen/cosi/vms/v1/vms_pb.js';
import type { MachineSpec } from './hypervisor/machine.js';
import { Host, NetworkConfig, VMConfig, VMPlacement, VMStatus } from './resources/index.js';
import { PlaneFixture } from './testing/plane-fixture.js';

const machine: MachineSpec = {
  id: 'orphan',
  host: 'host-2',
  cpus: 1,
  memoryMib: 512,
  image: 'debian-12',
  mac: '52:54:00:00:00:63',
  ip: '10.64.0.101',
  power: 'running',
};

describe('a VM', () => {
  it('goes from pending through booting to running, with host and address', async () => {
    await using fixture = await PlaneFixture.start();
    const states: string[] = [];
    await using watch = await fixture.state.watchKind(VMStatus.kind);
    const watching = (async () => {
      for await (const event of watch) {
        if (event.type !== 'created' && event.type !== 'updated') continue;
        if (states.at(-1) !== event.resource.spec.state) states.push(event.resource.spec.state);
        if (event.resource.spec.state === 'running') return;
      }
    })();
    await fixture.addVM('web-1');
    await fixture.reaches('web-1', 'pending');
    await fixture.addHost('host-1');
    const status = await fixture.reaches('web-1', 'running');
    await watching;
    expect(states).toEqual(['pending', 'booting', 'running']);
    expect(status).toMatchObject({ host: 'host-1', ip: '10.64.0.2', cpus: 1, memoryMib: 512, message: '', boots: 1 });
    expect((await fixture.state.get(VMPlacement.at('web-1'))).metadata.labels).toEqual({ host: 'host-1' });
    expect((await fixture.state.get(NetworkConfig.at('web-1'))).spec).toMatchObject({
      ip: '10.64.0.2',
      mac: '52:54:00:00:00:00',
      gateway: '10.64.0.1',
      prefixLength: 19,
    });
  });

  it('counts no crash while it boots, however long that takes', async () => {
    await using fixture = await PlaneFixture.start({ simulation: { boot: { minMs: 60_000, maxMs: 60_000 } } });
    await fixture.addHost('host-1');
    await fixture.addVM('web-1');
    await fixture.reaches('web-1', 'running');
    const report = fixture.plane.runtime.report().controllers.find(({ name }) => name === 'VMController');
    expect(report?.counts.failed).toBe(0);
    expect(report?.counts.requeued).toBeGreaterThan(5);
    expect(complaints(fixture.logger)).toEqual([]);
  });

  it('is only torn down by a delete; machine, network and VM then go in this order', async () => {
    await using fixture = await PlaneFixture.start();
    await fixture.addHost('host-1');
    await fixture.addVM('web-1');
    await fixture.reaches('web-1', 'running');

    const gone: string[] = [];
    fixture.hypervisor.subscribe((event) => {
      if (event.machine === undefined) gone.push('machine');
    });
    const watches = await Promise.all(
      [NetworkConfig.kind, VMPlacement.kind, VMStatus.kind, VMConfig.kind].map((kind: Kind) =>
        fixture.state.watchKind(kind),
      ),
    );
    const watching = watches.map(async (watch) => {
      for await (const event of watch) {
        if (event.type !== 'destroyed') continue;
        gone.push(event.resource.metadata.type.split('.')[0] as string);
        return;
      }
    });
    await fixture.state.teardown(VMConfig.at('web-1'));
    expect((await fixture.reaches('web-1', 'stopping')).message).toBe('is being deleted');
    await fixture.gone('web-1');
    await Promise.all(watching);
    expect(gone[0]).toBe('machine');
    expect(gone.slice(1, 3).sort()).toEqual(['NetworkConfigs', 'VMPlacements']);
    expect(gone.slice(3)).toEqual(['VMStatuses', 'VMConfigs']);
    expect(await fixture.hypervisor.list()).toEqual([]);
    expect((await fixture.state.get(Host.at('host-1'))).metadata.phase).toBe('running');
  });

  it('can be deleted before it has anything', async () => {
    await using fixture = await PlaneFixture.start();
    await fixture.addVM('web-1');
    await fixture.state.teardown(VMConfig.at('web-1'));
    await fixture.gone('web-1');
    for (const type of [VMStatus, NetworkConfig, VMPlacement]) {
      await fixture.until(async () => expect(await fixture.state.list(type.kind as Kind)).toEqual([]));
    }
  });

  it('comes back when its machine is killed', async () => {
    await using fixture = await PlaneFixture.start();
    await fixture.addHost('host-1');
    await fixture.addVM('web-1');
    await fixture.reaches('web-1', 'running');
    await fixture.hypervisor.kill('web-1');
    await fixture.reaches('web-1', 'booting');
    const status = await fixture.reaches('web-1', 'running');
    expect(status).toMatchObject({ boots: 2, lastError: 'killed', message: '' });
  });

  it('says host by host why it has none, and is placed as soon as a host with room is added', async () => {
    await using fixture = await PlaneFixture.start();
    await fixture.addHost('host-1', 8, 16_384);
    await fixture.addHost('host-2', 16, 65_536);
    await fixture.addVM('huge', { cpus: 64, memoryMib: 32_768 });
    const status = await fixture.reaches('huge', 'pending');
    await fixture.until(async () => {
      expect((await fixture.state.get(VMStatus.at('huge'))).spec.message).toBe(
        'no host will do: host-1 has 8 CPUs in all, not 64 and 16384 MiB in all, not 32768; ' +
          'host-2 has 16 CPUs in all, not 64',
      );
    });
    expect(status.host).toBe('');
    expect((await fixture.state.get(VMPlacement.at('huge'))).spec.rejections).toHaveLength(2);
    await fixture.addHost('host-3', 128, 262_144);
    expect((await fixture.reaches('huge', 'running')).host).toBe('host-3');
    expect((await fixture.state.get(VMPlacement.at('huge'))).spec.rejections).toEqual([]);
  });

  it('gets the room that another one gives back', async () => {
    await using fixture = await PlaneFixture.start();
    await fixture.addHost('host-1', 4);
    await fixture.addVM('first', { cpus: 4 });
    await fixture.reaches('first', 'running');
    await fixture.addVM('second', { cpus: 3 });
    await fixture.reaches('second', 'pending');
    await fixture.state.teardown(VMConfig.at('first'));
    await fixture.reaches('second', 'running');
  });

  it('is switched off and on', async () => {
    await using fixture = await PlaneFixture.start();
    await fixture.addHost('host-1');
    await fixture.addVM('web-1');
    await fixture.reaches('web-1', 'running');
    await fixture.state.updateWithConflicts(VMConfig.at('web-1'), ({ spec }) => {
      spec.power = 'stopped';
    });
    expect(await fixture.reaches('web-1', 'stopped')).toMatchObject({ ip: '', message: '', host: 'host-1' });
    await fixture.state.updateWithConflicts(VMConfig.at('web-1'), ({ spec }) => {
      spec.power = 'running';
    });
    expect(await fixture.reaches('web-1', 'running')).toMatchObject({ boots: 2 });
  });

  it('gets another size where it is, on another host, or keeps the one it has and says why', async () => {
    await using fixture = await PlaneFixture.start();
    await fixture.addHost('host-1', 4);
    await fixture.addVM('web-1', { cpus: 1 });
    await fixture.reaches('web-1', 'running');
    const resize = async (cpus: number) => {
      await fixture.state.updateWithConflicts(VMConfig.at('web-1'), ({ spec }) => {
        spec.cpus = cpus;
      });
    };
    const isRunningWith = (cpus: number, host: string) =>
      fixture.until(async () =>
        expect((await fixture.state.get(VMStatus.at('web-1'))).spec).toMatchObject({ state: 'running', cpus, host }),
      );
    await resize(4);
    await isRunningWith(4, 'host-1');
    await resize(8);
    await fixture.until(async () =>
      expect((await fixture.state.get(VMStatus.at('web-1'))).spec).toMatchObject({
        state: 'running',
        cpus: 4,
        message:
          'stays on host-1 with 4 CPUs and 512 MiB for the present: no host will do: host-1 has 4 CPUs in all, not 8',
      }),
    );
    await fixture.addHost('host-2', 8);
    await isRunningWith(8, 'host-2');
    expect((await fixture.state.get(VMStatus.at('web-1'))).spec.message).toBe('');
  });

  it('is tried again after growing delays when it does not boot, and at once when it is changed', async () => {
    await using fixture = await PlaneFixture.start({ simulation: { boot: { minMs: 100, maxMs: 100 } } });
    await fixture.addHost('host-1');
    await fixture.addVM('web-1', { image: 'broken' });
    const status = await fixture.reaches('web-1', 'failed');
    expect(status.message).toBe('image "broken" does not boot; tried 1 times, again 1 s after the last time');
    const boots = async () => (await fixture.hypervisor.get('web-1'))?.boots ?? 0;
    await fixture.until(async () => expect(await boots()).toBe(5));
    const from = fixture.clock.monotonicMs();
    await fixture.until(async () => expect(await boots()).toBe(6));
    // The fifth failure is followed by 16 s.
    expect(fixture.clock.monotonicMs() - from).toBeGreaterThan(15_000);
    expect(fixture.clock.monotonicMs() - from).toBeLessThan(18_000);
    await fixture.reaches('web-1', 'failed');
    const changed = fixture.clock.monotonicMs();
    await fixture.state.updateWithConflicts(VMConfig.at('web-1'), ({ spec }) => {
      spec.image = 'debian-12';
    });
    expect(await fixture.reaches('web-1', 'running')).toMatchObject({ failedBoots: 0, message: '' });
    expect(fixture.clock.monotonicMs() - changed).toBeLessThan(2000);
    expect(complaints(fixture.logger)).toEqual([]);
  });

  it('that nobody could make says so, and is left alone until it is changed', async () => {
    await using fixture = await PlaneFixture.start();
    await fixture.addHost('host-1');
    // What another process writes is not checked by this one's declaration.
    const spec = messageSpec(VMConfigSpecSchema);
    const unchecked = defineResource({ type: VMConfig.type, namespace: VMConfig.namespace, spec });
    await fixture.state.create(unchecked.new('web-1', {}));
    expect((await fixture.reaches('web-1', 'failed')).message).toContain('cpus: must be an integer');
    expect(await fixture.hypervisor.list()).toEqual([]);
    await fixture.state.updateWithConflicts(VMConfig.at('web-1'), (draft) => {
      Object.assign(draft.spec, { cpus: 1, memoryMib: 512, image: 'debian-12' });
    });
    await fixture.reaches('web-1', 'running');
  });
});

describe('the network', () => {
  it('of no two VMs is alike, and an address is free again when its NetworkConfig is destroyed', async () => {
    await using fixture = await PlaneFixture.start({ network: '10.9.0.0/29' });
    await fixture.addHost('host-1');
    for (let i = 1; i <= 6; i++) await fixture.addVM(`web-${i}`);
    await fixture.until(async () => {
      const states = (await fixture.state.list(VMStatus.kind)).map(({ spec }) => spec.state);
      expect(states.filter((state) => state === 'running')).toHaveLength(5);
    });
    const networks = await fixture.state.list(NetworkConfig.kind);
    const given = networks.filter(({ spec }) => spec.ip !== '');
    expect(new Set(given.map(({ spec }) => spec.ip)).size).toBe(5);
    expect(new Set(given.map(({ spec }) => spec.mac)).size).toBe(5);

    const waiting = (await fixture.state.list(VMStatus.kind)).find(({ spec }) => spec.state === 'pending');
    expect(waiting?.spec.message).toBe('no free address: all 5 of 10.9.0.0/29 are taken');
    await fixture.state.teardown(VMConfig.at(given[2]?.metadata.id as string));
    const status = await fixture.reaches(waiting?.metadata.id as string, 'running');
    expect(status.ip).toBe(given[2]?.spec.ip);
  });

  it('is known again after a restart from what is in the state', async () => {
    await using fixture = await PlaneFixture.start({
      network: '10.9.0.0/29',
      before: async ({ state }) => {
        await state.create(NetworkConfig.new('old', { ip: '10.9.0.2', mac: '52:54:00:00:00:00' }), {
          owner: 'NetworkController',
        });
        await state.create(VMConfig.new('old', { cpus: 1, memoryMib: 512, image: 'x' }));
      },
    });
    await fixture.addHost('host-1');
    await fixture.addVM('new');
    expect((await fixture.reaches('new', 'running')).ip).toMatch(/^10\.9\.0\.[3-6]$/);
    expect((await fixture.reaches('old', 'running')).ip).toBe('10.9.0.2');
  });

  it('that someone takes down is made anew, with the machine off in between', async () => {
    await using fixture = await PlaneFixture.start();
    await fixture.addHost('host-1');
    await fixture.addVM('web-1');
    await fixture.reaches('web-1', 'running');
    const before = await fixture.state.get(NetworkConfig.at('web-1'));
    await fixture.state.teardown(NetworkConfig.at('web-1'), { owner: 'NetworkController' });
    await fixture.reaches('web-1', 'stopping');
    await fixture.until(async () => {
      const after = await fixture.find(NetworkConfig.at('web-1'));
      expect(after?.metadata.phase).toBe('running');
      expect(after?.metadata.created).not.toEqual(before.metadata.created);
    });
    await fixture.reaches('web-1', 'running');
  });
});

describe('a host', () => {
  it('gives its VMs to others before it goes', async () => {
    await using fixture = await PlaneFixture.start();
    await fixture.addHost('host-1', 4);
    for (const id of ['a', 'b']) {
      await fixture.addVM(id, { cpus: 2 });
      await fixture.reaches(id, 'running');
    }
    await fixture.addHost('host-2', 2);
    await fixture.state.teardown(Host.at('host-1'));
    await fixture.until(async () => {
      const hosts = (await fixture.state.list(VMStatus.kind)).map(({ spec }) => spec.host).sort();
      expect(hosts).toEqual(['host-1', 'host-2']);
    });
    const staying = (await fixture.state.list(VMStatus.kind)).find(({ spec }) => spec.host === 'host-1');
    expect(staying?.spec.message).toContain('host-1 is going away; host-2 has 0 of 2 CPUs free, not 2');
    expect((await fixture.state.get(Host.at('host-1'))).metadata.finalizers).toEqual(['HostController']);

    await fixture.addHost('host-3', 2);
    await fixture.until(async () => expect(await fixture.find(Host.at('host-1'))).toBeUndefined());
    for (const id of ['a', 'b']) await fixture.reaches(id, 'running');
    const hosts = (await fixture.state.list(VMStatus.kind)).map(({ spec }) => spec.host).sort();
    expect(hosts).toEqual(['host-2', 'host-3']);
  });

  it('without VMs goes at once', async () => {
    await using fixture = await PlaneFixture.start();
    await fixture.addHost('host-1');
    await fixture.until(async () =>
      expect((await fixture.state.get(Host.at('host-1'))).metadata.finalizers).toEqual(['HostController']),
    );
    await fixture.state.teardown(Host.at('host-1'));
    await fixture.until(async () => expect(await fixture.find(Host.at('host-1'))).toBeUndefined());
  });

  it('that vanishes without a word has its VMs placed elsewhere', async () => {
    await using fixture = await PlaneFixture.start();
    await fixture.addHost('host-1');
    await fixture.addVM('web-1');
    await fixture.reaches('web-1', 'running');
    await fixture.state.removeFinalizer(Host.at('host-1'), 'HostController');
    await fixture.state.destroy(Host.at('host-1'));
    await fixture.until(async () =>
      expect((await fixture.state.get(VMStatus.at('web-1'))).spec.message).toBe('there is no host'),
    );
    // Nobody stops a machine because the books about its host are gone.
    expect((await fixture.hypervisor.get('web-1'))?.state).toBe('running');
    await fixture.addHost('host-2');
    await fixture.until(async () =>
      expect((await fixture.state.get(VMStatus.at('web-1'))).spec).toMatchObject({ state: 'running', host: 'host-2' }),
    );
  });

  it('is chosen by its labels, and keeps machines of a group apart', async () => {
    await using fixture = await PlaneFixture.start();
    await fixture.addHost('host-1', 32, 65_536, { zone: 'a' });
    await fixture.addHost('host-2', 8, 65_536, { zone: 'b' });
    await fixture.addHost('host-3', 8, 65_536, { zone: 'b' });
    const on = async (id: string) => (await fixture.reaches(id, 'running')).host;
    for (const id of ['db-1', 'db-2']) {
      await fixture.addVM(id, { hostSelector: { zone: 'b' }, spreadGroup: 'db' });
    }
    expect([await on('db-1'), await on('db-2')].sort()).toEqual(['host-2', 'host-3']);
    await fixture.addVM('big', { cpus: 16 });
    expect(await on('big')).toBe('host-1');
  });
});

describe('a machine without a VMConfig', () => {
  const before = async ({ hypervisor }: { hypervisor: { ensure(spec: MachineSpec): Promise<unknown> } }) => {
    await hypervisor.ensure(machine);
    await hypervisor.ensure({ ...machine, id: 'other', ip: '10.64.0.2' });
  };

  it('is left alone, and adopted with host and address, without a boot, when a VMConfig of its id comes', async () => {
    await using fixture = await PlaneFixture.start({ before });
    await fixture.addHost('host-1', 64);
    await fixture.addHost('host-2', 4);
    await fixture.clock.advance(60_000);
    expect(await fixture.hypervisor.list()).toHaveLength(2);
    await fixture.addVM('orphan');
    const status = await fixture.reaches('orphan', 'running');
    expect(status).toMatchObject({ host: 'host-2', ip: '10.64.0.101', boots: 1 });
    // The address of the other one is not given to anybody else.
    await fixture.addVM('new');
    expect((await fixture.reaches('new', 'running')).ip).not.toBe('10.64.0.2');
    expect((await fixture.hypervisor.get('other'))?.state).toBe('running');
  });

  it('goes with its VM once it is adopted', async () => {
    await using fixture = await PlaneFixture.start({ before });
    await fixture.addHost('host-2');
    await fixture.addVM('orphan');
    await fixture.reaches('orphan', 'running');
    await fixture.state.teardown(VMConfig.at('orphan'));
    await fixture.gone('orphan');
    expect((await fixture.hypervisor.list()).map(({ id }) => id)).toEqual(['other']);
  });
});

describe('a machine whose VMConfig was torn down before it was adopted', () => {
  it('is left alone', async () => {
    await using fixture = await PlaneFixture.start({
      before: async ({ state, hypervisor }) => {
        await hypervisor.ensure(machine);
        await state.create(VMConfig.new('orphan', { cpus: 1, memoryMib: 512, image: 'x' }, { phase: 'tearingDown' }));
      },
    });
    await fixture.gone('orphan');
    await fixture.clock.advance(60_000);
    expect((await fixture.hypervisor.get('orphan'))?.state).toBe('running');
  });
});

describe('the control plane', () => {
  it('is ready once everything runs, and leaves nothing behind when it ends', async () => {
    const fixture = await PlaneFixture.start();
    await fixture.until(() => expect(fixture.plane.health()).toMatchObject({ ready: true, problems: [] }));
    await fixture.addHost('host-1');
    await fixture.addVM('web-1');
    await fixture.reaches('web-1', 'booting');
    await fixture.plane.close();
    await fixture.plane.close();
    expect(fixture.clock.timers).toBe(0);
    expect(fixture.plane.health().ready).toBe(false);
    expect(complaints(fixture.logger)).toEqual([]);
  });

  it('publishes its types for tools that look around', async () => {
    await using fixture = await PlaneFixture.start();
    const definitions = await fixture.state.list({ namespace: 'meta', type: 'ResourceDefinitions.meta.cosi.dev' });
    const ids = definitions.map(({ metadata }: { metadata: Pointer }) => metadata.id);
    expect(ids).toContain('vmconfigs.vms.cosi.dev');
    expect(ids).toContain('hosts.vms.cosi.dev');
  });

  it('has whoever is alive finish a deletion: one that was asked for before it started', async () => {
    await using fixture = await PlaneFixture.start({
      before: async ({ state, hypervisor }) => {
        await hypervisor.ensure(machine);
        const metadata = { finalizers: ['VMController', 'NetworkController'], phase: 'tearingDown' as const };
        await state.create(VMConfig.new('orphan', { cpus: 1, memoryMib: 512, image: 'x' }, metadata));
        await state.create(NetworkConfig.new('orphan', { ip: machine.ip }, { finalizers: ['VMController'] }), {
          owner: 'NetworkController',
        });
      },
    });
    await fixture.gone('orphan');
    expect(await fixture.hypervisor.list()).toEqual([]);
    expect(await fixture.state.list(NetworkConfig.kind)).toEqual([]);
  });
});
