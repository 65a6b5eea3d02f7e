import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@cosi-ts/state';
import { RecordingLogger } from '@cosi-ts/testing';
import { describe, expect, it, vi } from 'vitest';
import { StartError } from '../start-error.js';
import type { KeyOptions } from '../storage/data-options.js';
import { type Data, openData } from '../storage/open-data.js';
import { Thing, thingData } from '../testdata/things.js';
import { keyPair } from '../testing/key-pair.js';
import { TemporaryFolder } from '../testing/temporary-folder.js';
import { runCommand } from './run-command.js';

// Stores are opened, and wait for the disk, many times.
vi.setConfig({ testTimeout: 30_000 });

const logger = new RecordingLogger();

const things = ['thing-1', 'thing-2', 'thing-3'];

/** Two data folders, one of them encrypted, with three things in each. */
class Fixture implements AsyncDisposable {
  readonly key: KeyOptions;
  readonly plain: string;
  readonly secret: string;

  private constructor(readonly folder: TemporaryFolder) {
    this.plain = folder.file('plain');
    this.secret = folder.file('secret');
    this.key = this.keyOf('key.asc');
  }

  static async make(): Promise<Fixture> {
    const fixture = new Fixture(await TemporaryFolder.make());
    await fixture.fill(fixture.plain);
    await fixture.fill(fixture.secret, fixture.key);
    return fixture;
  }

  keyOf(file: string, slot = 'default'): KeyOptions {
    return { file: this.folder.file(file), slot, passphrase: {} };
  }

  /** Whoever opened it closes it. */
  start(folder: string, key?: KeyOptions): Promise<Data> {
    const init = { clock: systemClock, random: systemRandom, logger: new RecordingLogger() };
    return openData(thingData, { folder, key }, init);
  }

  async fill(folder: string, key?: KeyOptions): Promise<void> {
    const data = await this.start(folder, key);
    for (const id of things) await data.state.create(Thing.new(id, { size: 1 }));
    await data.close();
  }

  /** The ids of the things in the data. */
  async things(folder: string, key?: KeyOptions): Promise<readonly string[]> {
    const data = await this.start(folder, key);
    const found = await data.state.list(Thing.kind);
    await data.close();
    return found.map(({ metadata }) => metadata.id);
  }

