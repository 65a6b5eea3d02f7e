import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isUnsupported } from '@cosi-ts/resource';
import { systemClock, systemRandom } from '@cosi-ts/state';
import { RecordingLogger } from '@cosi-ts/testing';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { StartError } from '../start-error.js';
import { Thing, thingData } from '../testdata/things.js';
import { complaints } from '../testing/complaints.js';
import { keyPair } from '../testing/key-pair.js';
import { TemporaryFolder } from '../testing/temporary-folder.js';
import type { KeyOptions } from './data-options.js';
import { type Data, openData } from './open-data.js';

// Stores are opened, and wait for the disk, many times.
vi.setConfig({ testTimeout: 30_000 });

const thing = (id: string) => Thing.new(id, { size: 16 });

/** A data folder, and key files beside it. */
class Fixture implements AsyncDisposable {
  readonly logger = new RecordingLogger();
  readonly data: string;

  private constructor(readonly folder: TemporaryFolder) {
    this.data = folder.file('data');
  }

  static async make(): Promise<Fixture> {
    return new Fixture(await TemporaryFolder.make());
  }

  key(name: string, options: Partial<KeyOptions> = {}): KeyOptions {
    return { file: this.folder.file(name), slot: 'default', passphrase: {}, ...options };
  }

  open(key?: KeyOptions): Promise<Data> {
    return openData(
      thingData,
      { folder: this.data, key },
      { clock: systemClock, random: systemRandom, logger: this.logger },
    );
  }

  /** Opens it, writes a thing, and closes it. */
  async write(id: string, key?: KeyOptions): Promise<void> {
    const data = await this.open(key);
    await data.state.create(thing(id));
    await data.close();
  }

  /** Why it cannot be opened. Nothing in the folder is different afterwards. */
  async refusal(key?: KeyOptions): Promise<string> {
    const before = await this.contents();
    const error = await this.open(key).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(StartError);
    expect(await this.contents()).toEqual(before);
    return (error as StartError).message;
  }

