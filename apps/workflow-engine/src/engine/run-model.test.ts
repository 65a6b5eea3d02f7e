import { describe, expect, it } from 'vitest';
import { definition, expression, functionAction, items, nothing, template } from '../testing/definitions.js';
import { ModelBench } from '../testing/model-bench.js';

const always = expression(() => true);
const never = expression(() => false);
const broken = expression(() => {
  throw new Error('there is no such thing');
});

describe('sequences and joins', () => {
  it('E6: a step begins when what it needs is over, and the run ends with the last', () => {
    const run = new ModelBench(definition({ steps: { a: {}, b: { needs: ['a'] }, c: { needs: ['b'] } } }));
    expect(run.begun).toEqual(['a']);
    run.end('a');
    expect(run.begun).toEqual(['a', 'b']);
    run.end('b');
    run.end('c');
    expect(run.outcome).toEqual({ state: 'succeeded', message: '', outputs: '{}' });
  });

  it('E6: steps that do not need each other are executed side by side', () => {
    const run = new ModelBench(definition({ steps: { a: {}, b: {}, c: { needs: ['a', 'b'] } } }));
    expect(run.active).toEqual(['a', 'b']);
    run.end('b');
    expect(run.begun).toEqual(['a', 'b']);
    run.end('a');
    expect(run.active).toEqual(['c']);
  });

  it('E6: when is asked only when the outcome allows it, and skips', () => {
    const steps = { a: { when: never }, b: { needs: ['a'] }, c: { needs: ['a'], on: 'always' as const, when: always } };
    const run = new ModelBench(definition({ steps }));
    expect(run.states).toEqual({ a: 'skipped', b: 'skipped', c: 'running' });
    run.end('c');
    expect(run.outcome?.state).toBe('succeeded');
  });

  it('E6: a condition that cannot be evaluated fails the step for good', () => {
    const run = new ModelBench(definition({ steps: { a: { when: broken, retry: { limit: 5 } } } }));
    expect(run.outcome).toMatchObject({ state: 'failed', message: 'the step a failed: there is no such thing' });
    expect(run.results.get('a')).toMatchObject({ state: 'failed', failure: { reason: 'rejected' } });
  });

  it('E6: a join of one does not wait for the others, and ends them when it says so', () => {
    const steps = { a: {}, b: {}, c: {}, any: { needs: ['a', 'b', 'c'], join: 1, cancelRest: true } };
    const run = new ModelBench(definition({ steps }));
    run.end('b');
    expect(run.begun).toEqual(['a', 'b', 'c', 'any']);
    expect(run.decided.filter(({ kind }) => kind === 'stop')).toMatchObject([{ step: 'c' }, { step: 'a' }]);
    run.end('any');
    expect(run.outcome).toBeUndefined();
    run.endAll();
    expect(run.outcome?.state).toBe('succeeded');
    expect(run.states).toMatchObject({ a: 'cancelled', b: 'succeeded', c: 'cancelled' });
  });

  it('E6: a join that can no longer be reached fails or skips what needs it', () => {
    const steps = {
      a: {},
      b: { when: never },
      two: { needs: ['a', 'b'], join: 2 },
      rescue: { needs: ['a', 'b'], join: 2, on: 'failure' as const },
    };
    const failing = new ModelBench(definition({ steps }));
    failing.end('a', 'exit');
    expect(failing.states).toMatchObject({ two: 'skipped', rescue: 'running' });
    const short = new ModelBench(definition({ steps }));
    short.end('a');
    expect(short.states).toMatchObject({ two: 'skipped', rescue: 'skipped' });
  });

  it('E7: a failure with continueOnError counts as a success', () => {
    const run = new ModelBench(definition({ steps: { a: { continueOnError: true }, b: { needs: ['a'] } } }));
    run.end('a', 'exit');
    run.end('b');
    expect(run.states).toEqual({ a: 'failed', b: 'succeeded' });
    expect(run.outcome?.state).toBe('succeeded');
  });

  it('E8: a run fails when all is over that can be executed: other branches go on', () => {
    const steps = { a: {}, afterA: { needs: ['a'] }, b: {}, afterB: { needs: ['b'] } };
    const run = new ModelBench(definition({ steps }));
    run.end('a', 'exit');
    expect(run.outcome).toBeUndefined();
    run.end('b');
    expect(run.active).toEqual(['afterB']);
    run.end('afterB');
    expect(run.states).toEqual({ a: 'failed', afterA: 'skipped', b: 'succeeded', afterB: 'succeeded' });
    expect(run.outcome).toMatchObject({ state: 'failed', message: 'the step a failed: a had exit' });
  });

  it('E8: steps of finally begin when all others are over, whatever the outcome', () => {
    const state: unknown[] = [];
    const see = functionAction('see', { state: (scope) => (scope.run as { state: string }).state });
    const run = new ModelBench(
      definition({ steps: { a: {}, b: {} }, finally: { clean: { action: see }, last: { needs: ['clean'] } } }),
    );
    run.end('a', 'exit');
    expect(run.active).toEqual(['b']);
    run.end('b');
    state.push(run.decided.find((decision) => decision.kind === 'begin' && decision.step === 'clean'));
    expect(state).toMatchObject([{ action: '{"function":"see","with":{"state":"failed"}}' }]);
    run.end('clean');
    run.end('last');
    expect(run.outcome?.state).toBe('failed');
  });

  it('E8: a failure in finally makes a run fail that would have succeeded', () => {
    const run = new ModelBench(definition({ steps: { a: { action: nothing } }, finally: { clean: {} } }));
    run.end('clean', 'error');
    expect(run.outcome).toMatchObject({ state: 'failed', message: 'the step clean failed: clean had error' });
  });

  it('E3: what has been over is written down, with its end', () => {
    const run = new ModelBench(
      definition({ steps: { a: {}, b: { needs: ['a'] }, c: { needs: ['a'], on: 'failure' } } }),
    );
    run.end('a', 'exit');
    run.end('c');
    expect([...run.results.values()].map(({ step, state, endedMs }) => [step, state, endedMs])).toEqual([
      ['a', 'failed', 1000],
      ['b', 'skipped', 1000],
      ['c', 'succeeded', 1000],
    ]);
  });

  it('gives the outputs of the run from those of its steps', () => {
    const outputs = new Map([
      ['sum', template(({ steps }) => (steps as never as { a: { outputs: { n: number } } }).a.outputs.n + 1)],
    ]);
    const run = new ModelBench(definition({ steps: { a: {} }, outputs }));
    run.end('a', 'succeeded', { n: 4 });
    expect(run.outcome).toEqual({ state: 'succeeded', message: '', outputs: '{"sum":5}' });
  });

  it('fails when the outputs of the run cannot be evaluated', () => {
    const outputs = new Map([['x', template(() => JSON.parse('{'))]]);
    const run = new ModelBench(definition({ steps: { a: { action: nothing } }, outputs }));
    expect(run.outcome).toMatchObject({ state: 'failed' });
  });
});