  /** Flips a byte after each place of an id in the tables that the store was closed with: records follow their keys. */
  async damage(folder: string, id: string): Promise<void> {
    const store = join(folder, 'state');
    for (const name of (await readdir(store)).filter((each) => each.endsWith('.ldb'))) {
      const content = await readFile(join(store, name));
      for (let at = content.indexOf(id); at !== -1; at = content.indexOf(id, at + 1)) {
        const inside = at + id.length + 20;
        content[inside] = (content[inside] as number) ^ 1;
      }
      await writeFile(join(store, name), content);
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.folder[Symbol.asyncDispose]();
  }
}

describe('the commands', () => {
  it('say when there is nothing', async () => {
    await using temporary = await TemporaryFolder.make();
    const folder = temporary.file('none');
    const key: KeyOptions = { file: temporary.file('key.asc'), slot: 'default', passphrase: {} };
    for (const task of [
      { name: 'backup', folder, into: temporary.file('copy') },
      { name: 'verify', folder, key },
      { name: 'repair', folder, into: temporary.file('copy'), key },
    ] as const) {
      await expect(runCommand(thingData, task, logger)).rejects.toThrow(`there is no data in ${folder}`);
    }
    for (const task of [
      { name: 'keys list', folder },
      { name: 'keys delete', folder, key },
    ] as const) {
      await expect(runCommand(thingData, task, logger)).rejects.toThrow('is not encrypted: there are no keys');
    }
    // No key was made for them either.
    expect(await readdir(temporary.path)).toEqual([]);
  });

  it('leave data alone that is in use', async () => {
    await using fixture = await Fixture.make();
    const data = await fixture.start(fixture.plain);
    const { plain: folder } = fixture;
    for (const task of [
      { name: 'backup', folder, into: fixture.folder.file('copy') },
      { name: 'verify', folder, key: undefined },
      { name: 'repair', folder, into: fixture.folder.file('copy'), key: undefined },
    ] as const) {
      const run = runCommand(thingData, task, logger);
      await expect(run).rejects.toBeInstanceOf(StartError);
      await expect(run).rejects.toThrow('is in use: stop the program that uses it');
    }
    await data.close();
    expect((await readdir(fixture.folder.path)).sort()).toEqual(['key.asc', 'plain', 'secret']);
  });
});

describe('backup', () => {
  it.each(['plain', 'secret'] as const)('makes a data folder to start from: %s', async (which) => {
    await using fixture = await Fixture.make();
    const into = fixture.folder.file('backups/monday');
    const { ok, lines } = await runCommand(thingData, { name: 'backup', folder: fixture[which], into }, logger);
    expect(ok).toBe(true);
    expect(lines[0]).toMatch(/^backed up to .*monday, up to position \d+$/);
    expect(lines.length > 1).toBe(which === 'secret');
    expect((await stat(into)).mode & 0o777).toBe(0o700);
    expect(await readdir(fixture.folder.file('backups'))).toEqual(['monday']);
    const key = which === 'secret' ? fixture.key : undefined;
    expect(await fixture.things(into, key)).toEqual(things);
    expect(await fixture.things(fixture[which], key)).toEqual(things);
  });

  it("takes the app's own files along", async () => {
    await using fixture = await Fixture.make();
    const own = '{"format":1}';
    await writeFile(join(fixture.plain, 'own.json'), own);
    const into = fixture.folder.file('copy');
    await runCommand(thingData, { name: 'backup', folder: fixture.plain, into }, logger);
    expect(await readFile(join(into, 'own.json'), 'utf8')).toBe(own);
  });

  it('overwrites nothing', async () => {
    await using fixture = await Fixture.make();
    const run = runCommand(thingData, { name: 'backup', folder: fixture.plain, into: fixture.secret }, logger);
    await expect(run).rejects.toThrow(`the folder ${fixture.secret} is not empty`);
    const nowhere = runCommand(
      thingData,
      { name: 'backup', folder: fixture.plain, into: `${fixture.key.file}/copy` },
      logger,
    );
    await expect(nowhere).rejects.toThrow(/cannot write .*key.asc\/copy: ENOTDIR/);
  });

  it('can be made of data in use, within the process', async () => {
    await using fixture = await Fixture.make();
    const into = fixture.folder.file('copy');
    const data = await fixture.start(fixture.secret, fixture.key);
    await data.state.create(Thing.new('thing-4', { size: 1 }));
    await data.backUp(into);
    await data.state.create(Thing.new('thing-5', { size: 1 }));
    expect(await fixture.things(into, fixture.key)).toEqual([...things, 'thing-4']);
    await expect(data.backUp(into)).rejects.toThrow('is not empty');
    await data.close();
  });
});

describe('verify', () => {
  it('tells what there is', async () => {
    await using fixture = await Fixture.make();
    const { plain, secret, key } = fixture;
    const contents = ['  3 resources: things 3', '  3 events kept, up to position 3'];
    const verify = (folder: string, with_?: KeyOptions) =>
      runCommand(thingData, { name: 'verify', folder, key: with_ }, logger);
    expect(await verify(plain)).toEqual({
      ok: true,
      lines: [plain, ...contents, '  every record was decoded', 'no damage'],
    });
    expect(await verify(secret, key)).toEqual({
      ok: true,
      lines: [secret, ...contents, '  every record was decoded', 'no damage'],
    });
    expect(await verify(secret)).toMatchObject({ ok: true, lines: { 3: expect.stringContaining('not decrypted') } });
    await expect(verify(plain, key)).rejects.toThrow('is not encrypted');
    await expect(verify(secret, { ...key, slot: 'nobody' })).rejects.toThrow('there is no slot "nobody"');
  });

  it('names what is damaged', async () => {
    await using fixture = await Fixture.make();
    await fixture.damage(fixture.plain, 'thing-1');
    const { ok, lines } = await runCommand(
      thingData,
      { name: 'verify', folder: fixture.plain, key: undefined },
      logger,
    );
    expect(ok).toBe(false);
    expect(lines.filter((line) => line.startsWith('damage: '))).not.toEqual([]);
    expect(lines.at(-1)).toMatch(/^\d+ damages$/);
  });
});

describe('repair', () => {
  it.each(['plain', 'secret'] as const)('makes data of what can be read: %s', async (which) => {
    await using fixture = await Fixture.make();
    const folder = fixture[which];
    const key = which === 'secret' ? fixture.key : undefined;
    await fixture.damage(folder, 'thing-1');
    await expect(fixture.start(folder, key)).rejects.toThrow('is damaged');
    const into = fixture.folder.file('repaired');
    const { ok, lines } = await runCommand(thingData, { name: 'repair', folder, into, key }, logger);
    expect(ok).toBe(false);
    expect(lines.join('\n')).toContain(`resources are in ${into} now: start with --data ${into}`);
    const kept = await fixture.things(into, key);
    expect(kept.length).toBeLessThanOrEqual(3);
    expect(things).toEqual(expect.arrayContaining([...kept]));
    expect(await runCommand(thingData, { name: 'verify', folder: into, key }, logger)).toMatchObject({ ok: true });
    await expect(fixture.start(folder, key)).rejects.toThrow('is damaged');
  });

  it('needs the key of encrypted data', async () => {
    await using fixture = await Fixture.make();
    const into = fixture.folder.file('repaired');
    const run = runCommand(thingData, { name: 'repair', folder: fixture.secret, into, key: undefined }, logger);
    await expect(run).rejects.toThrow('name the private key that opens it with --encrypt');
  });

  it('says when there was nothing to repair', async () => {
    await using fixture = await Fixture.make();
    const into = fixture.folder.file('repaired');
    const outcome = await runCommand(
      thingData,
      { name: 'repair', folder: fixture.plain, into, key: undefined },
      logger,
    );
    expect(outcome).toMatchObject({ ok: true, lines: { 0: 'nothing was damaged' } });
    expect(await fixture.things(into)).toEqual(things);
  });
});

describe('keys', () => {
  it('let others open the data, while it is in use too, and keep them out again', async () => {
    await using fixture = await Fixture.make();
    const { secret: folder, key } = fixture;
    const bob = fixture.keyOf('bob.asc', 'bob');
    const pair = await keyPair();
    await writeFile(bob.file, pair.privateKey, { mode: 0o600 });
    const publicKeyFile = fixture.folder.file('bob.pub.asc');
    await writeFile(publicKeyFile, pair.publicKey);

    const data = await fixture.start(folder, key);
    expect(await runCommand(thingData, { name: 'keys list', folder }, logger)).toEqual({
      ok: true,
      lines: ['default'],
    });
    await runCommand(thingData, { name: 'keys add', folder, slot: 'bob', publicKeyFile, key }, logger);
    expect(await runCommand(thingData, { name: 'keys list', folder }, logger)).toEqual({
      ok: true,
      lines: ['bob', 'default'],
    });
    await data.close();

    expect(await fixture.things(folder, bob)).toEqual(things);
    await expect(
      runCommand(thingData, { name: 'keys delete', folder, key: { ...bob, slot: 'default' } }, logger),
    ).rejects.toThrow('the key does not open it');
    await runCommand(thingData, { name: 'keys delete', folder, key }, logger);
    await expect(fixture.start(folder, key)).rejects.toThrow('there is no slot "default"');
    await expect(runCommand(thingData, { name: 'keys delete', folder, key: bob }, logger)).rejects.toThrow(
      'Add another slot first',
    );
    expect(await fixture.things(folder, bob)).toEqual(things);
  });

  it('say what is wrong', async () => {
    await using fixture = await Fixture.make();
    const { secret: folder, key } = fixture;
    const add = (publicKeyFile: string, slot = 'bob') =>
      runCommand(thingData, { name: 'keys add', folder, slot, publicKeyFile, key }, logger);
    await expect(add(fixture.folder.file('none'))).rejects.toThrow(/the key file .*none does not exist/);
    await writeFile(fixture.folder.file('text'), 'hello');
    await expect(add(fixture.folder.file('text'))).rejects.toThrow(/no armored OpenPGP key. An armored key begins/);
    await expect(add(key.file, 'default')).rejects.toThrow(/slot "default" exists already. Choose another name/);
  });
});
