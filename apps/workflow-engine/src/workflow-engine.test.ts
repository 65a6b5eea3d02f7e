import { describe, expect, it } from 'vitest';
import { definition, items } from './testing/definitions.js';
import { EngineFixture } from './testing/engine-fixture.js';

describe('the workflow engine', () => {
  it('E2: a run begins, executes its steps and ends', async () => {
    await using engine = await EngineFixture.start({ chain: definition({ steps: { a: {}, b: { needs: ['a'] } } }) });
    await engine.run('chain');
    await engine.wait(engine.executor.until(['chain.a']));
    await engine.untilStatus('chain', ({ state }) => state === 'running');
    engine.executor.succeed('chain.a');
    await engine.wait(engine.executor.until(['chain.b']));
    engine.executor.succeed('chain.b');
    const { spec } = await engine.untilOver('chain');
    expect(spec).toMatchObject({ state: 'succeeded', outputs: '{}' });
    expect(await engine.results('chain')).toEqual({ a: 'succeeded', b: 'succeeded' });
  });

  it('E9: executes a fan-out with a limit', async () => {
    const list = Array.from({ length: 20 }, (_, i) => i);
    await using engine = await EngineFixture.start({ fan: definition({ steps: { a: { forEach: items(list, 3) } } }) });
    engine.executor.answer = () => ({ state: 'succeeded', outputs: {} });
    await engine.run('fan');
    const { spec } = await engine.untilOver('fan');
    expect(spec).toMatchObject({ state: 'succeeded', steps: [{ total: 20, succeeded: 20, state: 'succeeded' }] });
    expect(engine.executor.begun).toHaveLength(20);
  });
});
