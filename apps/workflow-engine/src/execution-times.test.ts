import { describe, expect, it } from 'vitest';
import { definition, waitFor } from './testing/definitions.js';
import { EngineFixture } from './testing/engine-fixture.js';

describe('times', () => {
  it('E14: an execution began with its first attempt, whatever comes after', async () => {
    const steps = { a: { retry: { limit: 1 } }, b: { action: waitFor('go'), needs: ['a'] } };
    await using engine = await EngineFixture.start({ timed: definition({ steps }) });
    await engine.run('timed');
    await engine.wait(engine.executor.until(['timed.a']));
    await engine.clock.advance(5000);
    const { spec: first } = await engine.untilResult('timed.a', 'running');
    engine.executor.fail('timed.a');
    await engine.untilResult('timed.a', 'failed');
    await engine.wait(engine.executor.until(['timed.a']));
    await engine.restart();
    await engine.wait(engine.executor.until(['timed.a']));
    engine.executor.succeed('timed.a');
    const { spec: last } = await engine.untilResult('timed.a', 'succeeded');
    expect(last.firstStartedAt).toEqual(first.startedAt);
    expect(last.startedAt?.seconds).toBeGreaterThan(Number(first.startedAt?.seconds ?? 0n) + 5);
    const { spec: waiting } = await engine.untilResult('timed.b', 'waiting');
    expect(waiting.firstStartedAt).toEqual(waiting.startedAt);
    await engine.engine.cancel('timed');
    await engine.untilOver('timed');
    await engine.engine.retry('timed');
    const { spec: again } = await engine.untilResult('timed.b', 'waiting');
    expect(again.firstStartedAt).toEqual(waiting.startedAt);
  });
});
