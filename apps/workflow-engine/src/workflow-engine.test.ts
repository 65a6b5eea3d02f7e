import { describe, expect, it } from 'vitest';
import type { Executor } from './executors/executor.js';
import type { JsonObject } from './json.js';
import { Secret, Signal, StepResult, StepRun, Workflow, WorkflowRun } from './resources/index.js';
import {
  definition,
  expression,
  functionAction,
  items,
  nested,
  nothing,
  sleepFor,
  template,
  waitFor,
} from './testing/definitions.js';
import { EngineFixture } from './testing/engine-fixture.js';

const twoSteps = definition({ steps: { a: {}, b: { needs: ['a'] } } });
const byKey = (policy: 'wait' | 'refuse' | 'cancel-running') =>
  definition({
    concurrency: { key: template(({ inputs }) => (inputs as { k?: string }).k ?? 'k'), limit: 1, policy },
    steps: { a: {} },
  });

describe('runs', () => {
  it('E2: begin, execute their steps and end', async () => {
    await using engine = await EngineFixture.start({ chain: twoSteps });
    await engine.run('chain');
    await engine.wait(engine.executor.until(['chain.a']));
    await engine.untilStatus('chain', ({ state, steps }) => state === 'running' && steps[0]?.state === 'running');
    engine.executor.succeed('chain.a');
    await engine.wait(engine.executor.until(['chain.b']));
    engine.executor.succeed('chain.b');
    const { spec } = await engine.untilOver('chain');
    expect(spec).toMatchObject({ state: 'succeeded', outputs: '{}' });
    expect(spec.endedAt).toBeDefined();
    expect(await engine.results('chain')).toEqual({ a: 'succeeded', b: 'succeeded' });
  });

  it('E1: go by the definition in their own spec', async () => {
    await using engine = await EngineFixture.start({ chain: twoSteps, other: definition({ steps: { z: {} } }) });
    await engine.run('chain');
    await engine.wait(engine.executor.until(['chain.a']));
    await engine.state.updateWithConflicts(Workflow.at('chain'), ({ spec }) => {
      spec.source = 'other';
    });
    await engine.restart();
    await engine.wait(engine.executor.until(['chain.a']));
    engine.executor.succeed('chain.a');
    await engine.wait(engine.executor.until(['chain.b']));
  });

  it('E2: wait until their concurrency key has room', async () => {
    await using engine = await EngineFixture.start({ keyed: byKey('wait') });
    await engine.run('keyed', {}, 'first');
    await engine.wait(engine.executor.until(['first.a']));
    await engine.run('keyed', {}, 'second');
    const { spec } = await engine.untilStatus('second', ({ state }) => state === 'queued');
    expect(spec).toMatchObject({ message: 'waits for the concurrency key k', concurrencyKey: 'k' });
    await engine.restart();
    await engine.wait(engine.executor.until(['first.a']));
    expect([...engine.executor.open.keys()]).toEqual(['first.a']);
    engine.executor.succeed('first.a');
    await engine.wait(engine.executor.until(['second.a']));
    engine.executor.succeed('second.a');
    await engine.untilOver('second');
  });

  it('E2: are refused, or end the ones before them, when their workflow says so', async () => {
    await using engine = await EngineFixture.start({ refused: byKey('refuse'), newest: byKey('cancel-running') });
    await engine.run('refused', {}, 'first');
    await engine.wait(engine.executor.until(['first.a']));
    await engine.run('refused', {}, 'second');
    expect((await engine.untilOver('second')).spec).toMatchObject({
      state: 'failed',
      message: 'first has the concurrency key k',
    });
    engine.executor.succeed('first.a');
    await engine.untilOver('first');
    await engine.run('newest', {}, 'old');
    await engine.wait(engine.executor.until(['old.a']));
    await engine.run('newest', {}, 'new');
    await engine.wait(engine.executor.until(['new.a']));
    expect((await engine.untilOver('old')).spec.state).toBe('cancelled');
  });

  it('E4: fail at once when their definition or inputs are wrong, and begin nothing', async () => {
    const inputs = new Map([['n', { type: 'number' as const, description: '', default: undefined, options: [] }]]);
    await using engine = await EngineFixture.start({ typed: definition({ inputs, steps: { a: {} } }), gone: twoSteps });
    await engine.state.updateWithConflicts(Workflow.at('gone'), ({ spec }) => {
      spec.source = 'nonsense';
    });
    await engine.run('gone');
    expect((await engine.untilOver('gone')).spec).toMatchObject({
      state: 'failed',
      message: 'nonsense is no definition',
    });
    await engine.run('typed', { n: 'seven' });
    expect((await engine.untilOver('typed')).spec.message).toContain('n');
    expect(engine.executor.begun).toEqual([]);
    expect(await engine.state.list(StepResult.kind)).toEqual([]);
  });

  it('E5: start nothing while they are paused, nested runs included', async () => {
    const steps = { a: {}, b: { needs: ['a'] }, child: { action: nested('inner') } };
    await using engine = await EngineFixture.start({ outer: definition({ steps }), inner: twoSteps });
    await engine.run('outer');
    await engine.wait(engine.executor.until(['outer.a', 'outer.child.a']));
    await engine.engine.pause('outer', true);
    await engine.untilStatus('outer', ({ state }) => state === 'paused');
    await engine.untilStatus('outer.child', ({ state }) => state === 'paused');
    engine.executor.succeed('outer.a');
    engine.executor.succeed('outer.child.a');
    await engine.untilResults('outer', { a: 'succeeded' });
    await engine.untilResults('outer.child', { a: 'succeeded' });
    await engine.clock.advance(60_000);
    expect(engine.executor.open.size).toBe(0);
    await engine.engine.pause('outer', false);
    await engine.wait(engine.executor.until(['outer.b', 'outer.child.b']));
    engine.executor.succeed('outer.b');
    engine.executor.succeed('outer.child.b');
    expect((await engine.untilOver('outer')).spec.state).toBe('succeeded');
  });

  it('E15: are tried again from what failed', async () => {
    await using engine = await EngineFixture.start({ chain: twoSteps });
    await engine.run('chain');
    await engine.wait(engine.executor.until(['chain.a']));
    engine.executor.succeed('chain.a', { n: 1 });
    await engine.wait(engine.executor.until(['chain.b']));
    engine.executor.fail('chain.b');
    expect((await engine.untilOver('chain')).spec.state).toBe('failed');
    await expect(engine.engine.retry('nobody')).rejects.toMatchObject({ code: 'not-found' });
    await engine.engine.retry('chain');
    await engine.wait(engine.executor.until(['chain.b']));
    await expect(engine.engine.retry('chain')).rejects.toMatchObject({ code: 'invalid-argument' });
    engine.executor.succeed('chain.b');
    await engine.untilStatus('chain', ({ state, retries }) => state === 'succeeded' && retries === 1);
    expect(engine.executor.begun).toEqual(['chain.a', 'chain.b', 'chain.b#2']);
    expect(engine.executor.keys.get('chain.b')?.size).toBe(1);
    const { spec } = await engine.state.get(StepResult.at('chain.b'));
    expect(spec).toMatchObject({ attempt: 2, past: [{ attempt: 1, error: { reason: 'exit' } }] });
  });

  it('E15: are tried again after they were cancelled, nested runs included', async () => {
    await using engine = await EngineFixture.start({
      outer: definition({ steps: { child: { action: nested('inner') } } }),
      inner: twoSteps,
    });
    await engine.run('outer');
    await engine.wait(engine.executor.until(['outer.child.a']));
    engine.executor.succeed('outer.child.a');
    await engine.wait(engine.executor.until(['outer.child.b']));
    await engine.engine.cancel('outer');
    await engine.untilStatus('outer', ({ state }) => state === 'cancelled');
    await engine.engine.retry('outer');
    await engine.wait(engine.executor.until(['outer.child.b']));
    engine.executor.succeed('outer.child.b');
    await engine.untilStatus('outer', ({ state }) => state === 'succeeded');
    expect(engine.executor.begun).toEqual(['outer.child.a', 'outer.child.b', 'outer.child.b#2']);
  });
});

