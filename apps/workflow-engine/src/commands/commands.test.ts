import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { AppFixture } from '../testing/app-fixture.js';
import { commandFiles, hello } from '../testing/command-files.js';
import { CommandFixture, type CommandOptions } from '../testing/command-fixture.js';

const files: Readonly<Record<string, string>> = {
  ...commandFiles,
  'broken.yaml': hello.replace('needs: [greet]', 'needs: [great]'),
  'release.yaml':
    'name: release\nsteps:\n  ask: { approve: Release it? }\n  ship: { needs: [ask], run: echo shipped }\n',
  'signal.yaml': `name: signal\nsteps:\n  go: { wait: go }\noutputs: { n: "\${{ steps.go.outputs.n }}" }\n`,
  'plugged.yaml': 'name: plugged\nsteps:\n  tell: { mail: { to: ann } }\n',
  'caller.yaml': 'name: caller\nsteps:\n  call: { workflow: hello, with: { whom: you } }\n',
  'needy.yaml':
    'name: needy\ninputs: { size: number, color: { options: [red, blue], default: red } }\nsteps: { a: { run: "true" } }\n',
  'mixed.yaml':
    'name: mixed\nsteps:\n  first: { run: echo one; exit 1, continueOnError: true }\n  second: { needs: first, run: echo two; exit 2 }\n',
  'passed.yaml': 'name: passed\nsteps:\n  first: { run: exit 1, continueOnError: true }\n',
  'calling.yaml': 'name: calling\nsteps:\n  call: { workflow: nowhere }\n',
  'remote.yaml': 'name: remote\nsteps:\n  there: { run: "true", runsOn: { gpu: yes, os: linux } }\n',
  'token.txt': 'hush-hush\n',
};

let fixture: AppFixture;
let commands: CommandFixture;

beforeAll(async () => {
  fixture = await AppFixture.start();
  commands = await CommandFixture.make(fixture.app, files);
}, 30_000);

afterAll(async () => {
  await commands?.[Symbol.asyncDispose]();
  await fixture?.[Symbol.asyncDispose]();
});

const workflow = (...args: string[]) => commands.run(args);
/** Begins a run, and gives its id. */
const started = async (...args: string[]) => (await workflow('run', ...args, '--no-wait')).out.trim();

/** Begins a command, and gives its outcome to come once it has written that text. */
async function writes(args: readonly string[], text: string) {
  let seen: () => void = () => undefined;
  const hasWritten = new Promise<void>((resolve) => {
    seen = resolve;
  });
  const onWrite: CommandOptions['onWrite'] = (all) => {
    if (all.includes(text)) seen();
  };
  const ended = commands.run(args, { onWrite });
  await Promise.race([hasWritten, ended]);
  return { ended };
}

