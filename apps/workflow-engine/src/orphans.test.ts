import { sleep } from '@cosi-ts/state';
import { untilAbsent } from '@cosi-ts/testing';
import { describe, expect, it } from 'vitest';
import { RunStatus, Signal, StepResult, StepRun, WorkflowRun } from './resources/index.js';
import { AppFixture } from './testing/app-fixture.js';
import { definition, nested, waitFor } from './testing/definitions.js';
import { EngineFixture } from './testing/engine-fixture.js';

const inner = definition({ steps: { work: {}, ask: { action: waitFor('go') } } });
const outer = definition({
  steps: { child: { action: nested('inner'), retry: { limit: 3 } }, beside: {}, after: { needs: ['child'] } },
});

/** Destroys a run without a teardown, whoever holds it. */
async function destroyByForce({ state }: Pick<EngineFixture, 'state'>, run: string): Promise<void> {
  await state.updateWithConflicts(
    WorkflowRun.at(run),
    ({ metadata }) => {
      for (const finalizer of [...metadata.finalizers]) metadata.finalizers.remove(finalizer);
    },
    { expectedPhase: 'any' },
  );
  await state.destroy(WorkflowRun.at(run));
}

/** What there is of a run, but for what its parent has of it. */
async function rest({ state }: EngineFixture, run: string): Promise<string[]> {
  const [stepRuns, results, signals, statuses] = await Promise.all([
    state.list(StepRun.kind),
    state.list(StepResult.kind),
    state.list(Signal.kind),
    state.list(RunStatus.kind),
  ]);
  const own = [...stepRuns, ...results, ...signals].filter(({ spec }) => spec.run === run);
  return [...own, ...statuses.filter(({ metadata }) => metadata.id === run)].map(({ metadata }) => metadata.type);
}

async function untilNothingIsLeft(engine: EngineFixture, run: string): Promise<void> {
  const none = async () => {
    while ((await rest(engine, run)).length > 0) await sleep(engine.clock, 100);
  };
  await engine.wait(none());
}

describe('a run that was destroyed by force', () => {
  it('E23: leaves nothing: what executes is asked to end, and all that belonged to it is destroyed', async () => {
    await using engine = await EngineFixture.start({ inner });
    await engine.run('inner', {}, 'r');
    await engine.engine.signal('r', 'later');
    await engine.wait(engine.executor.until(['r.work']));
    await destroyByForce(engine, 'r');
    await untilNothingIsLeft(engine, 'r');
    expect(engine.executor.stops).toEqual(['r.work cancelled']);
    expect(engine.log.at('warn').map(({ message }) => message)).toEqual([
      'the run was destroyed by force: what is left of it is ended and destroyed',
    ]);
  });

  it('E23: is cleaned up at the start of an engine that was away meanwhile', async () => {
    await using engine = await EngineFixture.start({ inner });
    await engine.run('inner', {}, 'r');
    await engine.wait(engine.executor.until(['r.work']));
    await engine.wait(engine.engine.close());
    await destroyByForce(engine, 'r');
    await engine.startEngine();
    await untilNothingIsLeft(engine, 'r');
  });

  it('E23: cancels the runs that it has begun', async () => {
    await using engine = await EngineFixture.start({ inner, outer });
    await engine.run('outer');
    await engine.wait(engine.executor.until(['outer.beside', 'outer.child.work']));
    await destroyByForce(engine, 'outer');
    await untilNothingIsLeft(engine, 'outer');
    await untilNothingIsLeft(engine, 'outer.child');
    expect(await engine.state.list(WorkflowRun.kind)).toEqual([]);
    expect([...engine.executor.stops].sort()).toEqual(['outer.beside cancelled', 'outer.child.work cancelled']);
  });

  it.each([
    ['while the engine runs', false],
    ['while it is away', true],
  ])('E23: makes the step fail that waits for it, and is not made again: %s', async (_, away) => {
    await using engine = await EngineFixture.start({ inner, outer });
    await engine.run('outer');
    await engine.wait(engine.executor.until(['outer.beside', 'outer.child.work']));
    if (away) await engine.wait(engine.engine.close());
    await destroyByForce(engine, 'outer.child');
    if (away) await engine.startEngine();
    const { spec: step } = await engine.untilResult('outer.child', 'failed');
    expect(step.error).toMatchObject({
      reason: 'cancelled',
      message: 'the run outer.child was destroyed before it was over',
    });
    await engine.wait(engine.executor.until(['outer.beside']));
    engine.executor.succeed('outer.beside');
    const { spec } = await engine.untilOver('outer');
    expect(spec).toMatchObject({
      state: 'failed',
      message: 'the step child failed: the run outer.child was destroyed before it was over',
    });
    await untilNothingIsLeft(engine, 'outer.child');
    const runs = await engine.state.list(WorkflowRun.kind);
    expect(runs.map(({ metadata }) => metadata.id)).toEqual(['outer']);
  });

  it('E23: makes the step fail also when its status was destroyed with it', async () => {
    await using engine = await EngineFixture.start({ inner, outer });
    await engine.run('outer');
    await engine.wait(engine.executor.until(['outer.beside', 'outer.child.work']));
    await destroyByForce(engine, 'outer.child');
    await engine.state.destroy(RunStatus.at('outer.child'), { owner: 'RunController' });
    const { spec } = await engine.untilResult('outer.child', 'failed');
    expect(spec.error?.message).toBe('the run outer.child was destroyed before it was over');
  });
});

describe('with processes', { timeout: 30_000 }, () => {
  it('E23: the processes of a run that was destroyed by force are ended, and nothing of it can be asked for', async () => {
    await using fixture = await AppFixture.start();
    const run = await fixture.start(
      'name: long\nsteps:\n  hang: { run: "echo pid=$$; trap : TERM; sleep 100 & wait; wait" }\n',
    );
    const pid = await fixture.until(run, async () => {
      const { body } = await fixture.call('GET', `/runs/${run}/steps/hang/log`);
      const text = body.lines?.map((line: { text: string }) => line.text).join('\n') ?? '';
      const [, found] = /pid=(\d+)/.exec(text) ?? [];
      if (found === undefined) throw new Error(`nothing is said of the process: ${JSON.stringify(body)}`);
      return Number(found);
    });
    expect(process.kill(pid, 0)).toBe(true);
    const { state } = fixture.app.engine;
    await destroyByForce({ state }, run);
    await untilAbsent(state, StepRun.at(`${run}.hang`), { timeoutMs: 20_000 });
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    await untilAbsent(state, RunStatus.at(run), { timeoutMs: 20_000 });
    expect((await fixture.call('GET', `/runs/${run}`)).status).toBe(404);
  });
});
