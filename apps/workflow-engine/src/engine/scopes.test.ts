import { describe, expect, it } from 'vitest';
import type { Scope } from '../expression/expression.js';
import { definition, expression, functionAction, items } from '../testing/definitions.js';
import { ModelBench } from '../testing/model-bench.js';

/** What a step sees when it begins. */
function seen(steps: Parameters<typeof definition>[0], act: (run: ModelBench) => void): Record<string, Scope> {
  const scopes: Record<string, Scope> = {};
  const see = (name: string) =>
    functionAction('see', {
      x: (scope) => {
        scopes[name] = JSON.parse(JSON.stringify(scope)) as Scope;
        return null;
      },
    });
  const withSee = (of: typeof steps.steps = {}) =>
    Object.fromEntries(Object.entries(of).map(([name, step]) => [name, { action: see(name), ...step }]));
  const run = new ModelBench(definition({ ...steps, steps: withSee(steps.steps), finally: withSee(steps.finally) }), {
    inputs: { n: 1 },
  });
  act(run);
  return scopes;
}

describe('what expressions can speak of', () => {
  it('is the inputs, the run, and the steps that a step needs, directly or not', () => {
    const steps = { a: {}, other: {}, b: { needs: ['a'] }, c: { needs: ['b'] } };
    const scopes = seen({ steps }, (run) => {
      run.end('other', 'succeeded', { secret: true });
      run.end('a', 'succeeded', { x: 2 });
      run.end('b');
    });
    const times = { createdAt: '1970-01-01T00:00:00.000Z', startedAt: expect.stringMatching(/^\d{4}-.*Z$/) };
    expect(scopes.a).toEqual({
      inputs: { n: 1 },
      run: { id: 'run', workflow: 'test', retries: 0, trigger: 'user', ...times },
      step: { name: 'a', attempt: 1 },
      steps: {},
    });
    expect(scopes.c?.steps).toEqual({
      a: { state: 'succeeded', outputs: { x: 2 }, error: null },
      b: { state: 'succeeded', outputs: {}, error: null },
    });
  });

  it('has the attempt that begins', () => {
    const attempts: (Scope['step'] | undefined)[] = [];
    const see = functionAction('see', { x: ({ step = null }) => attempts.push(step) });
    const when = expression(({ step }) => (step as { attempt: number }).attempt < 3);
    const retry = { limit: 5, when, backoff: { initialMs: 0, factor: 1, maxMs: 0 } };
    const run = new ModelBench(definition({ steps: { a: { action: see, retry } } }));
    for (let n = 1; n <= 3; n++) run.end('a', 'exit');
    expect(attempts).toEqual([1, 2, 3].map((attempt) => ({ name: 'a', attempt })));
    expect(run.outcome?.state).toBe('failed');
  });

  it('has the item and its index, and the round', () => {
    const repeat = { until: expression(() => true), limit: 1, delayMs: 0 };
    const scopes = seen({ steps: { each: { forEach: items(['p']) }, again: { repeat } } }, () => undefined);
    expect(scopes.each).toMatchObject({ item: 'p', index: 0 });
    expect(scopes.again).toMatchObject({ index: 0 });
    expect(scopes.again).not.toHaveProperty('item');
  });

  it('has in finally the state of the run so far, and why steps failed', () => {
    const scopes = seen({ steps: { a: {} }, finally: { clean: {} } }, (run) => run.end('a', 'exit'));
    expect(scopes.clean?.run).toMatchObject({ state: 'failed' });
    expect(scopes.clean?.steps).toEqual({
      a: { state: 'failed', outputs: {}, error: { reason: 'exit', message: 'a had exit', exitCode: null } },
    });
  });
});
