import { RecordingLogger, untilLength } from '@cosi-ts/testing';
import { describe, expect, it } from 'vitest';
import { StepResult, StepRun, Worker } from './resources/index.js';
import { StepWorker } from './step-worker.js';
import { definition, items, type StepInit } from './testing/definitions.js';
import { EngineFixture } from './testing/engine-fixture.js';
import { HeldExecutor } from './testing/held-executor.js';
import { unclosed } from './testing/unclosed.js';

const onLinux = new Map([['os', 'linux']]);

interface WorkerInit {
  readonly serves?: Readonly<Record<string, string>>;
  readonly slots?: number;
}

function worker(engine: EngineFixture, name: string, { serves = { os: 'linux' }, slots = 2 }: WorkerInit = {}) {
  const executor = new HeldExecutor();
  const stopped = new AbortController();
  let isAway = false;
  const state = unclosed(engine.state, () => {
    stopped.signal.throwIfAborted();
    if (isAway) throw new Error('the engine is away');
  });
  const logger = new RecordingLogger();
  const options = { state, executors: [executor], name, serves, slots, logger, clock: engine.clock, leaseMs: 6000 };
  const running = new StepWorker(options);
  /** Nothing that it writes arrives any more. */
  const cutOff = () => stopped.abort(new Error('cut off'));
  const disconnect = () => {
    isAway = true;
  };
  const connect = () => {
    isAway = false;
  };
  return { executor, running, logger, cutOff, disconnect, connect, close: () => engine.wait(running.close()) };
}

const remote = (step: StepInit = {}) => definition({ steps: { a: { runsOn: onLinux, ...step }, b: { needs: ['a'] } } });

