import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TemporaryFolder } from '@cosi-ts/app-kit/testing';
import { describe, expect, it } from 'vitest';
import { AppFixture } from './testing/app-fixture.js';

const wait = 'name: wait\nsteps:\n  go: { wait: go }\n  say: { needs: go, run: echo said }\n';

describe('an engine with a data folder', { timeout: 20_000 }, () => {
  it('E18: goes on where it was, and so do those who followed it', async () => {
    await using folder = await TemporaryFolder.make();
    const data = { folder: folder.file('data') };
    let run: string;
    let position: string | undefined;
    {
      await using fixture = await AppFixture.start({ data });
      await fixture.call('POST', '/workflows', wait);
      run = (await fixture.call('POST', '/runs', { workflow: 'wait' })).body.id;
      await fixture.untilStep(run, 'go', 'waiting');
      await using events = await fixture.events(`/events?run=${run}`);
      position = (await events.upTo(({ event }) => event === 'ready')).at(-1)?.id;
    }
    await using fixture = await AppFixture.start({ data });
    await using events = await fixture.events(`/events?run=${run}`, position);
    expect((await events.upTo(({ event }) => event === 'ready')).map(({ event }) => event)).not.toContain('reset');
    expect((await fixture.call('POST', `/runs/${run}/signals/go`, {})).status).toBe(201);
    await fixture.untilState(run, 'succeeded');
    const { body } = await fixture.call('GET', `/runs/${run}/steps/say/log`);
    expect(body.lines.map(({ text }: { text: string }) => text)).toContain('said');
    expect((await fixture.call('GET', '/workflows')).body.workflows).toMatchObject([{ name: 'wait' }]);
  });

  it('keeps secrets unreadable with a key', async () => {
    await using folder = await TemporaryFolder.make();
    const key = { file: folder.file('key.asc'), slot: 'default', passphrase: {} };
    const data = { folder: folder.file('data'), key };
    {
      await using fixture = await AppFixture.start({ data });
      await fixture.call('PUT', '/secrets/deploy', { values: { token: 'hush-hush-hush' } });
    }
    const names = await readdir(data.folder, { recursive: true, withFileTypes: true });
    const files = names.filter((name) => name.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) expect((await readFile(file)).includes('hush-hush-hush')).toBe(false);
    await using fixture = await AppFixture.start({ data });
    expect((await fixture.call('GET', '/secrets')).body.secrets).toMatchObject([{ name: 'deploy', keys: ['token'] }]);
    await expect(AppFixture.start({ data: { folder: folder.file('data') } })).rejects.toThrow();
  });
});
