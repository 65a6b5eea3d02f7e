import { describe, expect, it } from 'vitest';
import { StepResult, StepRun } from './resources/index.js';
import { isFinal } from './resources/states.js';
import { definition, items, nested, type StepInit, sleepFor, template, waitFor } from './testing/definitions.js';
import { EngineFixture, type FixtureOptions } from './testing/engine-fixture.js';

const clean = { clean: {} };

/** Every step has a result and an end, and nothing executes. */
async function expectNothingLeft(engine: EngineFixture, run: string): Promise<void> {
  for (const { metadata, spec } of await engine.state.list(StepResult.kind)) {
    expect(isFinal(spec.state), metadata.id).toBe(true);
    expect(spec.endedAt, metadata.id).toBeDefined();
  }
  const { spec } = await engine.untilOver(run);
  for (const { step, state } of spec.steps) expect(isFinal(state), step).toBe(true);
  expect(engine.executor.open.size).toBe(0);
}

/** Cancels a run whose step `a` is in some state, and has its clean-up executed. */
async function cancelIn(
  step: StepInit,
  reach: (engine: EngineFixture) => Promise<unknown>,
  options: FixtureOptions = {},
): Promise<EngineFixture> {
  const workflow = definition({ steps: { a: step, later: { needs: ['a'] } }, finally: clean });
  const engine = await EngineFixture.start({ run: workflow, inner: definition({ steps: { x: {} } }) }, options);
  await engine.run('run');
  await reach(engine);
  await engine.engine.cancel('run');
  await engine.wait(engine.executor.until(['run.clean']));
  await engine.untilStatus('run', ({ state }) => state === 'cancelling');
  engine.executor.succeed('run.clean');
  expect((await engine.untilOver('run')).spec.state).toBe('cancelled');
  await expectNothingLeft(engine, 'run');
  return engine;
}

describe('cancelling a run', () => {
  it('E17: that is running asks its steps to end, and runs the clean-up', async () => {
    await using engine = await cancelIn({}, (of) => of.wait(of.executor.until(['run.a'])));
    expect(engine.executor.stops).toEqual(['run.a cancelled']);
    expect(await engine.results('run')).toEqual({ a: 'cancelled', later: 'cancelled', clean: 'succeeded' });
    expect((await engine.state.get(StepRun.at('run.a'))).metadata).toMatchObject({
      phase: 'tearingDown',
      finalizers: [],
    });
  });

  it('E17: that backs off makes no other attempt', async () => {
    await using engine = await cancelIn({ retry: { limit: 5 } }, async (of) => {
      await of.wait(of.executor.until(['run.a']));
      of.executor.fail('run.a');
      await of.untilResults('run', { a: 'failed' });
    });
    expect(engine.executor.begun).toEqual(['run.a', 'run.clean']);
    expect((await engine.state.get(StepResult.at('run.a'))).spec).toMatchObject({
      state: 'cancelled',
      past: [{ attempt: 1, error: { reason: 'exit' } }],
    });
  });

  it('E17: that sleeps ends at once', async () => {
    await using engine = await cancelIn({ action: sleepFor(1e6) }, (of) => of.untilResults('run', { a: 'waiting' }));
    expect(await engine.results('run')).toMatchObject({ a: 'cancelled' });
  });

  it('E17: that waits ends at once', async () => {
    await using engine = await cancelIn({ action: waitFor('go') }, (of) => of.untilResults('run', { a: 'waiting' }));
    expect(await engine.results('run')).toMatchObject({ a: 'cancelled' });
  });

  it('E17: that is paused ends, and its clean-up is executed', async () => {
    await using engine = await cancelIn({}, async (of) => {
      await of.wait(of.executor.until(['run.a']));
      await of.engine.pause('run', true);
      await of.untilStatus('run', ({ state }) => state === 'paused');
    });
    expect(engine.executor.stops).toEqual(['run.a cancelled']);
  });

  it('E17: with a nested run cancels that, too', async () => {
    await using engine = await cancelIn({ action: nested('inner') }, (of) => of.wait(of.executor.until(['run.a.x'])));
    expect(engine.executor.stops).toEqual(['run.a.x cancelled']);
    expect((await engine.untilOver('run.a')).spec.state).toBe('cancelled');
  });

  it('E17: of which some wait for room begins none of these', async () => {
    const list = [1, 2, 3, 4, 5];
    await using engine = await cancelIn(
      { forEach: items(list) },
      (of) => of.wait(of.executor.until(['run.a.0', 'run.a.1'])),
      { slots: { function: 2 } },
    );
    expect(engine.executor.begun).toEqual(['run.a.0', 'run.a.1', 'run.clean']);
    expect(engine.executor.stops).toEqual(['run.a.1 cancelled', 'run.a.0 cancelled']);
  });

  it('E17: that is queued ends without anything having been executed', async () => {
    const concurrency = { key: template('k'), limit: 1, policy: 'wait' as const };
    const workflow = definition({ concurrency, steps: { a: {} }, finally: clean });
    await using engine = await EngineFixture.start({ run: workflow });
    await engine.run('run', {}, 'first');
    await engine.wait(engine.executor.until(['first.a']));
    await engine.run('run', {}, 'second');
    await engine.untilStatus('second', ({ state }) => state === 'queued');
    await engine.engine.cancel('second');
    expect((await engine.untilOver('second')).spec.state).toBe('cancelled');
    expect(await engine.results('second')).toEqual({ a: 'cancelled', clean: 'cancelled' });
    expect(engine.executor.begun).toEqual(['first.a']);
  });

  it('E17: whose step does not heed the request is over when that has ended', async () => {
    const workflow = definition({ steps: { a: {} } });
    await using engine = await EngineFixture.start({ run: workflow });
    engine.executor.heedsSignals = false;
    await engine.run('run');
    await engine.wait(engine.executor.until(['run.a']));
    await engine.engine.cancel('run');
    await engine.untilStatus('run', ({ state }) => state === 'cancelling');
    await engine.clock.advance(60_000);
    expect(engine.executor.stops).toEqual(['run.a cancelled']);
    engine.executor.fail('run.a', 'error');
    expect((await engine.untilOver('run')).spec.state).toBe('cancelled');
    await expectNothingLeft(engine, 'run');
  });

  it('E17: is known to the next engine', async () => {
    await using engine = await EngineFixture.start({ run: definition({ steps: { a: {}, b: {} }, finally: clean }) });
    engine.executor.heedsSignals = false;
    await engine.run('run');
    await engine.wait(engine.executor.until(['run.a', 'run.b']));
    await engine.engine.cancel('run');
    await engine.untilStatus('run', ({ state }) => state === 'cancelling');
    for (const id of ['run.a', 'run.b']) engine.executor.fail(id, 'error');
    await engine.restart();
    await engine.wait(engine.executor.until(['run.clean']));
    engine.executor.succeed('run.clean');
    expect((await engine.untilOver('run')).spec.state).toBe('cancelled');
    await expectNothingLeft(engine, 'run');
  });
});