describe('workers', () => {
  it('take steps whose labels they serve, and the engine executes the others', async () => {
    await using engine = await EngineFixture.start({ run: remote() });
    const other = worker(engine, 'mac', { serves: { os: 'mac' } });
    const own = worker(engine, 'linux', { serves: { os: 'linux', gpu: 'yes' } });
    await engine.run('run');
    await engine.wait(own.executor.until(['run.a']));
    expect((await engine.state.get(StepRun.at('run.a'))).metadata.labels).toMatchObject({
      worker: own.running.process,
      'runs-on.os': 'linux',
    });
    own.executor.succeed('run.a');
    await engine.wait(engine.executor.until(['run.b']));
    engine.executor.succeed('run.b');
    await engine.untilOver('run');
    expect(other.executor.begun).toEqual([]);
    expect((await engine.state.get(StepResult.at('run.a'))).spec.worker).toBe(own.running.process);
    for (const each of [other, own]) await each.close();
  });

  it('E22: take as many as they have slots for, those with the higher priority first', async () => {
    const steps = {
      hold: { runsOn: onLinux },
      gate: {},
      low: { runsOn: onLinux, needs: ['gate'] },
      many: { runsOn: onLinux, needs: ['gate'], priority: 5, forEach: items([1, 2]) },
    };
    await using engine = await EngineFixture.start({ run: definition({ steps }) });
    const one = worker(engine, 'linux', { slots: 1 });
    await engine.run('run');
    await engine.wait(one.executor.until(['run.hold']));
    await engine.wait(engine.executor.until(['run.gate']));
    engine.executor.succeed('run.gate');
    await engine.wait(untilLength(engine.state, StepRun.kind, 5));
    await engine.clock.advance(10);
    for (const id of ['run.hold', 'run.many.0', 'run.many.1', 'run.low']) {
      await engine.wait(one.executor.until([id]));
      expect(one.executor.open.size).toBe(1);
      one.executor.succeed(id);
    }
    await engine.untilOver('run');
    await one.close();
  });

  it('E13: of one that has gone the attempts are lost, another takes the steps, and late results are refused', async () => {
    await using engine = await EngineFixture.start({ run: remote() });
    const first = worker(engine, 'first');
    await engine.run('run');
    await engine.wait(first.executor.until(['run.a']));
    first.cutOff();
    const second = worker(engine, 'second');
    await engine.wait(second.executor.until(['run.a']));
    expect(second.executor.begun).toEqual(['run.a#2']);
    expect(await engine.state.list(Worker.kind)).toHaveLength(1);
    first.executor.open.get('run.a')?.settle({ state: 'succeeded', outputs: { late: true } });
    second.executor.succeed('run.a', { late: false });
    await engine.wait(engine.executor.until(['run.b']));
    expect((await engine.state.get(StepResult.at('run.a'))).spec).toMatchObject({
      outputs: '{"late":false}',
      past: [{ attempt: 1, error: { reason: 'lost' } }],
    });
    engine.executor.succeed('run.b');
    await engine.untilOver('run');
    for (const each of [first, second]) await each.close();
  });

  it('give way to a later one of their name, which has its steps in peace', async () => {
    await using engine = await EngineFixture.start({ run: remote() });
    const before = worker(engine, 'linux', { slots: 1 });
    await engine.run('run');
    await engine.wait(before.executor.until(['run.a']));
    const after = worker(engine, 'linux', { slots: 1 });
    await engine.wait(after.executor.until(['run.a']));
    for (let i = 0; i < 10; i++) await engine.clock.advance(2000);
    expect(before.executor.stops).toEqual(['run.a lost']);
    expect(after.executor.stops).toEqual([]);
    expect(JSON.stringify(before.logger.records)).toContain('another worker has this name now');
    await before.running.replaced;
    after.executor.succeed('run.a');
    await engine.wait(engine.executor.until(['run.b']));
    expect((await engine.state.get(Worker.at('linux'))).spec.worker).toBe(after.running.process);
    for (const each of [before, after]) await each.close();
  });

  it('E13: end what they execute when the engine is away for a lease, and take steps again when it is back', async () => {
    await using engine = await EngineFixture.start({ run: remote({ retry: { limit: 0 } }) });
    const only = worker(engine, 'linux', { slots: 1 });
    await engine.run('run');
    await engine.wait(only.executor.until(['run.a']));
    only.disconnect();
    for (let i = 0; i < 10; i++) await engine.clock.advance(2000);
    expect(only.executor.stops).toEqual(['run.a lost']);
    only.connect();
    await engine.wait(only.executor.until(['run.a']));
    expect(only.executor.begun).toEqual(['run.a', 'run.a#2']);
    only.executor.succeed('run.a');
    await engine.wait(engine.executor.until(['run.b']));
    await only.close();
  });

  it('E14: one that starts anew has lost what it had before', async () => {
    await using engine = await EngineFixture.start({ run: remote() });
    const before = worker(engine, 'same');
    await engine.run('run');
    await engine.wait(before.executor.until(['run.a']));
    before.cutOff();
    const after = worker(engine, 'same');
    await engine.wait(after.executor.until(['run.a']));
    expect(after.executor.begun).toEqual(['run.a#2']);
    after.executor.succeed('run.a');
    await engine.wait(engine.executor.until(['run.b']));
    for (const each of [before, after]) await each.close();
  });

  it('E17: end what they execute when the run is cancelled, and what none has taken is cancelled at once', async () => {
    const steps = { a: { runsOn: onLinux }, b: { runsOn: new Map([['os', 'plan9']]) } };
    await using engine = await EngineFixture.start({ run: definition({ steps }) });
    const own = worker(engine, 'linux');
    await engine.run('run');
    await engine.wait(own.executor.until(['run.a']));
    await engine.engine.cancel('run');
    expect((await engine.untilOver('run')).spec.state).toBe('cancelled');
    expect(own.executor.stops).toEqual(['run.a cancelled']);
    expect(await engine.results('run')).toEqual({ a: 'cancelled', b: 'cancelled' });
    await own.close();
  });

  it('E16: a step that no worker takes in time fails', async () => {
    await using engine = await EngineFixture.start({ run: remote({ deadlineMs: 5000 }) });
    await engine.run('run');
    expect((await engine.untilOver('run')).spec).toMatchObject({
      state: 'failed',
      message: 'the step a failed: no worker has taken it in time',
    });
  });
});
