import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { KeyOptions } from '@cosi-ts/app-kit';
import { TemporaryFolder } from '@cosi-ts/app-kit/testing';
import { RecordingLogger } from '@cosi-ts/testing';
import { describe, expect, it, vi } from 'vitest';
import { type App, startApp } from './app.js';
import { VMConfig, VMStatus } from './resources/index.js';
import { appOptions } from './testing/app-fixture.js';

// Stores are opened, and wait for the disk, many times.
vi.setConfig({ testTimeout: 30_000 });

/** Texts that stand in no other place than the one that they are named after. */
const secrets = {
  image: 'image-Quokka',
  'host selector': 'selector-Wombat',
  'spread group': 'group-Numbat',
  'label name': 'label-Dingo',
  'label value': 'value-Bilby',
  'annotation name': 'annotation-Koala',
  'annotation value': 'note-Possum',
  finalizer: 'finalizer-Echidna',
  'owner and finalizer of controllers': 'PlacementController',
  'message of a status': 'no host will do',
  'address of a machine': '10.77.0.2',
};
/** What can be seen: where each resource lies. */
const pointers = [VMConfig.type, VMStatus.type, 'web-1', 'vms'];

/** Has VMs come, change and go, so that there are events of all kinds. */
async function fill(app: App): Promise<void> {
  const { state } = app.plane;
  const status = (id: string, matches: (spec: { readonly state: string; readonly message: string }) => boolean) =>
    state.watchFor(VMStatus.at(id), { events: ['created', 'updated'], matches: ({ spec }) => matches(spec) });
  const runs = (id: string) => status(id, (is) => is.state === 'running');
  const spec = { cpus: 1, memoryMib: 512, image: secrets.image };
  await state.create(VMConfig.new('web-1', spec, { labels: { [secrets['label name']]: secrets['label value'] } }));
  await runs('web-1');
  await state.updateWithConflicts(VMConfig.at('web-1'), (draft) => {
    draft.metadata.annotations = { [secrets['annotation name']]: secrets['annotation value'] };
    draft.spec.spreadGroup = secrets['spread group'];
  });
  await state.addFinalizer(VMConfig.at('web-1'), secrets.finalizer);
  const nowhere = { ...spec, hostSelector: { zone: secrets['host selector'] } };
  await state.create(VMConfig.new('nowhere', nowhere));
  await status('nowhere', ({ message }) => message !== '');
  await state.create(VMConfig.new('gone', spec));
  await runs('gone');
  await state.teardown(VMConfig.at('gone'));
  await state.watchFor(VMConfig.at('gone'), { events: ['destroyed'] });
}

/**
 * Which of the texts stand in the files of a data folder. The machine file is left out: it is the simulated hypervisor's
 * own, is no part of the store and is not encrypted.
 */
async function found(folder: string, texts: readonly string[]): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('machines.json'))
    .map(({ parentPath, name }) => join(parentPath, name));
  expect(files.map((file) => basename(file))).toContain('CURRENT');
  const contents = Buffer.concat(await Promise.all(files.map((file) => readFile(file))));
  return texts.filter((text) => contents.includes(text));
}

async function searched(key: ((folder: string) => KeyOptions) | undefined) {
  await using temporary = await TemporaryFolder.make();
  const folder = temporary.file('data');
  const options = appOptions(temporary.path, {
    data: { folder, key: key?.(temporary.path) },
    hypervisorFile: join(folder, 'machines.json'),
    network: '10.77.0.0/24',
  });
  await using app = await startApp(options, new RecordingLogger());
  const texts = [...Object.values(secrets), ...pointers];
  await fill(app);
  const whileOpen = await found(folder, texts);
  await app.close();
  // The next opening moves what was logged into tables.
  await (await startApp(options, new RecordingLogger())).close();
  return { whileOpen, afterwards: await found(folder, texts) };
}

describe('the files of the data folder', () => {
  it('show nothing but pointers when they are encrypted', async () => {
    const { whileOpen, afterwards } = await searched((folder) => ({
      file: join(folder, 'key.asc'),
      slot: 'default',
      passphrase: {},
    }));
    expect(whileOpen).toEqual(pointers);
    expect(afterwards).toEqual(pointers);
  });

  it('show all of it when they are not, so that the search is known to find it', async () => {
    const { whileOpen, afterwards } = await searched(undefined);
    expect(whileOpen).toEqual([...Object.values(secrets), ...pointers]);
    expect(afterwards).toEqual([...Object.values(secrets), ...pointers]);
  });
});
