import { describe, expect, it } from 'vitest';
import type { Definition } from './definition/definition.js';
import { definitionOf } from './definition/definition-cache.js';
import { isFinal, RunStatus, StepResult, StepRun } from './resources/index.js';
import { AppFixture } from './testing/app-fixture.js';
import { EngineFixture } from './testing/engine-fixture.js';

const sources: Readonly<Record<string, string>> = {
  // What an earlier version took, and this one refuses.
  old: `
name: old
steps:
  a: { function: f }
  b: { needs: a, function: f, when: "true || 'x'", with: { text: "\${{ nonsense(1) }}" } }
  c: { needs: a, function: f }
`,
  // What cannot be gone on with in any way.
  unreadable: `
name: unreadable
steps:
  a: { function: f }
  wait: { sleep: 1h }
  inner: { workflow: small }
  b: { needs: a, function: f, some: thing }
`,
  small: 'name: small\nsteps:\n  a: { function: f }\n',
  outer: 'name: outer\nsteps:\n  a: { workflow: old }\n',
};

/** An engine, of which an earlier version runs first. */
async function earlier(): Promise<{ engine: EngineFixture; upgrade: () => Promise<void> }> {
  let isEarlier = true;
  const readDefinition = (source: string, isBegun: boolean): Definition => {
    const text = sources[source] ?? '';
    return isEarlier
      ? definitionOf(text.replace(', some: thing', ''), { isBegun: true })
      : definitionOf(text, { isBegun });
  };
  const engine = await EngineFixture.start(
    Object.fromEntries(Object.keys(sources).map((name) => [name, {} as Definition])),
    { readDefinition },
  );
  const upgrade = async () => {
    isEarlier = false;
    await engine.restart();
  };
  return { engine, upgrade };
}

describe('definitions that an earlier version took', () => {
  it('E1: are gone on by in runs that have begun', async () => {
    const { engine, upgrade } = await earlier();
    await using _ = engine;
    await engine.run('old');
    await engine.wait(engine.executor.until(['old.a']));
    await upgrade();
    await engine.wait(engine.executor.until(['old.a']));
    engine.executor.succeed('old.a');
    await engine.wait(engine.executor.until(['old.c']));
    engine.executor.succeed('old.c');
    const { spec } = await engine.untilOver('old');
    expect(await engine.results('old')).toMatchObject({ a: 'succeeded', b: 'failed', c: 'succeeded' });
    expect(spec).toMatchObject({ state: 'failed', message: expect.stringContaining('nonsense') });
    // And by a retry of it.
    await engine.engine.retry('old');
    await engine.untilStatus('old', ({ state, retries }) => state === 'failed' && retries === 1);
    expect(await engine.results('old')).toMatchObject({ a: 'succeeded', c: 'succeeded' });
  });

  it('E4: make new runs fail at once, with what is wrong', async () => {
    const { engine, upgrade } = await earlier();
    await using _ = engine;
    await upgrade();
    for (const workflow of ['old', 'outer']) {
      await engine.run(workflow);
      const { spec } = await engine.untilOver(workflow);
      expect(spec.message).toContain('|| takes what is true or false, and this is neither');
    }
    expect(engine.executor.begun).toEqual([]);
  });

  it('E3: are given up when they cannot be gone on by, and all that goes on is ended first', async () => {
    const { engine, upgrade } = await earlier();
    await using _ = engine;
    await engine.run('unreadable');
    await engine.wait(engine.executor.until(['unreadable.a', 'unreadable.inner.a']));
    await engine.untilResult('unreadable.wait', 'waiting');
    await upgrade();
    const { spec } = await engine.untilOver('unreadable');
    expect(spec).toMatchObject({ state: 'failed', message: expect.stringContaining('some is no key of a step') });
    expect((await engine.state.get(RunStatus.at('unreadable.inner'))).spec.state).toBe('cancelled');
    expect(await engine.results('unreadable')).toMatchObject({ wait: 'cancelled' });
    for (const { spec: of } of await engine.state.list(StepResult.kind)) expect(isFinal(of.state)).toBe(true);
    expect(spec.steps.map(({ running }) => running)).toEqual(spec.steps.map(() => 0));
    for (const { metadata, spec: of } of await engine.state.list(StepRun.kind)) {
      const result = await engine.state.get(StepResult.at(metadata.id));
      expect(result.spec.attempt).toBe(of.attempt);
    }
    // A retry is told the same, and begins nothing.
    const begun = engine.executor.begun.length;
    await engine.engine.retry('unreadable');
    await engine.untilStatus('unreadable', ({ state, retries }) => state === 'failed' && retries === 1);
    expect(engine.executor.begun).toHaveLength(begun);
  });

  it('are refused with what is wrong when they come anew', async () => {
    await using fixture = await AppFixture.start();
    const { status, body } = await fixture.call('POST', '/runs', { source: sources.old });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('|| takes what is true or false')]);
  });
});
