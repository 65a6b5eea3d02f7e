import { EventReader, TemporaryFolder } from '@cosi-ts/app-kit/testing';
import { wrapState } from '@cosi-ts/state';
import { HostResources, RecordingLogger } from '@cosi-ts/testing';
import { connectState } from '@cosi-ts/transport';
import { expect, it } from 'vitest';
import { startApp } from './app.js';
import type { AppOptions } from './app-options.js';
import { VMConfig, VMStatus } from './resources/index.js';
import { appOptions } from './testing/app-fixture.js';

// What a process holds open is looked at here: nothing else runs in it meanwhile.

/** Starts, uses everything that holds something open, and closes while it is in use. */
async function useAndClose(options: AppOptions): Promise<void> {
  const logger = new RecordingLogger();
  const app = await startApp(options, logger, process);
  const { runtime } = app.plane;
  const remote = wrapState(connectState(`http://${app.stateAddress}`));
  const events = await EventReader.open(`${app.url}/events`);
  const watch = await remote.watchKindAggregated(VMStatus.kind);
  await remote.create(VMConfig.new('web-1', { cpus: 1, memoryMib: 512, image: 'debian-12' }));
  await remote.create(VMConfig.new('bad', { cpus: 1, memoryMib: 512, image: 'broken-image' }));
  await app.plane.state.watchFor(VMStatus.at('web-1'), {
    events: ['created', 'updated'],
    matches: ({ spec }) => spec.state === 'running',
  });
  await app.plane.state.watchFor(VMStatus.at('bad'), {
    events: ['created', 'updated'],
    matches: ({ spec }) => spec.state === 'failed',
  });
  for (const path of ['/metrics', '/status', '/graph.dot']) await (await fetch(`${app.url}${path}`)).text();
  expect(process.listenerCount('uncaughtException')).toBeGreaterThan(0);

  await app.close();
  await app.close();
  const report = runtime.report();
  expect(report.status).toBe('stopped');
  expect(report.controllers.map(({ status, inProgress }) => [status, inProgress])).toEqual(
    report.controllers.map(() => ['stopped', 0]),
  );
  expect([report.watches, report.tasks, report.bridges]).toEqual([[], [], []]);
  // The test's own ends.
  await watch.close();
  await remote.close();
  await events[Symbol.asyncDispose]();
}

it.each(['memory', 'disk', 'encrypted'] as const)(
  'leaves no timer, socket, listener or work behind when it is closed while it is used: %s',
  { timeout: 30_000 },
  async (kept) => {
    await using folder = await TemporaryFolder.make();
    const key = { file: folder.file('key.asc'), slot: 'default', passphrase: {} };
    const data =
      kept === 'memory' ? undefined : { folder: folder.file('data'), key: kept === 'encrypted' ? key : undefined };
    const before = await HostResources.settled();
    await useAndClose(appOptions(folder.path, { data }));
    expect(await before.leaks()).toEqual([]);
  },
);
