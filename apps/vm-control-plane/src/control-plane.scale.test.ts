import type { Kind } from '@cosi-ts/resource';
import { expect, it } from 'vitest';
import { Host, NetworkConfig, VMConfig, VMPlacement, VMStatus } from './resources/index.js';
import { PlaneFixture } from './testing/plane-fixture.js';

it('brings 2000 VMs up, and leaves nothing of them when they are deleted', { timeout: 60_000 }, async () => {
  await using fixture = await PlaneFixture.start();
  for (let i = 0; i < 40; i++) await fixture.addHost(`host-${i}`, 64, 65_536);
  for (let i = 0; i < 2000; i++) await fixture.addVM(`vm-${i}`);
  await fixture.until(async () => {
    const states = (await fixture.state.list(VMStatus.kind)).map(({ spec }) => spec.state);
    expect(states.filter((state) => state === 'running')).toHaveLength(2000);
  });
  const networks = await fixture.state.list(NetworkConfig.kind);
  expect(new Set(networks.map(({ spec }) => spec.ip)).size).toBe(2000);
  for (let i = 0; i < 2000; i++) await fixture.state.teardown(VMConfig.at(`vm-${i}`));
  await fixture.until(async () => expect(await fixture.state.list(VMConfig.kind)).toHaveLength(0));
  for (const { kind } of [NetworkConfig, VMPlacement, VMStatus])
    expect(await fixture.state.list(kind as Kind)).toEqual([]);
  expect(await fixture.state.list(Host.kind)).toHaveLength(40);
  expect(await fixture.hypervisor.list()).toEqual([]);
});
