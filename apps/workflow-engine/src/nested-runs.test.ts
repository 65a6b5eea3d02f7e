import { describe, expect, it } from 'vitest';
import type { Action, Definition } from './definition/definition.js';
import type { JsonObject } from './json.js';
import { WorkflowRun } from './resources/index.js';
import { definition, items, nested, nothing, template } from './testing/definitions.js';
import { EngineFixture } from './testing/engine-fixture.js';

const sized = definition({
  inputs: new Map([
    ['size', { type: 'number', description: '', default: undefined, options: [] }],
    ['mode', { type: 'string', description: '', default: 'fast', options: ['fast', 'slow'] }],
  ]),
  steps: { work: {} },
});

function calling(inputs: JsonObject): Definition {
  const given = new Map(Object.entries(inputs).map(([name, value]) => [name, template(() => value)]));
  const action: Action = { kind: 'workflow', workflow: 'sized', with: given };
  return definition({ steps: { child: { action, retry: { limit: 3 } } } });
}

describe('nested runs', () => {
  it.each([
    [{}, 'size: the input size must be given, as a number'],
    [{ size: 'x', mode: 'quick' }, 'size: this must be a number, not "x"; mode: this must be one of "fast", "slow"'],
    [{ size: 1, sise: 2 }, 'sise: there is no input sise; did you mean size?'],
  ])('are not made with wrong inputs, which the step names: %j', async (inputs, problem) => {
    await using engine = await EngineFixture.start({ sized, calling: calling(inputs) });
    await engine.run('calling');
    const { spec } = await engine.untilOver('calling');
    expect(spec.message).toContain(`the step child failed: the inputs of the workflow sized are wrong: ${problem}`);
    const { spec: step } = await engine.untilResult('calling.child', 'failed');
    expect(step).toMatchObject({ attempt: 1, error: { reason: 'rejected' } });
    expect(await engine.state.list(WorkflowRun.kind)).toHaveLength(1);
  });

  it('are refused when too many of one run go on, as when a workflow calls itself twice', async () => {
    const twice = definition({
      steps: { a: { action: nested('twice') }, b: { action: nested('twice') }, after: { needs: ['a', 'b'] } },
    });
    const other = definition({ steps: { child: { action: nested('leaf') } } });
    const leaf = definition({ steps: { a: { action: nothing } } });
    await using engine = await EngineFixture.start({ twice, other, leaf }, { maxNestedRuns: 50 });
    await engine.run('twice');
    await engine.run('other');
    expect((await engine.untilOver('twice')).spec.message).toContain(
      '50 runs within twice went on at once, and no other one is made until they are over: does a workflow call itself?',
    );
    // The first 50, and none in the place of those that failed since they could make no others.
    expect(
      (await engine.state.list(WorkflowRun.kind)).filter(({ metadata }) => metadata.id.startsWith('twice')),
    ).toHaveLength(51);
    expect((await engine.untilOver('other')).spec.state).toBe('succeeded');
  }, 30_000);

  it('may be very many, one after the other', async () => {
    const many = definition({
      steps: {
        each: {
          action: nested('leaf'),
          forEach: items(
            Array.from({ length: 60 }, (_, i) => i),
            5,
          ),
        },
      },
    });
    const leaf = definition({ steps: { a: { action: nothing } } });
    await using engine = await EngineFixture.start({ many, leaf }, { maxNestedRuns: 6 });
    await engine.run('many');
    expect((await engine.untilOver('many')).spec.state).toBe('succeeded');
  });

  it('are made with the right ones, and with defaults', async () => {
    await using engine = await EngineFixture.start({ sized, calling: calling({ size: 1, mode: null }) });
    await engine.run('calling');
    await engine.wait(engine.executor.until(['calling.child.work']));
  });

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