describe('what is asked of runs', () => {
  it('is refused when it cannot be', async () => {
    await using engine = await EngineFixture.start({ one: definition({ steps: { a: {} } }) });
    await expect(engine.engine.startRun('none')).rejects.toMatchObject({ code: 'not-found' });
    await expect(engine.engine.startRun('one', { id: 'a.b' })).rejects.toMatchObject({ code: 'invalid-argument' });
    const { metadata, spec } = await engine.engine.startRun('one', { labels: { team: 'x' }, trigger: 'test' });
    expect(metadata.id).toMatch(/^one-[0-9a-f]{10}$/);
    expect(metadata).toMatchObject({ labels: { team: 'x', workflow: 'one' }, finalizers: ['RunController'] });
    expect(spec.trigger).toBe('test');
    await expect(engine.engine.startRun('one', { id: metadata.id })).rejects.toMatchObject({ code: 'already-exists' });
    await engine.wait(engine.executor.until([`${metadata.id}.a`]));
    await engine.engine.cancel(metadata.id);
    await engine.untilOver(metadata.id);
    await expect(engine.engine.pause(metadata.id, true)).rejects.toMatchObject({ code: 'phase-conflict' });
  });
});

describe('steps', () => {
  it('E9: are executed for each item, with a limit', async () => {
    const list = Array.from({ length: 20 }, (_, i) => i);
    await using engine = await EngineFixture.start({ fan: definition({ steps: { a: { forEach: items(list, 3) } } }) });
    engine.executor.answer = () => ({ state: 'succeeded', outputs: {} });
    await engine.run('fan');
    const { spec } = await engine.untilOver('fan');
    expect(spec).toMatchObject({ state: 'succeeded', steps: [{ total: 20, succeeded: 20, state: 'succeeded' }] });
    expect(engine.executor.begun).toHaveLength(20);
  });

  it('E10: rounds without an end leave a turn to others, and end when they are cancelled', async () => {
    const repeat = { until: expression(() => false), limit: 10_000_000, delayMs: 0 };
    const endless = definition({ steps: { a: { action: nothing, repeat } } });
    await using engine = await EngineFixture.start({ endless, one: definition({ steps: { a: { action: nothing } } }) });
    await engine.run('endless');
    await engine.untilResult('endless.a.700', 'succeeded');
    await engine.run('one');
    expect((await engine.untilOver('one')).spec.state).toBe('succeeded');
    await engine.engine.cancel('endless');
    expect((await engine.untilOver('endless')).spec.state).toBe('cancelled');
  }, 60_000);

  it('E3: end when what they give cannot be kept', async () => {
    await using engine = await EngineFixture.start({ one: definition({ steps: { a: {} } }) });
    let outputs: JsonObject = {};
    for (let i = 0; i < 100_000; i++) outputs = { outputs };
    engine.executor.answer = () => ({ state: 'succeeded', outputs });
    await engine.run('one');
    const { spec } = await engine.untilOver('one');
    expect(spec.state).toBe('failed');
    expect(spec.message).toContain('the outputs cannot be kept: they are nested too deeply');
  });

  it('E9: a quick function costs two writes of its own, and no more', async () => {
    const list = Array.from({ length: 20 }, (_, i) => i);
    await using engine = await EngineFixture.start({ fan: definition({ steps: { a: { forEach: items(list) } } }) });
    engine.executor.answer = () => ({ state: 'succeeded', outputs: {} });
    await engine.run('fan');
    await engine.untilOver('fan');
    for (const kind of [StepRun.kind, StepResult.kind]) {
      const versions = (await engine.state.list(kind)).map(({ metadata }) => [metadata.id, metadata.version]);
      expect(versions.filter(([id, version]) => id !== 'fan.a' && version !== 1n)).toEqual([]);
    }
  });

  it('E11: an attempt is recorded before it begins, and what has succeeded is never executed again', async () => {
    const recorded: unknown[] = [];
    let engine: EngineFixture | undefined;
    const executor: Executor = {
      name: 'function',
      execute: async ({ id, attempt }) => {
        const stepRun = await engine?.state.get(StepRun.at(id));
        recorded.push([id, stepRun?.spec.attempt === attempt, stepRun?.metadata.finalizers]);
        return attempt === 1 ? { state: 'failed', reason: 'exit', message: '' } : { state: 'succeeded', outputs: {} };
      },
    };
    const steps = { a: { retry: { limit: 1 } }, b: { needs: ['a'], action: waitFor('go') } };
    engine = await EngineFixture.start({ one: definition({ steps }) }, { executors: () => [executor] });
    await using _ = engine;
    await engine.run('one');
    await engine.untilResults('one', { a: 'succeeded', b: 'waiting' });
    await engine.restart();
    await engine.engine.signal('one', 'go');
    await engine.untilOver('one');
    expect(recorded).toEqual([
      ['one.a', true, ['StepController']],
      ['one.a', true, ['StepController']],
    ]);
  });

  it('E12: have one idempotency key for all attempts, and no other execution has it', async () => {
    const steps = { a: { retry: { limit: 2 } }, b: { forEach: items([1, 2]) } };
    await using engine = await EngineFixture.start({ one: definition({ steps }) });
    await engine.run('one');
    await engine.wait(engine.executor.until(['one.a']));
    engine.executor.fail('one.a');
    await engine.wait(engine.executor.until(['one.a', 'one.b.0', 'one.b.1']));
    for (const id of ['one.a', 'one.b.0', 'one.b.1']) engine.executor.succeed(id);
    await engine.untilOver('one');
    expect(engine.executor.begun).toContain('one.a#2');
    const keys = [...engine.executor.keys.values()].map((each) => [...each]);
    expect(keys.map(({ length }) => length)).toEqual([1, 1, 1]);
    expect(new Set(keys.flat()).size).toBe(3);
  });

  it('E14: are made again after a pause', async () => {
    const retry = { limit: 1, backoff: { initialMs: 30_000, factor: 1, maxMs: 30_000 } };
    await using engine = await EngineFixture.start({ one: definition({ steps: { a: { retry } } }) });
    await engine.run('one');
    await engine.wait(engine.executor.until(['one.a']));
    const begun = engine.clock.now().toDate().getTime();
    engine.executor.fail('one.a');
    await engine.wait(engine.executor.until(['one.a']));
    expect(engine.clock.now().toDate().getTime() - begun).toBeGreaterThanOrEqual(30_000);
    engine.executor.fail('one.a');
    expect((await engine.untilOver('one')).spec).toMatchObject({
      state: 'failed',
      message: 'the step a failed: failed with exit',
    });
  });

  it('E16: an attempt that takes too long is ended, and fails with the reason timeout', async () => {
    await using engine = await EngineFixture.start({ slow: definition({ steps: { a: { timeoutMs: 5000 } } }) });
    await engine.run('slow');
    expect((await engine.untilOver('slow')).spec).toMatchObject({
      state: 'failed',
      message: 'the step a failed: took longer than 5s',
    });
    expect(engine.executor.stops).toEqual(['slow.a timeout']);
    expect((await engine.state.get(StepResult.at('slow.a'))).spec.error).toMatchObject({ reason: 'timeout' });
  });

  it('tell that they are running after a while', async () => {
    await using engine = await EngineFixture.start({ chain: twoSteps });
    await engine.run('chain');
    await engine.wait(engine.executor.until(['chain.a']));
    engine.executor.open.get('chain.a')?.context.report({ pid: 42, log: 'chain/a.log' });
    await engine.untilResults('chain', { a: 'running' });
    expect((await engine.state.get(StepResult.at('chain.a'))).spec).toMatchObject({ pid: 42, log: 'chain/a.log' });
    engine.executor.succeed('chain.a');
    await engine.untilResults('chain', { a: 'succeeded' });
    expect((await engine.state.get(StepResult.at('chain.a'))).spec).toMatchObject({ pid: 42, log: 'chain/a.log' });
  });

  it('are given the texts of secrets, and nothing of them is stored with the step', async () => {
    const seen: unknown[] = [];
    const executor: Executor = {
      name: 'function',
      async execute(_, { secret }) {
        seen.push(await secret('mail', 'password'));
        await secret('mail', 'user').catch((error: Error) => seen.push(error.message));
        await secret('none', 'x').catch((error: Error & { code: string }) => seen.push(error.message, error.code));
        return { state: 'succeeded', outputs: {} };
      },
    };
    await using engine = await EngineFixture.start(
      { one: definition({ steps: { a: {} } }) },
      { executors: () => [executor] },
    );
    await engine.state.create(Secret.new('mail', { values: { password: 'xyzzy' } }));
    await engine.run('one');
    await engine.untilOver('one');
    expect(seen).toEqual([
      'xyzzy',
      'the secret mail has no key user: set it with "workflow secret set mail user=…", and retry the run',
      'there is no secret none: set it with "workflow secret set none x=…", and retry the run',
      'invalid-argument',
    ]);
    for (const stored of [StepRun.at('one.a'), StepResult.at('one.a')]) {
      expect(JSON.stringify(await engine.state.get(stored))).not.toContain('xyzzy');
    }
  });

  it('fail for good when there is nobody to execute them', async () => {
    const action = { kind: 'other' as const, executor: 'mail', config: template({ to: 'ann' }) };
    await using engine = await EngineFixture.start({
      one: definition({ steps: { a: { action, retry: { limit: 9 } } } }),
    });
    await engine.run('one');
    expect((await engine.untilOver('one')).spec.message).toBe('the step a failed: there is no executor mail here');
    expect((await engine.state.get(StepRun.at('one.a'))).spec).toMatchObject({
      executor: 'mail',
      action: '{"to":"ann"}',
    });
  });

  it('E20: wait for signals, which count when they came before', async () => {
    const steps = { a: {}, b: { needs: ['a'], action: waitFor('go') }, c: { needs: ['b'], action: waitFor('on') } };
    await using engine = await EngineFixture.start({ waiting: definition({ steps }) });
    await engine.run('waiting');
    await engine.engine.signal('waiting', 'go', { payload: { n: 1 }, by: 'ann' });
    await engine.wait(engine.executor.until(['waiting.a']));
    engine.executor.succeed('waiting.a');
    await engine.untilResults('waiting', { b: 'succeeded', c: 'waiting' });
    expect((await engine.state.get(StepResult.at('waiting.b'))).spec.outputs).toBe('{"n":1}');
    await engine.engine.signal('waiting', 'on');
    expect((await engine.untilOver('waiting')).spec.state).toBe('succeeded');
    expect(await engine.state.list(Signal.kind)).toHaveLength(2);
  });

  it('E21: sleep by the clock, also while the engine is away', async () => {
    const steps = { a: { action: sleepFor(3600) }, b: { needs: ['a'], action: nothing } };
    await using engine = await EngineFixture.start({ sleepy: definition({ steps }) });
    await engine.run('sleepy');
    await engine.untilResults('sleepy', { a: 'waiting' });
    await engine.wait(engine.engine.close());
    await engine.clock.advance(3_600_000);
    await engine.startEngine();
    expect((await engine.untilOver('sleepy')).spec.state).toBe('succeeded');
  });

  it('E22: are started by priority when there is no room for all', async () => {
    const steps = { low: { priority: -1 }, a: {}, b: {}, high: { priority: 1 } };
    await using engine = await EngineFixture.start({ busy: definition({ steps }) }, { slots: { function: 1 } });
    await engine.run('busy');
    for (let count = 1; count <= 4; count++) {
      await engine.wait(engine.executor.until(1));
      engine.executor.succeed([...engine.executor.open.keys()][0] ?? '');
    }
    await engine.untilOver('busy');
    expect(engine.executor.begun.slice(1)).toEqual(
      ['busy.high', 'busy.a', 'busy.b']
        .filter((id) => id !== engine.executor.begun[0])
        .concat(engine.executor.begun[0] === 'busy.low' ? [] : ['busy.low']),
    );
  });

  it('E22: a key that is taken holds back only those that need it', async () => {
    const concurrency = { key: template('db'), limit: 1, policy: 'wait' as const };
    const steps = { a: { concurrency }, b: { concurrency }, c: {} };
    await using engine = await EngineFixture.start({ keyed: definition({ steps }) });
    await engine.run('keyed');
    await engine.wait(engine.executor.until(['keyed.a', 'keyed.c']));
    expect(engine.executor.open.size).toBe(2);
    engine.executor.succeed('keyed.a');
    await engine.wait(engine.executor.until(['keyed.b']));
  });

  it('a nested run gives its outputs, and its failure', async () => {
    const outputs = new Map([
      ['n', template(({ steps }) => (steps as never as { a: { outputs: { n: number } } }).a.outputs.n)],
    ]);
    const inner = definition({ steps: { a: {} }, outputs });
    const seen = functionAction('see', {
      n: ({ steps }) => (steps as never as { child: { outputs: { n: number } } }).child.outputs.n,
    });
    const steps = {
      child: { action: nested('inner') },
      b: { needs: ['child'], action: seen },
      missing: { action: nested('none') },
    };
    await using engine = await EngineFixture.start({ outer: definition({ steps }), inner });
    await engine.run('outer');
    await engine.wait(engine.executor.until(['outer.child.a']));
    expect((await engine.state.get(WorkflowRun.at('outer.child'))).metadata.labels).toMatchObject({
      parent: 'outer',
      root: 'outer',
      depth: '1',
    });
    engine.executor.succeed('outer.child.a', { n: 7 });
    await engine.wait(engine.executor.until(['outer.b']));
    expect(engine.executor.open.get('outer.b')?.attempt.action).toEqual({ function: 'see', with: { n: 7 } });
    engine.executor.succeed('outer.b');
    expect((await engine.untilOver('outer')).spec).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('there is no workflow none'),
    });
  });

  it('a workflow that calls itself without an end is told so', async () => {
    await using engine = await EngineFixture.start({
      deep: definition({ steps: { again: { action: nested('deep') } } }),
    });
    await engine.run('deep');
    expect((await engine.untilOver('deep')).spec.message).toContain('does a workflow call itself');
  });
});
