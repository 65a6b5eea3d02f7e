import { hostname } from 'node:os';
import { TemporaryFolder } from '@cosi-ts/app-kit/testing';
import { RecordingLogger } from '@cosi-ts/testing';
import { describe, expect, it } from 'vitest';
import { AppFixture } from './testing/app-fixture.js';
import { CommandFixture } from './testing/command-fixture.js';
import { startWorker } from './worker-app.js';

const source = `
name: remote
steps:
  here: { runsOn: { os: linux }, run: echo hi }
  each: { runsOn: { os: linux }, forEach: [1], run: echo hi }
  wrong: { needs: [here, each], runsOn: { os: linux }, run: exit 3 }
`;

describe('the log of a step that a worker has executed', { timeout: 30_000 }, () => {
  it('is told to be with the worker, with host and path, wherever it is asked for', async () => {
    await using fixture = await AppFixture.start();
    await using folder = await TemporaryFolder.make();
    const options = {
      name: 'w1',
      serves: { os: 'linux' },
      slots: 2,
      leaseMs: 5000,
      graceMs: 1000,
      folder: folder.path,
    };
    const stateUrl = `http://${fixture.app.stateAddress}`;
    const log = { level: 'info', format: 'json' } as const;
    await using _ = await startWorker({ ...options, stateUrl, log }, new RecordingLogger());
    const run = await fixture.start(source);
    const { steps } = await fixture.untilState(run, 'failed');
    const path = `${folder.path}/logs/${run}/here/1.log`;
    const elsewhere = { host: hostname(), log: path, artifacts: `${folder.path}/artifacts/${run}` };
    expect(steps[0].execution).toMatchObject({ hasLog: false, elsewhere });
    for (const query of ['', '?follow=true', '?attempt=1', '?tail=3']) {
      expect(await fixture.call('GET', `/runs/${run}/steps/here/log${query}`)).toMatchObject({
        status: 404,
        body: { code: 'log-elsewhere', detail: `the log of step here is with its worker: ${path} on ${hostname()}` },
      });
    }
    await using commands = await CommandFixture.make(fixture.app, {});
    const said = async (...args: string[]) => (await commands.run(['logs', run, ...args])).notes;
    for (const args of [[], ['here'], ['-f', 'here']])
      expect(await said(...args)).toContain(`${path} on ${hostname()}`);
    const ofItem = `${folder.path}/logs/${run}/each.0/1.log on ${hostname()}`;
    for (const args of [[], ['each'], ['each', '--index', '0']]) expect(await said(...args)).toContain(ofItem);
    const { notes } = await commands.run(['get', 'run', run, '--wait']);
    expect(notes).toContain(`log:    ${folder.path}/logs/${run}/wrong/1.log on ${hostname()}`);
  });
});