describe('fan-out', () => {
  const each = (parallel?: number, maxFailures?: number) => items(['x', 'y', 'z'], parallel, maxFailures);

  it('E9: executes one for each item, at most so many at once, in the order of the list', () => {
    const run = new ModelBench(definition({ steps: { a: { forEach: each(2) }, b: { needs: ['a'] } } }));
    expect(run.begun).toEqual(['a.0', 'a.1']);
    run.end('a.1', 'succeeded', { n: 1 });
    expect(run.begun).toEqual(['a.0', 'a.1', 'a.2']);
    run.end('a.2');
    expect(run.active).toEqual(['a.0']);
    run.end('a.0', 'succeeded', { n: 0 });
    expect(run.active).toEqual(['b']);
    expect(run.results.get('a')).toMatchObject({ state: 'succeeded', items: '["x","y","z"]', endedMs: 1000 });
  });

  it('E9: an empty list is a success', () => {
    const run = new ModelBench(definition({ steps: { a: { forEach: items([]) }, b: { needs: ['a'] } } }));
    expect(run.states).toEqual({ a: 'succeeded', b: 'running' });
  });

  it('E9: its outputs are those of the items in their order, null for those that gave none', () => {
    const seen = functionAction('see', { all: ({ steps }) => (steps as never as { a: { outputs: never } }).a.outputs });
    const steps = { a: { forEach: each(undefined, 1) }, b: { needs: ['a'], action: seen } };
    const run = new ModelBench(definition({ steps }));
    run.end('a.2', 'succeeded', { n: 2 });
    run.end('a.1', 'exit');
    run.end('a.0', 'succeeded', { n: 0 });
    const begin = run.decided.find((decision) => decision.kind === 'begin' && decision.step === 'b');
    expect(JSON.parse((begin as { action: string }).action)).toEqual({
      function: 'see',
      with: { all: { items: [{ n: 0 }, null, { n: 2 }] } },
    });
  });

  it('E9: after too many failures no other item is begun, and the step fails when the open ones are over', () => {
    const run = new ModelBench(definition({ steps: { a: { forEach: items([1, 2, 3, 4, 5], 2, 1) } } }));
    run.end('a.0', 'exit');
    run.end('a.1', 'exit');
    expect(run.begun).toEqual(['a.0', 'a.1', 'a.2']);
    run.end('a.2');
    expect(run.outcome).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('2 of 5 items failed: a.0'),
    });
    expect([...run.model.summaries()]).toMatchObject([{ total: 5, running: 0, succeeded: 1, failed: 2, dropped: 2 }]);
  });

  it('E9: what is no list is refused', () => {
    const run = new ModelBench(definition({ steps: { a: { forEach: items(() => 'abc') } } }));
    expect(run.outcome).toMatchObject({ state: 'failed', message: expect.stringContaining('forEach needs a list') });
  });

  it('E9: the list is that of the beginning, also after a restart', () => {
    let list = [1, 2];
    const run = new ModelBench(definition({ steps: { a: { forEach: items(() => list, 1) } } }));
    list = [1, 2, 3, 4];
    run.restart();
    run.endAll();
    expect(run.begun).toEqual(['a.0', 'a.1']);
  });
});

