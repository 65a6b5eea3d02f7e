import { describe, expect, it } from 'vitest';
import type { Action } from './definition/definition.js';
import { Signal, StepResult } from './resources/index.js';
import { definition, expression, items, template, waitFor } from './testing/definitions.js';
import { EngineFixture } from './testing/engine-fixture.js';

const ask: Action = { kind: 'wait', signal: undefined, approval: template('Go on?'), otherwise: undefined };

describe('signals', () => {
  it('E20: of a name another can be sent as soon as a step has taken the one before', async () => {
    const until = expression(({ steps }) => {
      const { outputs } = (steps as { poll: { outputs: { last?: boolean } } }).poll;
      return outputs.last === true;
    });
    const poll = { action: waitFor('next'), repeat: { until, limit: 10, delayMs: 0 } };
    await using engine = await EngineFixture.start({ loop: definition({ steps: { poll } }) });
    await engine.run('loop');
    await engine.engine.signal('loop', 'next', { payload: { n: 0 } });
    await engine.untilResult('loop.poll.1', 'waiting');
    await engine.engine.signal('loop', 'next', { payload: { n: 1 } });
    await engine.untilResult('loop.poll.2', 'waiting');
    await engine.restart();
    // What was taken is not taken again.
    await engine.engine.signal('loop', 'next', { payload: { n: 2, last: true } });
    expect((await engine.untilOver('loop')).spec.state).toBe('succeeded');
    const results = await Promise.all([0, 1, 2].map((n) => engine.state.get(StepResult.at(`loop.poll.${n}`))));
    expect(results.map(({ spec }) => JSON.parse(spec.outputs).n)).toEqual([0, 1, 2]);
  });

  it('E20: the first of a name counts, until it is taken', async () => {
    const steps = { a: {}, b: { needs: ['a'], action: waitFor('go') } };
    await using engine = await EngineFixture.start({ waiting: definition({ steps }) });
    await engine.run('waiting');
    const sent = await Promise.allSettled(
      [1, 2, 3].map((n) => engine.engine.signal('waiting', 'go', { payload: { n } })),
    );
    expect(sent.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(sent[1]).toMatchObject({ reason: { code: 'already-exists' } });
    await expect(engine.engine.signal('nobody', 'go')).rejects.toMatchObject({ code: 'not-found' });
    await engine.wait(engine.executor.until(['waiting.a']));
    engine.executor.succeed('waiting.a');
    await engine.untilOver('waiting');
    expect((await engine.state.get(StepResult.at('waiting.b'))).spec).toMatchObject({
      outputs: '{"n":1}',
      signal: 'go',
    });
    expect(await engine.state.list(Signal.kind)).toHaveLength(1);
  });

  it('E20: a refusal before a retry of the run is not taken again, also by another engine', async () => {
    await using engine = await EngineFixture.start({ asking: definition({ steps: { ask: { action: ask } } }) });
    await engine.run('asking');
    await engine.engine.signal('asking', 'ask', { payload: { approved: false } });
    await engine.untilOver('asking');
    await engine.engine.retry('asking');
    await engine.untilResult('asking.ask', 'waiting');
    await engine.restart();
    await engine.engine.signal('asking', 'ask', { payload: { approved: true } });
    expect((await engine.untilOver('asking')).spec.state).toBe('succeeded');
  });

  it('E20: each item waits for one of its own', async () => {
    const each = items(['x', 'y']);
    const byItem: Action = { ...waitFor(''), signal: template(({ item }) => `go-${item as string}`) } as Action;
    const steps = { ask: { action: ask, forEach: each }, wait: { action: byItem, forEach: each } };
    await using engine = await EngineFixture.start({ many: definition({ steps }) });
    await engine.run('many');
    await engine.untilResults('many', { 'ask.0': 'waiting', 'ask.1': 'waiting', 'wait.1': 'waiting' });
    await engine.engine.signal('many', 'ask_1', { payload: { approved: true, by: 'ann' } });
    await engine.engine.signal('many', 'go-x');
    await engine.untilResults('many', { 'ask.1': 'succeeded', 'wait.0': 'succeeded' });
    await engine.restart();
    expect(await engine.results('many')).toMatchObject({ 'ask.0': 'waiting', 'wait.1': 'waiting' });
    await engine.engine.signal('many', 'ask_0', { payload: { approved: true } });
    await engine.engine.signal('many', 'go-y');
    expect((await engine.untilOver('many')).spec.state).toBe('succeeded');
    const { spec } = await engine.state.get(StepResult.at('many.ask.1'));
    expect(spec.outputs).toBe('{"approved":true,"by":"ann"}');
  });

  it('E20: what comes before an item waits for it counts', async () => {
    const steps = { first: {}, ask: { needs: ['first'], action: ask, forEach: items(['x', 'y']) } };
    await using engine = await EngineFixture.start({ early: definition({ steps }) });
    await engine.run('early');
    for (const name of ['ask_0', 'ask_1']) await engine.engine.signal('early', name, { payload: { approved: true } });
    await engine.restart();
    await engine.wait(engine.executor.until(['early.first']));
    engine.executor.succeed('early.first');
    expect((await engine.untilOver('early')).spec.state).toBe('succeeded');
  });

  it('E20: a name that can be none makes the step fail for good', async () => {
    const action = { ...waitFor(''), signal: template(() => 'a b') } as Action;
    await using engine = await EngineFixture.start({
      wrong: definition({ steps: { a: { action, retry: { limit: 3 } } } }),
    });
    await engine.run('wrong');
    const { spec } = await engine.untilOver('wrong');
    expect(spec.message).toContain('"a b" cannot be the name of a signal: use letters');
  });
});
