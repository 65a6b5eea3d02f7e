import { untilAbsent, untilLength } from '@cosi-ts/testing';
import { describe, expect, it } from 'vitest';
import { RunStatus, Signal, StepResult, StepRun, WorkflowRun } from './resources/index.js';
import { definition, items, nested } from './testing/definitions.js';
import { EngineFixture, type FixtureOptions } from './testing/engine-fixture.js';
import { HeldExecutor } from './testing/held-executor.js';

const small = definition({ steps: { a: { forEach: items([1, 2]) } } });

async function start(definitions: Parameters<typeof EngineFixture.start>[0], options: FixtureOptions) {
  const forgotten: string[] = [];
  class Forgetting extends HeldExecutor {
    async forget(run: string): Promise<void> {
      forgotten.push(run);
    }
  }
  const executor = new Forgetting();
  executor.answer = () => ({ state: 'succeeded', outputs: {} });
  const engine = await EngineFixture.start(definitions, { ...options, executors: () => [executor] });
  return { engine, forgotten };
}

describe('retention', () => {
  it('E19: destroys runs beyond the count, with all that belongs to them', async () => {
    const { engine, forgotten } = await start({ small }, { retention: { count: 2 }, retentionIntervalMs: 1000 });
    await using _ = engine;
    for (const id of ['one', 'two', 'three']) {
      await engine.run('small', {}, id);
      await engine.untilOver(id);
      await engine.clock.advance(10);
    }
    await engine.engine.signal('two', 'go');
    await engine.wait(untilAbsent(engine.state, WorkflowRun.at('one')));
    expect(forgotten).toEqual(['one']);
    for (const kind of [RunStatus.kind, StepRun.kind, StepResult.kind, WorkflowRun.kind]) {
      expect((await engine.state.list(kind, { id: '^one' })).length).toBe(0);
    }
    expect(await engine.state.list(WorkflowRun.kind)).toHaveLength(2);
    expect(await engine.state.list(Signal.kind)).toHaveLength(1);
  });

  it('E19: destroys runs that are too old, and nested ones with them', async () => {
    const outer = definition({ steps: { child: { action: nested('small') } } });
    const { engine, forgotten } = await start(
      { small, outer },
      { retention: { ageMs: 50_000 }, retentionIntervalMs: 1000 },
    );
    await using _ = engine;
    await engine.run('outer');
    await engine.untilOver('outer');
    await engine.clock.advance(30_000);
    expect(await engine.state.list(WorkflowRun.kind)).toHaveLength(2);
    await engine.wait(untilLength(engine.state, WorkflowRun.kind, 0));
    // Nobody takes them for runs that were destroyed by force.
    await engine.clock.advance(5000);
    expect(forgotten).toEqual(['outer.child', 'outer']);
    expect(engine.log.at('warn')).toEqual([]);
    for (const kind of [RunStatus.kind, StepRun.kind, StepResult.kind])
      expect(await engine.state.list(kind)).toEqual([]);
  });

  it('E19: an id can be used again, by another run with another key', async () => {
    const { engine } = await start({ small }, { retention: { ageMs: 1000 }, retentionIntervalMs: 1000 });
    await using _ = engine;
    await engine.run('small');
    await engine.untilOver('small');
    const before = (await engine.state.get(StepRun.at('small.a.0'))).spec.idempotencyKey;
    await engine.wait(untilLength(engine.state, WorkflowRun.kind, 0));
    await engine.run('small');
    await engine.untilOver('small');
    expect((await engine.state.get(StepRun.at('small.a.0'))).spec.idempotencyKey).not.toBe(before);
  });
});
