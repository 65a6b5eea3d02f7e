import { readFile, writeFile } from 'node:fs/promises';
import { AppProcess, BuiltApp, EventReader, TemporaryFolder } from '@cosi-ts/app-kit/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let built: BuiltApp;
let folder: TemporaryFolder;

beforeAll(async () => {
  [built, folder] = await Promise.all([BuiltApp.build('apps/workflow-engine/src/main.ts'), TemporaryFolder.make()]);
}, 60_000);

afterAll(async () => {
  await built?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

/** Six items of which each says that it begins, waits until all may go on, and says that it is done. */
const work = (effects: string, go: string) => `name: work
steps:
  each:
    forEach: [0, 1, 2, 3, 4, 5]
    runsOn: { os: any }
    env: { EFFECTS: ${JSON.stringify(effects)}, GO: ${JSON.stringify(go)} }
    run: |
      echo "begin $WORKFLOW_IDEMPOTENCY_KEY $WORKFLOW_ATTEMPT" >> "$EFFECTS"
      until [ -e "$GO" ]; do sleep 0.1; done
      echo "done $WORKFLOW_IDEMPOTENCY_KEY $WORKFLOW_ATTEMPT" >> "$EFFECTS"
`;

interface Execution {
  readonly index: number;
  readonly state: string;
  readonly attempt: number;
  readonly worker: string;
}

async function call(url: string, body?: object) {
  const response = await fetch(url, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json' },
  });
  return response.json();
}

/** The executions of the step, as soon as they are as they should be. */
async function untilExecutions(url: string, run: string, isSo: (executions: readonly Execution[]) => boolean) {
  await using events = await EventReader.open(`${url}/events?run=${run}`);
  const giveUp = AbortSignal.timeout(20_000);
  for (;;) {
    const { executions } = await call(`${url}/runs/${run}/steps/each/executions`);
    if (isSo(executions)) return executions as readonly Execution[];
    if ((await events.next(giveUp)) === undefined) throw new Error(`it is still so: ${JSON.stringify(executions)}`);
  }
}

describe('two workers in processes of their own', { timeout: 60_000 }, () => {
  it('E13: the steps of one that is killed are taken over by the other when its lease is over', async () => {
    const [effects, go] = [folder.file('effects'), folder.file('go')];
    await using engine = await AppProcess.start(built.entry, [
      ...['serve', '--port', '0', '--state-address', '127.0.0.1:0', '--data', folder.file('engine')],
    ]);
    const worker = (name: string) =>
      AppProcess.start(built.entry, [
        ...['worker', '--name', name, '--serves', 'os=any', '--state', engine.stateAddress, '--slots', '3'],
        ...['--lease', '1s', '--data', folder.file(name)],
      ]);
    await using first = await worker('first');
    await using _ = await worker('second');
    const { id: run } = await call(`${engine.url}/runs`, { source: work(effects, go) });
    const of = (name: string) => (execution: Execution) =>
      execution.state === 'running' && execution.worker.startsWith(`${name}/`);
    const before = await untilExecutions(
      engine.url,
      run,
      (all) => all.filter(of('first')).length === 3 && all.filter(of('second')).length === 3,
    );
    const lost = new Set(before.filter(of('first')).map(({ index }) => index));

    expect(await first.signal('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
    // The other one has no room for them until its own are done; those of the one that is gone do what they are at.
    await engine.logs('a worker has gone');
    await writeFile(go, '');
    const after = await untilExecutions(engine.url, run, (all) => all.every(({ state }) => state === 'succeeded'));
    for (const { index, attempt, worker: by } of after) {
      expect([index, by.split('/')[0], attempt]).toEqual([index, 'second', lost.has(index) ? 2 : 1]);
    }

    const lines = (await readFile(effects, 'utf8')).trim().split('\n');
    expect(new Set(lines).size, 'each effect happens once in an attempt').toBe(lines.length);
    const keys = new Map<string, Set<string>>();
    for (const line of lines) {
      const [what, key = '', attempt] = line.split(' ');
      const done = keys.get(key) ?? new Set();
      if (what === 'done') done.add(attempt ?? '');
      keys.set(key, done);
    }
    // All attempts of an execution have its key, and what counts was done.
    expect(keys.size).toBe(6);
    const inOrder = [...keys].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, attempts]) => attempts);
    for (const { index, attempt } of after) expect(inOrder[index]?.has(String(attempt))).toBe(true);
    expect((await call(`${engine.url}/runs/${run}`)).state).toBe('succeeded');
  });
});
