import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TemporaryFolder } from '@cosi-ts/app-kit/testing';
import { RecordingLogger } from '@cosi-ts/testing';
import { describe, expect, it } from 'vitest';
import { AppFixture } from './testing/app-fixture.js';
import { startWorker, type WorkerOptions } from './worker-app.js';

function options(stateUrl: string, folder: string): WorkerOptions {
  return {
    ...{ name: 'w1', stateUrl, serves: { os: 'linux' }, slots: 2, leaseMs: 5000, graceMs: 1000, folder },
    log: { level: 'info', format: 'json' },
  };
}

describe('a worker', () => {
  it('executes steps over the State service', { timeout: 20_000 }, async () => {
    await using fixture = await AppFixture.start();
    await using folder = await TemporaryFolder.make();
    await using _ = await startWorker(
      options(`http://${fixture.app.stateAddress}`, folder.path),
      new RecordingLogger(),
    );
    const run = await fixture.start(
      'name: remote\nsteps:\n  here: { runsOn: { os: linux }, run: "echo name=$WORKFLOW_STEP >> $WORKFLOW_OUTPUT" }',
    );
    const body = await fixture.untilState(run, 'succeeded');
    expect(body.steps[0].execution.worker).toMatch(/^w1/);
    expect((await fixture.call('GET', '/workers')).body.workers).toMatchObject([
      { id: 'w1', alive: true, serves: { os: 'linux' }, executors: ['run', 'http', 'function'], slots: 2 },
    ]);
  });

  it('wants a folder for itself, and gives it back', async () => {
    await using fixture = await AppFixture.start();
    await using folder = await TemporaryFolder.make();
    const its = options(`http://${fixture.app.stateAddress}`, folder.path);
    const first = await startWorker(its, new RecordingLogger());
    const second = startWorker({ ...its, name: 'w2' }, new RecordingLogger());
    await expect(second).rejects.toThrow(/another worker has this --data: .*worker\.lock is held/);
    await first.close();
    await using _ = await startWorker({ ...its, name: 'w2' }, new RecordingLogger());
  });

  it('does not take the folder of an engine', async () => {
    await using folder = await TemporaryFolder.make();
    await mkdir(join(folder.path, 'state'));
    await writeFile(join(folder.path, 'state', 'CURRENT'), '');
    const starting = startWorker(options('http://127.0.0.1:9', folder.path), new RecordingLogger());
    await expect(starting).rejects.toThrow('is the data of an engine: name another folder with --data');
  });

  it('says that there is no engine', async () => {
    await using folder = await TemporaryFolder.make();
    const starting = startWorker(options('http://127.0.0.1:9', folder.path), new RecordingLogger());
    await expect(starting).rejects.toThrow('no engine answers at http://127.0.0.1:9');
  });
});
