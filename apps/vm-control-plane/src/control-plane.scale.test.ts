import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { complaints } from '@cosi-ts/app-kit/testing';
import type { Kind } from '@cosi-ts/resource';
import { expect, it } from 'vitest';
import { applyManifest } from './manifest/apply.js';
import { parseManifests } from './manifest/manifest.js';
import { Host, NetworkConfig, VMConfig, VMPlacement, VMStatus } from './resources/index.js';
import { PlaneFixture } from './testing/plane-fixture.js';

const count = 2000;
const generator = fileURLToPath(new URL('../examples/generate-fleet.mjs', import.meta.url));

it(`brings ${count} VMs of one manifest up, and leaves nothing of them when they are deleted`, {
  timeout: 120_000,
}, async () => {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [generator, String(count)], { maxBuffer: 64 * 1024 * 1024 });
  const entries = parseManifests([{ name: 'fleet', text: stdout }]);

  await using fixture = await PlaneFixture.start();
  const { state, hypervisor } = fixture;
  const { applied } = await applyManifest(state, entries);
  expect(applied.filter(({ type, result }) => type === VMConfig.type && result === 'created')).toHaveLength(count);
  await fixture.until(async () => {
    const states = (await state.list(VMStatus.kind)).map(({ spec }) => spec.state);
    expect(states.filter((each) => each === 'running')).toHaveLength(count);
  });

  const networks = await state.list(NetworkConfig.kind);
  expect(new Set(networks.map(({ spec }) => spec.ip)).size).toBe(count);
  expect(new Set(networks.map(({ spec }) => spec.mac)).size).toBe(count);
  const hosts = await state.list(Host.kind);
  const onHost = new Map<string, number>();
  for (const { spec } of await state.list(VMPlacement.kind)) onHost.set(spec.host, (onHost.get(spec.host) ?? 0) + 1);
  expect(Math.max(...onHost.values())).toBe(count / hosts.length);

  // A manifest of the hosts alone does not touch the VMs; whoever wants them gone says so.
  for (const { metadata } of await state.list(VMConfig.kind)) await state.teardown(metadata);
  await fixture.until(async () => expect(await state.list(VMConfig.kind)).toHaveLength(0));
  for (const { kind } of [NetworkConfig, VMPlacement, VMStatus]) expect(await state.list(kind as Kind)).toEqual([]);
  expect(await hypervisor.list()).toEqual([]);
  expect(await state.list(Host.kind)).toHaveLength(hosts.length);
  expect(complaints(fixture.logger)).toEqual([]);
});