describe('rounds', () => {
  const until = (n: number) => ({
    until: expression(({ steps }) => (steps as never as { a: { outputs: { n: number } } }).a.outputs.n >= n),
    limit: 4,
    delayMs: 500,
  });

  it('E10: makes rounds until the condition holds, and has the outputs of the last', () => {
    const outputs = new Map([
      ['n', template(({ steps }) => (steps as never as { a: { outputs: { n: number } } }).a.outputs.n)],
    ]);
    const run = new ModelBench(definition({ steps: { a: { repeat: until(2) } }, outputs }));
    const counts = () => [...run.model.summaries()][0];
    expect(counts()).toMatchObject({ total: 1, running: 1, succeeded: 0 });
    run.end('a.0', 'succeeded', { n: 1 });
    expect(run.active).toEqual([]);
    expect(run.model.nextMs).toBe(1500);
    run.advance(499);
    expect(run.active).toEqual([]);
    run.advance(1);
    expect(run.active).toEqual(['a.1']);
    expect(counts()).toMatchObject({ total: 2, running: 1, succeeded: 1 });
    run.restart();
    run.end('a.1', 'succeeded', { n: 2 });
    expect(run.outcome).toMatchObject({ state: 'succeeded', outputs: '{"n":2}' });
    expect(counts()).toMatchObject({ state: 'succeeded', total: 2, running: 0, succeeded: 2, failed: 0, dropped: 0 });
  });

  it('E10: fails when so many rounds were not enough', () => {
    const run = new ModelBench(definition({ steps: { a: { repeat: until(9) } } }));
    for (let round = 0; round < 4; round++) {
      run.end(`a.${round}`, 'succeeded', { n: 0 });
      run.advance(500);
    }
    expect(run.outcome).toMatchObject({ state: 'failed', message: expect.stringContaining('after 4 rounds') });
    expect([...run.model.summaries()]).toMatchObject([{ total: 4, succeeded: 3, failed: 1 }]);
  });

  it('E10: fails with a round that failed', () => {
    const run = new ModelBench(definition({ steps: { a: { repeat: until(9) } } }));
    run.end('a.0', 'exit');
    expect(run.outcome?.state).toBe('failed');
  });
});
