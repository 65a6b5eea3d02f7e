import { describe, expect, it } from 'vitest';
import { definition, nested } from './testing/definitions.js';
import { EngineFixture } from './testing/engine-fixture.js';

describe('nested runs', () => {
  it('E15: one that could not be made is made by the next attempt, and its end is taken', async () => {
    const late = definition({ steps: { child: { action: nested('later') } } });
    await using engine = await EngineFixture.start({ late });
    await engine.run('late');
    await engine.untilOver('late');
    await engine.addWorkflow('later', definition({ steps: { work: {} } }));
    await engine.engine.retry('late');
    await engine.wait(engine.executor.until(['late.child.work']));
    engine.executor.succeed('late.child.work');
    expect((await engine.untilOver('late')).spec.state).toBe('succeeded');
  });
});
