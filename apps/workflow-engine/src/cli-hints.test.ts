import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { BuiltApp, TemporaryFolder } from '@cosi-ts/app-kit/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliOutcome, CliProcess } from './testing/cli-process.js';

let built: BuiltApp;
let folder: TemporaryFolder;

const files: Readonly<Record<string, string>> = {
  'secret.yaml': 'name: s\nsteps:\n  a: { run: "true", secretEnv: { TOKEN: github/token } }\n',
  'function.yaml': 'name: f\nsteps:\n  a: { function: resize }\n',
  'outer.yaml': 'name: o\nsteps:\n  a: { workflow: inner }\n',
  'plugged.yaml': 'name: p\nsteps:\n  a: { shout: { text: hi } }\n',
  'plugin.mjs': `export const executors = [{ name: 'shout', execute: async ({ action }, { log }) => {
    log.info('shouting ' + action.text);
    return { state: 'failed', reason: 'error', message: 'hoarse' };
  } }];`,
};

beforeAll(async () => {
  [built, folder] = await Promise.all([BuiltApp.build('apps/workflow-engine/src/main.ts'), TemporaryFolder.make()]);
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(folder.file(name), text)));
}, 60_000);

afterAll(async () => {
  await built?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

/** @param server an address at which nobody listens */
async function workflow(...args: string[]): Promise<CliOutcome> {
  const environment = { WORKFLOW_SERVER: 'http://127.0.0.1:9' };
  return new CliProcess(built.entry, args, { workingFolder: folder.path, environment }).ended;
}

describe('what a run misses', { timeout: 60_000 }, () => {
  it.each([
    ['secret.yaml', 'there is no secret github: give it with --secret github/token=…'],
    ['function.yaml', 'there is no function resize: none is plugged in (--plugin FILE)'],
    ['outer.yaml', 'there is no workflow inner: --apply FILE adds it'],
    ['plugged.yaml', 'of a step that an executor of a plugin does: give its module with --plugin FILE'],
  ])('is told with how a run of its own engine gets it: %s', async (file, message) => {
    const { code, stderr } = await workflow('run', file, '--local');
    expect(stderr).toContain(message);
    expect(code).toBe(1);
  });

  it('is told where there is no engine', async () => {
    const { stderr } = await workflow('run', 'plugged.yaml');
    expect(stderr).toContain(
      'start an engine with "workflow serve --plugin FILE", or give its module with --local --plugin FILE',
    );
    expect((await workflow('graph', 'plugged.yaml')).stderr).toContain('name it with --executor NAME');
  });

  it('is nothing, and what an executor of a plugin writes is shown', async () => {
    const { stderr } = await workflow('run', 'plugged.yaml', '--local', '--plugin', 'plugin.mjs');
    expect(stderr).toContain('a │ shouting hi');
    expect(stderr).toContain('a │ hoarse');
  });
});

describe('an engine that cannot start', { timeout: 60_000 }, () => {
  it('says which slots there are', async () => {
    const { code, stdout, stderr } = await workflow('serve', '--data', 'memory', '--slots', 'run=1,runs=2');
    expect(`${stdout}${stderr}`).toContain(
      'there are no slots for runs: no executor has that name; there are run, http, function',
    );
    expect(code).toBe(1);
  });

  it.runIf(existsSync('/proc/self'))('says that there can be no folder for its data', async () => {
    for (const args of [
      ['serve', '--port', '0', '--state-address', '127.0.0.1:0'],
      ['worker', '--serves', 'a=b'],
    ]) {
      const { code, stdout, stderr } = await workflow(...args, '--data', '/proc/x');
      expect(`${stdout}${stderr}`).toContain("no such file or directory, mkdir '/proc/x'");
      expect(`${stdout}${stderr}`).toContain('--data');
      expect(code).toBe(1);
    }
  });
});