describe('workflow', { timeout: 30_000 }, () => {
  it('validates files without an engine', async () => {
    const good = await workflow('validate', '@hello.yaml');
    expect(good).toMatchObject({ code: 0, out: `${commands.file('hello.yaml')}: ok, hello with 2 steps\n` });
    const { code, out, notes } = await workflow('validate', '@hello.yaml', '@broken.yaml');
    expect(code).toBe(1);
    expect(out).toContain('broken.yaml:12:13: steps.twice.needs[0]');
    expect(out).toMatch(/needs: \[great\]\n +\^/);
    expect(notes).toContain('1 of 2 files are wrong');
  });

  it('knows executors that are plugged in, when it is told of them', async () => {
    const together = await workflow('validate', '@caller.yaml', '@hello.yaml');
    expect(together.out).toContain('the workflow hello has no input whom; did you mean who?');
    expect(await workflow('validate', '@caller.yaml')).toMatchObject({ code: 0 });
    expect(await workflow('validate', '@plugged.yaml')).toMatchObject({
      code: 1,
      out: expect.stringContaining('mail'),
    });
    expect(await workflow('validate', '@plugged.yaml', '--executor', 'mail')).toMatchObject({ code: 0 });
    expect((await workflow('graph', '@plugged.yaml', '--executor', 'mail', '-o', 'text')).out).toBe(
      '●  tell  (mail)\n',
    );
  });

  it('applies, lists and deletes workflows', async () => {
    expect((await workflow('apply', '@hello.yaml', '@broken.yaml')).code).toBe(1);
    expect((await workflow('apply', '@hello.yaml', '@failing.yaml')).out).toBe(
      'workflow hello is created\nworkflow failing is created\n',
    );
    expect((await workflow('apply', '@hello.yaml')).out).toContain('is as it was');
    expect((await workflow('get', 'workflows')).out).toMatch(/WORKFLOW +STEPS[\s\S]*hello +2 +who\? times\?/);
    const json = JSON.parse((await workflow('get', 'workflows', '-o', 'json')).out);
    expect(json.map(({ name }: { name: string }) => name)).toEqual(['failing', 'hello']);
    const yaml = parse((await workflow('get', 'workflow', 'hello', '-o', 'yaml')).out);
    expect(yaml).toMatchObject({ name: 'hello', source: hello });
    const run = await started('hello');
    expect((await workflow('get', 'run', run, '--wait')).code).toBe(0);
    expect((await workflow('get', 'runs', '--workflow', 'hello', '--state', 'succeeded')).out).toContain(run);
    expect((await workflow('get', 'steps', run)).out).toContain('✓ twice  succeeded 3/3');
    expect((await workflow('get', 'steps', run, 'twice', '--limit', '2')).out.trim().split('\n')).toHaveLength(3);
    expect((await workflow('delete', 'workflow', 'failing')).code).toBe(0);
  });

  it('prints logs, also while they are written', async () => {
    const run = await started('@hello.yaml');
    await workflow('get', 'run', run, '--wait');
    expect((await workflow('logs', run, 'greet')).out).toBe('hello world\n');
    expect((await workflow('logs', run, 'twice', '--index', '1')).out).toBe('item 2\n');
    const all = (await workflow('logs', run)).out;
    for (const line of ['greet │ hello world', 'twice[0] │ item 1', 'twice[2] │ item 3']) expect(all).toContain(line);
    const long = await started('@long.yaml');
    const followed = await writes(['logs', '-f', long], 'wait │ begun');
    await workflow('cancel', long);
    expect((await followed.ended).code).toBe(0);
  });

  it('approves, rejects and signals', async () => {
    const run = await started('@release.yaml');
    const waiting = await writes(['get', 'run', run, '--wait'], 'Release it?');
    expect((await workflow('approve', run, '--by', 'ann')).notes).toContain(`step ask of run ${run} is approved`);
    expect((await waiting.ended).code).toBe(0);
    const other = await started('@release.yaml');
    expect((await workflow('reject', other, 'ask', '--comment', 'not today')).code).toBe(0);
    const rejected = await workflow('get', 'run', other, '--wait');
    expect(rejected.code).toBe(1);
    expect(rejected.notes).toContain('not today');
    const third = await started('@signal.yaml');
    expect((await workflow('signal', third, 'go', '--payload', '{"n": 7}')).code).toBe(0);
    expect((await workflow('get', 'run', third, '--wait', '-o', 'json')).out).toContain('"n": 7');
    expect(await workflow('signal', third, 'stop')).toMatchObject({ code: 1 });
  });

  it('pauses, resumes and retries', async () => {
    const run = await started('@hello.yaml', '--paused');
    expect((await workflow('resume', run, '--wait')).code).toBe(0);
    const failed = await started('@failing.yaml');
    expect((await workflow('get', 'run', failed, '--wait')).code).toBe(1);
    expect((await workflow('retry', failed, '--wait')).code).toBe(1);
    expect((await workflow('get', 'steps', failed)).out).toContain('attempt 2');
    expect(await workflow('pause', failed)).toMatchObject({ code: 1, notes: expect.stringContaining('has failed') });
  });

  it('keeps secrets from files, and never shows them', async () => {
    const set = await workflow('secret', 'set', 'deploy', `token=${'@'}${commands.file('token.txt')}`, 'user=ann');
    expect(set).toMatchObject({ code: 0, notes: 'secret deploy has token, user\n' });
    const run = await started('@secret.yaml');
    await workflow('get', 'run', run, '--wait');
    const told = [
      (await workflow('secret', 'list')).out,
      (await workflow('logs', run)).out,
      (await workflow('get', 'run', run, '-o', 'json')).out,
      JSON.stringify(fixture.logger.records),
    ].join('\n');
    expect(told).toContain('say │ got ***');
    expect(told).not.toContain('hush');
    expect((await workflow('secret', 'unset', 'deploy', 'user')).notes).toBe('secret deploy has token\n');
    expect(await workflow('secret', 'unset', 'deploy', 'usr')).toMatchObject({
      code: 1,
      notes: expect.stringContaining('secret deploy has no usr: it has token'),
    });
    expect((await workflow('secret', 'delete', 'deploy')).code).toBe(0);
    expect((await workflow('secret', 'unset', 'deploy', 'token')).code).toBe(1);
  });

  it('deletes runs that are over, and others when they are to be cancelled first', async () => {
    const over = await started('@hello.yaml');
    await workflow('get', 'run', over, '--wait');
    expect(await workflow('delete', 'run', over)).toMatchObject({ code: 0, notes: `run ${over} is deleted\n` });
    expect((await workflow('get', 'run', over)).code).toBe(1);
    const long = await started('@long.yaml');
    expect(await workflow('delete', 'run', long)).toMatchObject({
      code: 1,
      notes: expect.stringContaining('cancel it first'),
    });
    expect((await workflow('delete', 'run', long, '--force')).code).toBe(0);
    expect((await workflow('get', 'runs', '--workflow', 'long', '-o', 'json')).out).not.toContain(long);
  });

  it('says what stands against the runs of a schedule', async () => {
    await workflow('apply', '@needy.yaml');
    const set = ['schedule', 'set', 'needy', '--cron', '0 3 * * *', '--workflow'];
    expect((await workflow(...set, 'nothing')).notes).toContain('there is no workflow nothing; "workflow apply FILE"');
    expect((await workflow(...set, 'needy')).notes).toContain('give --input size=<number>');
    expect((await workflow(...set, 'needy', '--input', 'size=3')).notes).not.toContain('will succeed');
    await workflow('schedule', 'delete', 'needy');
    const { notes } = await workflow('run', 'needy');
    expect(notes).toContain('the inputs of needy are size (number), color ("red" or "blue", else "red")');
  });

  it('points at the step by which a run failed, and at nothing of one that succeeded', async () => {
    const mixed = await workflow('run', '@mixed.yaml');
    expect(mixed.notes).not.toContain('first │');
    expect(mixed.notes).toMatch(/logs: {3}workflow logs mixed-\w+ second/);
    const passed = await workflow('run', '@passed.yaml');
    expect(passed).toMatchObject({ code: 0, notes: expect.not.stringContaining('retry:') });
    const calling = await workflow('run', '@calling.yaml');
    expect(calling.notes).toContain('there is no workflow nowhere: "workflow apply FILE" adds it');
    expect(calling.notes).toMatch(/run: {4}workflow get run calling-\w+\.call/);
  });

  it('says which worker a step waits for', async () => {
    const run = await started('@remote.yaml');
    const { ended } = await writes(['get', 'run', run, '--wait'], 'waits for a worker that serves gpu=yes,os=linux');
    expect((await workflow('get', 'steps', run, 'there')).out).toContain('a worker that serves gpu=yes,os=linux');
    await workflow('cancel', run);
    expect((await ended).notes).toContain('there: pending: waits for a worker that serves gpu=yes,os=linux');
  });

  it('says in lists which step a run waits in', async () => {
    const run = await started('@release.yaml');
    const { ended } = await writes(['get', 'run', run, '--wait'], 'ask: waiting');
    expect((await workflow('get', 'runs', '--workflow', 'release')).out).toContain('waits in ask');
    await workflow('approve', run);
    await ended;
    expect((await workflow('approve', run)).notes).toContain(`run ${run} has succeeded: it waits for nothing any more`);
    expect((await workflow('logs', run, 'ask')).notes).toBe('step ask has written nothing\n');
  });

  it('makes, shows, suspends and deletes schedules', async () => {
    await workflow('apply', '@hello.yaml');
    const set = ['schedule', 'set', 'nightly', '--workflow', 'hello', '--time-zone', 'Europe/Berlin'];
    expect(await workflow(...set, '--cron', 'at night')).toMatchObject({
      code: 1,
      notes: expect.stringContaining('cron: must be minute'),
    });
    const zone = await workflow(
      'schedule',
      'set',
      'n',
      '--workflow',
      'hello',
      '--cron',
      '@daily',
      '--time-zone',
      'CET1',
    );
    expect(zone.notes).toContain('timeZone: must be a time zone like Europe/Berlin or UTC, not "CET1"');
    const made = await workflow(...set, '--cron', '0 3 * * *', '--input', 'times=2', '--catch-up', '1h');
    expect(made.notes).toBe('schedule nightly makes runs of hello at 0 3 * * * (Europe/Berlin)\n');
    expect(JSON.parse((await workflow('get', 'schedules', '-o', 'json')).out)).toMatchObject([
      { name: 'nightly', inputs: { times: 2 }, catchUpMs: 3_600_000 },
    ]);
    expect((await workflow('schedule', 'suspend', 'nightly')).notes).toContain('is suspended');
    expect((await workflow('schedule', 'list')).out).toMatch(/nightly +hello +0 3 \* \* \* +Europe\/Berlin +suspended/);
    expect((await workflow('schedule', 'resume', 'nightly')).code).toBe(0);
    expect((await workflow('schedule', 'delete', 'nightly')).code).toBe(0);
    expect((await workflow('schedule', 'list')).notes).toContain('there are no schedules');
    expect((await workflow('get', 'workers')).notes).toContain('there are no workers');
  });

  it('draws files, runs and workflows', async () => {
    const file = await workflow('graph', '@hello.yaml', '-o', 'text');
    expect(file.out).toBe('●  greet  (run)\n│\n●  twice  (run, for each item)\n');
    expect((await workflow('graph', '@hello.yaml')).out).toContain('"greet" -> "twice"');
    const run = await started('@hello.yaml');
    await workflow('get', 'run', run, '--wait');
    expect((await workflow('graph', run, '-o', 'text')).out).toContain('✓  greet  (run, succeeded)');
    expect((await workflow('graph', run)).out).toContain('tooltip="succeeded"');
  });

  it.each([
    [['run', '@broken.yaml'], 1, 'broken.yaml:12:13: steps.twice.needs[0]:'],
    [['run', '@none.yaml'], 2, 'there is no such file'],
    [['run', 'nothing'], 1, 'there is no workflow "nothing"'],
    [['run', '@hello.yaml', '--input', 'who'], 2, 'it must be like name=value'],
    [['run', '@hello.yaml', '--input', 'times=many'], 2, 'it must be a number'],
    [['run', '@hello.yaml', '--input', 'whom=x'], 1, 'there is no input whom'],
    [['run', '@hello.yaml', '--id', 'a.b'], 1, 'id: must be'],
    [['get', 'run', 'none'], 1, 'there is no run "none"'],
    [['logs', 'none'], 1, 'there is no run "none"'],
    [['cancel', 'none'], 1, 'there is no run "none"'],
    [['graph', 'none'], 1, 'neither a file nor a run nor a workflow'],
    [['signal', 'none', 'x', '--payload', '{'], 2, 'it is no JSON'],
    [['delete', 'workflow', 'none'], 1, 'there is no workflow "none"'],
  ])('%j ends with %d', async (args, code, message) => {
    const outcome = await workflow(...args);
    expect(outcome.notes).toContain(message);
    expect(outcome.code).toBe(code);
    expect(outcome.notes).not.toMatch(/ {4}at /);
  });
});