  async contents(): Promise<ReadonlyMap<string, string>> {
    const entries = await readdir(this.folder.path, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    return new Map(
      await Promise.all(files.map(async (file) => [file, await readFile(file, 'base64')] as [string, string])),
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.folder[Symbol.asyncDispose]();
  }
}

const warnings = (logger: RecordingLogger) => complaints(logger).map(({ message }) => message);
const notes = (logger: RecordingLogger) => logger.at('info').map(({ message, facts }) => ({ message, ...facts }));

describe('the data', () => {
  it('is there again after the next opening, with the same versions', async () => {
    await using fixture = await Fixture.make();
    const first = await fixture.open();
    await first.state.create(thing('thing-1'));
    const written = await first.state.updateWithConflicts(Thing.at('thing-1'), (draft) => {
      draft.spec.size = 32;
    });
    await first.close();
    await first.close();
    const second = await fixture.open();
    const read = await second.state.get(Thing.at('thing-1'));
    expect(read.equals(written)).toBe(true);
    expect(read.metadata.version).toBe(2n);
    await second.close();
    expect(warnings(fixture.logger)).toEqual([]);
    expect(notes(fixture.logger)).toMatchObject([
      { message: 'store opened', folder: fixture.data, encrypted: false, resources: 0, position: 0 },
      { message: 'store closed', folder: fixture.data },
      { message: 'store opened', folder: fixture.data, encrypted: false, resources: 1, position: 2 },
      { message: 'store closed', folder: fixture.data },
    ]);
  });

  it('is for its owner only', async () => {
    await using fixture = await Fixture.make();
    await fixture.write('thing-1');
    expect((await stat(fixture.data)).mode & 0o777).toBe(0o700);
  });

  it('can be kept in memory, and is not backed up then', async () => {
    const init = { clock: systemClock, random: systemRandom, logger: new RecordingLogger() };
    const data = await openData(thingData, undefined, init);
    await data.state.create(thing('thing-1'));
    await expect(data.backUp('/nowhere')).rejects.toSatisfy(isUnsupported);
    await data.close();
  });

  it('is refused while it is in use, and says what to do', async () => {
    await using fixture = await Fixture.make();
    const data = await fixture.open();
    await expect(fixture.open()).rejects.toThrow(
      `the data in ${fixture.data} is in use: stop the program that uses it, or name another folder with --data`,
    );
    await data.state.create(thing('thing-1'));
    await data.close();
    await fixture.write('thing-2');
  });

  it('cannot be where a file is', async () => {
    await using fixture = await Fixture.make();
    await writeFile(fixture.data, 'something else');
    expect(await fixture.refusal()).toMatch(/cannot be read and written: EEXIST.*or name another folder with --data/);
    await rm(fixture.data);
    await mkdir(fixture.data);
    await writeFile(join(fixture.data, 'state'), 'something else');
    expect(await fixture.refusal()).toMatch(/cannot be read and written: ENOTDIR.*or name another folder with --data/);
  });

  it('says what to do when a file of it is damaged, whichever', async () => {
    await using fixture = await Fixture.make();
    await fixture.write('thing-1');
    const store = join(fixture.data, 'state');
    // LevelDB's lock is empty, as is its log when it was closed; nothing depends on its diary, and how it was closed and
    // what was checked then can be forgotten.
    const names = (await readdir(store)).filter((name) => !/^(LOCK|LOG|CLOSED|TABLES|.*\.log)$/.test(name));
    expect(names).toHaveLength(3);
    for (const name of names) {
      const path = join(store, name);
      const content = await readFile(path);
      const flipped = Buffer.from(content);
      // Of a table, this is what holds it together: damage in a value is found when that is read.
      const at = content.length - 9;
      flipped[at] = (flipped[at] as number) ^ 1;
      await writeFile(path, flipped);
      expect(await fixture.refusal()).toMatch(/is damaged: .*"verify" tells all.*"repair <folder>".*backup/);
      await writeFile(path, content);
    }
    await (await fixture.open()).close();
  });
});

describe('encrypted data', () => {
  it('makes its key at the beginning, and says that all depends on it', async () => {
    await using fixture = await Fixture.make();
    const key = fixture.key('key.asc');
    await fixture.write('thing-1', key);
    expect((await stat(key.file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(fixture.data, 'keys'))).mode & 0o777).toBe(0o600);
    expect(complaints(fixture.logger)).toEqual([
      {
        level: 'warn',
        facts: { file: key.file },
        message: 'key made: keep a copy of it elsewhere. Without it all data is lost',
      },
    ]);
    expect(notes(fixture.logger)[0]).toMatchObject({ message: 'key storage made', slot: 'default' });

    const data = await fixture.open(key);
    expect((await data.state.get(Thing.at('thing-1'))).spec.size).toBe(16);
    await data.close();
    expect(complaints(fixture.logger)).toHaveLength(1);
    expect(notes(fixture.logger).at(-2)).toMatchObject({ message: 'store opened', encrypted: true, resources: 1 });
  });

  it('takes a key that is there, in a slot that is named', async () => {
    await using fixture = await Fixture.make();
    const key = fixture.key('ann.asc', { slot: 'ann' });
    await writeFile(key.file, (await keyPair()).privateKey, { mode: 0o640 });
    await fixture.write('thing-1', key);
    expect(warnings(fixture.logger)).toEqual(['other users can read the private key: chmod 600 keeps them out']);
    expect(await fixture.refusal({ ...key, slot: 'default' })).toContain('Name another one with --key-slot');
  });

  it('goes on when the first start ended between its steps', async () => {
    await using fixture = await Fixture.make();
    const key = fixture.key('key.asc');
    await fixture.write('thing-1', key);
    // The key was made, and nothing else; then the key storage too, and no store.
    await rm(fixture.data, { recursive: true });
    await fixture.write('thing-1', key);
    await rm(join(fixture.data, 'state'), { recursive: true });
    expect(await fixture.refusal()).toContain('is encrypted: name the private key that opens it with --encrypt');
    await fixture.write('thing-1', key);
    expect(warnings(fixture.logger)).toHaveLength(1);
  });

  it.each([
    ['file', { file: 'passphrase' }],
    ['variable', { text: 'open sesame' }],
  ])('locks the key that it makes with a passphrase from a %s', async (_, source) => {
    await using fixture = await Fixture.make();
    const given = 'file' in source ? { file: fixture.folder.file(source.file as string) } : source;
    await writeFile(fixture.folder.file('passphrase'), 'open sesame\n');
    const key = fixture.key('key.asc', { passphrase: given });
    await fixture.write('thing-1', key);
    await (await fixture.open({ ...key, passphrase: { text: 'open sesame' } })).close();
    expect(await fixture.refusal({ ...key, passphrase: {} })).toMatch(/its passphrase is needed.*--passphrase-file/);
    expect(await fixture.refusal({ ...key, passphrase: { text: '' } })).toMatch(/its passphrase is needed/);
    expect(await fixture.refusal({ ...key, passphrase: { text: 'wrong' } })).toMatch(
      /does not unlock the private key.*--passphrase-file or the variable THINGS_PASSPHRASE/,
    );
  });

  it('says what is wrong with a passphrase file', async () => {
    await using fixture = await Fixture.make();
    const passphrase = { file: fixture.folder.file('passphrase') };
    const key = fixture.key('key.asc', { passphrase });
    expect(await fixture.refusal(key)).toMatch(/the passphrase file .* cannot be read: ENOENT/);
    await writeFile(passphrase.file, '\n');
    expect(await fixture.refusal(key)).toMatch(/the passphrase file .* is empty/);
  });

  it.each([
    ['one with a public key', async () => (await keyPair()).publicKey, /no armored OpenPGP private key.*--encrypt/],
    ['one with another text', async () => 'hello', /no armored OpenPGP key.*begins with/],
  ])('begins with no key file that would not open it again: %s', async (_, text, message) => {
    await using fixture = await Fixture.make();
    const key = fixture.key('key.asc');
    await writeFile(key.file, await text(), { mode: 0o600 });
    expect(await fixture.refusal(key)).toMatch(message);
    expect(await readdir(fixture.data)).toEqual([]);
  });

  it('says when a key file cannot be read or made', async () => {
    await using fixture = await Fixture.make();
    expect(await fixture.refusal({ ...fixture.key('x'), file: fixture.folder.path })).toMatch(
      /the key file .* cannot be read: EISDIR/,
    );
    expect(await fixture.refusal(fixture.key('no/such/key.asc'))).toMatch(/the key file .* cannot be made: ENOENT/);
  });

  describe('that is there', () => {
    let other: string;
    beforeAll(async () => {
      other = (await keyPair()).privateKey;
    });

    async function written(): Promise<{ fixture: Fixture; key: KeyOptions }> {
      const fixture = await Fixture.make();
      const key = fixture.key('key.asc');
      await fixture.write('thing-1', key);
      return { fixture, key };
    }

    it('is not opened without a key', async () => {
      const { fixture } = await written();
      await using _ = fixture;
      expect(await fixture.refusal()).toBe(
        `the data in ${fixture.data} is encrypted: name the private key that opens it with --encrypt`,
      );
    });

    it('is not opened with another key, and no other key is made for it', async () => {
      const { fixture, key } = await written();
      await using _ = fixture;
      expect(await fixture.refusal(fixture.key('none.asc'))).toMatch(/none.asc does not exist.*needs the key/);
      await writeFile(key.file, other);
      expect(await fixture.refusal(key)).toMatch(/the key does not open it, or its message is damaged.*--encrypt/);
    });

    it('is not taken for plain, or damaged, when its keys are lost', async () => {
      const { fixture, key } = await written();
      await using _ = fixture;
      const keys = join(fixture.data, 'keys');
      const blob = await readFile(keys);
      await rm(keys);
      await expect(fixture.open()).rejects.toThrow(`its file ${keys} is missing: bring that back from a backup`);
      expect(await fixture.refusal(key)).toContain(`its file ${keys} is missing: bring that back from a backup`);
      await writeFile(keys, blob.subarray(5));
      expect(await fixture.refusal(key)).toMatch(/the keys in .* are damaged.*backup/);
      await writeFile(keys, blob);
      await (await fixture.open(key)).close();
    });

    it('is not opened with the keys of other data', async () => {
      const { fixture, key } = await written();
      await using _ = fixture;
      await rm(join(fixture.data, 'keys'));
      const { fixture: second, key: secondKey } = await written();
      await using __ = second;
      await writeFile(join(fixture.data, 'keys'), await readFile(join(second.data, 'keys')));
      await expect(fixture.open({ ...key, file: secondKey.file })).rejects.toThrow(
        /is damaged: .*thing-1.*cannot be decrypted/,
      );
    });

    it('begins plain, and stays so', async () => {
      await using fixture = await Fixture.make();
      await fixture.write('thing-1');
      expect(await fixture.refusal(fixture.key('key.asc'))).toMatch(
        /is not encrypted, and stays so: leave out --encrypt, or name a new folder with --data/,
      );
    });
  });
});
