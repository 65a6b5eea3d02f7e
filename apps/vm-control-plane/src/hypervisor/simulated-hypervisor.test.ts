import { isClosed } from '@cosi-ts/resource';
import { VirtualClock } from '@cosi-ts/state';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../seeded-random.js';
import type { MachineEvent } from './hypervisor.js';
import type { MachineSpec } from './machine.js';
import { openSimulatedHypervisor, type SimulatedHypervisorOptions } from './simulated-hypervisor.js';
import { resolveSimulation } from './simulation-options.js';

const spec: MachineSpec = Object.freeze({
  id: 'web-1',
  host: 'host-1',
  cpus: 2,
  memoryMib: 512,
  image: 'debian-12',
  mac: '52:54:00:00:00:01',
  ip: '10.64.0.2',
  power: 'running',
});

async function setup(options: SimulatedHypervisorOptions = {}) {
  const clock = new VirtualClock();
  const hypervisor = await openSimulatedHypervisor({ clock, random: seededRandom(1), ...options });
  const events: MachineEvent[] = [];
  hypervisor.subscribe((event) => events.push(event));
  return { clock, hypervisor, events, states: () => events.map(({ machine }) => machine?.state ?? 'gone') };
}

describe('simulated hypervisor', () => {
  it('boots a machine in its time and reports the guest address then', async () => {
    const { clock, hypervisor } = await setup({ boot: { minMs: 1000, maxMs: 1000 } });
    expect(await hypervisor.ensure(spec)).toMatchObject({ state: 'booting', guestIp: '', boots: 1 });
    await clock.advance(999);
    expect(await hypervisor.get('web-1')).toMatchObject({ state: 'booting' });
    await clock.advance(1);
    expect(await hypervisor.get('web-1')).toMatchObject({ state: 'running', guestIp: '10.64.0.2' });
  });

  it('changes nothing and announces nothing when a machine is as it should be', async () => {
    const { clock, hypervisor, events } = await setup();
    await hypervisor.ensure(spec);
    await hypervisor.ensure(spec);
    await clock.advance(10_000);
    await hypervisor.ensure(spec);
    expect(events).toHaveLength(2);
    expect(clock.timers).toBe(0);
  });

  it.each([
    ['CPUs', { cpus: 4 }],
    ['memory', { memoryMib: 1024 }],
    ['image', { image: 'debian-13' }],
    ['host', { host: 'host-2' }],
  ])('boots anew for other %s', async (_, change) => {
    const { clock, hypervisor } = await setup();
    await hypervisor.ensure(spec);
    await clock.advance(10_000);
    expect(await hypervisor.ensure({ ...spec, ...change })).toMatchObject({ ...change, state: 'booting', boots: 2 });
    await clock.advance(10_000);
    expect(await hypervisor.get('web-1')).toMatchObject({ ...change, state: 'running' });
  });

  it('plugs another network into a running machine', async () => {
    const { clock, hypervisor } = await setup();
    await hypervisor.ensure(spec);
    await clock.advance(10_000);
    const machine = await hypervisor.ensure({ ...spec, ip: '10.64.0.9' });
    expect(machine).toMatchObject({ state: 'running', guestIp: '10.64.0.9', boots: 1 });
  });

  it('shuts down when it is not to run, and starts again', async () => {
    const { clock, hypervisor, states } = await setup();
    await hypervisor.ensure(spec);
    await clock.advance(10_000);
    await hypervisor.ensure({ ...spec, power: 'stopped' });
    await hypervisor.ensure(spec);
    await clock.advance(10_000);
    await hypervisor.ensure({ ...spec, power: 'stopped', cpus: 8 });
    await hypervisor.ensure({ ...spec, cpus: 8 });
    await clock.advance(10_000);
    expect(states()).toEqual(['booting', 'running', 'stopping', 'stopped', 'stopped', 'booting', 'running']);
    expect(await hypervisor.get('web-1')).toMatchObject({ cpus: 8, boots: 2 });
  });

  it('stops a machine before it removes it, and tells when it is gone', async () => {
    const { clock, hypervisor, states } = await setup();
    await hypervisor.ensure(spec);
    await clock.advance(10_000);
    expect(await hypervisor.remove('web-1')).toMatchObject({ state: 'stopping' });
    // It is on its way out, whatever is asked for.
    expect(await hypervisor.ensure(spec)).toMatchObject({ state: 'stopping' });
    await clock.advance(10_000);
    expect(await hypervisor.remove('web-1')).toBeUndefined();
    expect(await hypervisor.list()).toEqual([]);
    expect(states()).toEqual(['booting', 'running', 'stopping', 'gone']);
  });

  it('removes one that is shutting down already when it is down', async () => {
    const { clock, hypervisor } = await setup();
    await hypervisor.ensure(spec);
    await clock.advance(10_000);
    await hypervisor.ensure({ ...spec, power: 'stopped' });
    await hypervisor.remove('web-1');
    await clock.advance(10_000);
    expect(await hypervisor.get('web-1')).toBeUndefined();
  });

  it('removes one that is down at once', async () => {
    const { hypervisor, states } = await setup();
    await hypervisor.ensure({ ...spec, power: 'stopped' });
    expect(await hypervisor.remove('web-1')).toBeUndefined();
    expect(states()).toEqual(['stopped', 'gone']);
  });

  it('kills what is up, and nothing else', async () => {
    const { clock, hypervisor } = await setup();
    expect(await hypervisor.kill('web-1')).toBeUndefined();
    await hypervisor.ensure(spec);
    await clock.advance(10_000);
    expect(await hypervisor.kill('web-1')).toMatchObject({ state: 'stopped', guestIp: '', error: 'killed' });
    expect(await hypervisor.kill('web-1')).toMatchObject({ state: 'stopped' });
    expect(await hypervisor.ensure(spec)).toMatchObject({ state: 'booting', boots: 2 });
  });

  it('fails to boot at the rate that is set, counts, and tries again when asked', async () => {
    const { clock, hypervisor } = await setup({ bootFailureRate: 1 });
    await hypervisor.ensure(spec);
    await clock.advance(10_000);
    await hypervisor.ensure(spec);
    await clock.advance(10_000);
    expect(await hypervisor.get('web-1')).toMatchObject({ state: 'failed', failedBoots: 2, boots: 2 });
  });

  it('never boots a broken image', async () => {
    const { clock, hypervisor } = await setup();
    await hypervisor.ensure({ ...spec, image: 'broken-image' });
    await clock.advance(10_000);
    expect(await hypervisor.get('web-1')).toMatchObject({
      state: 'failed',
      error: 'image "broken-image" does not boot',
    });
  });

  it('lets machines stop by themselves as often as is set', async () => {
    const { clock, hypervisor, events } = await setup({ stopsPerHour: 60 });
    for (let i = 0; i < 200; i++) await hypervisor.ensure({ ...spec, id: `web-${i}` });
    await clock.advance(120_000);
    const stops = events.filter(({ machine }) => machine?.error === 'stopped by itself').length;
    // Of 200 machines, each stopping once a minute on average, 1 − e^−2 of them stop within two: 173, ± 5 σ of 4.8.
    expect(stops).toBeGreaterThan(145);
    expect(stops).toBeLessThan(197);
  });

  it('does the same with the same seed', async () => {
    const run = async () => {
      const { clock, hypervisor, events } = await setup({ bootFailureRate: 0.5, stopsPerHour: 600 });
      for (let i = 0; i < 20; i++) await hypervisor.ensure({ ...spec, id: `web-${i}` });
      await clock.advance(30_000);
      return events;
    };
    expect(await run()).toEqual(await run());
  });

  it('leaves no timer behind and refuses calls once it is closed', async () => {
    const { clock, hypervisor } = await setup({ stopsPerHour: 1 });
    await hypervisor.ensure(spec);
    await clock.advance(10_000);
    await hypervisor.ensure({ ...spec, id: 'web-2' });
    expect(clock.timers).toBe(2);
    await hypervisor.close();
    expect(clock.timers).toBe(0);
    await expect(hypervisor.ensure(spec)).rejects.toSatisfy(isClosed);
  });

  it('rejects with the reason of an aborted signal', async () => {
    const { hypervisor } = await setup();
    const reason = new Error('enough');
    await expect(hypervisor.ensure(spec, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(await hypervisor.list()).toEqual([]);
  });

  it('names the option that cannot be so', () => {
    expect(() => resolveSimulation({ bootFailureRate: 2 })).toThrow('simulation.bootFailureRate');
    expect(() => resolveSimulation({ boot: { minMs: 5, maxMs: 1 } })).toThrow('simulation.boot ');
    expect(() => resolveSimulation({ stopsPerHour: Number.NaN })).toThrow('simulation.stopsPerHour');
  });
});
