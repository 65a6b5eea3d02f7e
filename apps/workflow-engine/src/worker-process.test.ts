import { AppProcess, BuiltApp, TemporaryFolder } from '@cosi-ts/app-kit/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliProcess } from './testing/cli-process.js';

let built: BuiltApp;
let folder: TemporaryFolder;

beforeAll(async () => {
  [built, folder] = await Promise.all([BuiltApp.build('apps/workflow-engine/src/main.ts'), TemporaryFolder.make()]);
}, 60_000);

afterAll(async () => {
  await built?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

describe('workers as processes', { timeout: 60_000 }, () => {
  it('E13: one whose name another one takes says so, and ends with a code of its own', async () => {
    await using engine = await AppProcess.start(built.entry, [
      ...['serve', '--port', '0', '--state-address', '127.0.0.1:0', '--data', 'memory', '--grace', '1s'],
    ]);
    const worker = (data: string) =>
      new CliProcess(built.entry, [
        ...['worker', '--name', 'w', '--serves', 'os=linux', '--lease', '600ms', '--log-format', 'json'],
        ...['--data', folder.file(data), '--state', engine.stateAddress],
      ]);
    const first = worker('first');
    await first.writes('"ready"');
    const second = worker('second');
    const { code, stdout, stderr } = await first.ended;
    expect(`${stdout}${stderr}`).toContain(
      'another worker has this name now, and this one ends: choose another --name',
    );
    expect(code).toBe(5);
    await second.writes('"ready"');
    second.child.kill('SIGTERM');
    expect((await second.ended).code).toBe(0);
  });
});
