import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Action, Definition } from '../definition/definition.js';
import { isFinal } from '../resources/states.js';
import {
  definition,
  expression,
  functionAction,
  items,
  nested,
  nothing,
  type StepInit,
  sleepFor,
  waitFor,
} from '../testing/definitions.js';
import { ModelBench } from '../testing/model-bench.js';
import type { RunModel } from './run-model.js';

const names = ['a', 'b', 'c', 'd', 'e'];

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(functionAction()) },
  { weight: 1, arbitrary: fc.constant(nothing) },
  { weight: 1, arbitrary: fc.constant(sleepFor(3)) },
  { weight: 1, arbitrary: fc.constantFrom('go', 'on').map(waitFor) },
  { weight: 1, arbitrary: fc.constant(nested('child')) },
);

const many: fc.Arbitrary<Pick<StepInit, 'forEach' | 'repeat'>> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc
      .record({ length: fc.nat(4), parallel: fc.integer({ min: 1, max: 3 }), maxFailures: fc.nat(1) })
      .map(({ length, parallel, maxFailures }) => ({ forEach: items(Array(length).fill('x'), parallel, maxFailures) })),
  },
  {
    weight: 1,
    arbitrary: fc.nat(3).map((last) => ({
      repeat: { until: expression(({ index }) => (index as number) >= last), limit: 3, delayMs: 500 },
    })),
  },
);

function step(before: readonly string[]): fc.Arbitrary<StepInit> {
  return fc
    .record({
      needs: fc.subarray([...before]),
      some: fc.boolean(),
      cancelRest: fc.boolean(),
      on: fc.constantFrom('success', 'success', 'failure', 'always'),
      continueOnError: fc.boolean(),
      limit: fc.nat(2),
      deadlineMs: fc.constantFrom(undefined, undefined, 4000),
      when: fc.constantFrom(undefined, undefined, true, false),
      runsOn: fc.boolean(),
      action,
      many,
    })
    .map(({ needs, some, cancelRest, limit, when, many: more, runsOn, on, ...rest }) => ({
      ...rest,
      ...more,
      on: on as 'success' | 'failure' | 'always',
      needs,
      join: some && needs.length > 0 ? 1 : 'all',
      cancelRest: some && cancelRest,
      retry: { limit },
      when: when === undefined ? undefined : expression(() => when),
      runsOn: runsOn ? new Map([['os', 'linux']]) : new Map(),
    }));
}

const steps = (of: readonly string[]) =>
  fc
    .tuple(...of.map((_, index) => step(of.slice(0, index))))
    .map((made) => Object.fromEntries(made.map((one, i) => [of[i] as string, one])));

const definitions: fc.Arbitrary<Definition> = fc
  .record({
    steps: fc.integer({ min: 1, max: names.length }).chain((count) => steps(names.slice(0, count))),
    finally: fc.integer({ min: 0, max: 2 }).chain((count) => steps(['x', 'y'].slice(0, count))),
    timeoutMs: fc.constantFrom(undefined, undefined, 9000),
  })
  .map(definition);

type Operation = { readonly kind: string; readonly pick: number };

const operation: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constantFrom(
    ...['succeed', 'succeed', 'succeed', 'fail', 'lose', 'advance', 'advance', 'signal', 'child', 'child-fails'],
    ...['pause', 'resume', 'restart', 'cancel', 'retry', 'crash', 'crash'],
  ),
  pick: fc.nat(65_535),
});

function apply(run: ModelBench, { kind, pick }: Operation): void {
  const { active } = run;
  const one = active[pick % Math.max(1, active.length)];
  const open = [...run.model.children].map(({ step: of, index }) => (index < 0 ? of : `${of}.${index}`));
  const child = open[pick % Math.max(1, open.length)];
  switch (kind) {
    case 'succeed':
      if (one !== undefined) run.end(one, stopped(run, one) ? 'cancelled' : 'succeeded');
      return;
    case 'fail':
      if (one !== undefined) run.end(one, stopped(run, one) ? 'cancelled' : pick % 2 === 0 ? 'exit' : 'rejected');
      return;
    case 'lose':
      if (one !== undefined) run.end(one, 'lost');
      return;
    case 'advance':
      run.advance((pick % 20) * 200);
      return;
    case 'signal':
      run.signal(pick % 2 === 0 ? 'go' : 'on');
      return;
    case 'child':
      if (child !== undefined)
        run.endChild(child, run.children.get(child)?.stopped === true ? 'cancelled' : 'succeeded');
      return;
    case 'child-fails':
      if (child !== undefined) run.endChild(child, 'failed');
      return;
    case 'pause':
      run.pause(true);
      return;
    case 'resume':
      run.pause(false);
      return;
    case 'restart':
      run.restart();
      return;
    case 'crash':
      run.crashNext(pick);
      return;
    case 'cancel':
      if (run.outcome === undefined) run.cancel();
      return;
    case 'retry':
      if (run.outcome !== undefined && run.outcome.state !== 'succeeded') run.retry();
  }
}

function stopped(run: ModelBench, id: string): boolean {
  return run.attempts.get(id)?.stopping === true;
}

/** Whoever executes is done, whoever waits gets what he waits for, and time passes: the run must come to its end. */
function bringToEnd(run: ModelBench): void {
  run.pause(false);
  for (let rounds = 0; run.outcome === undefined; rounds++) {
    if (rounds > 200) throw new Error(`the run is stuck: ${JSON.stringify(run.states)}`);
    run.endAll();
    for (const kind of ['child', 'signal', 'child'] as const) apply(run, { kind, pick: rounds });
    run.advance(5000);
  }
}

/** How the steps stand. Whether one that is held back has begun or is to begin is all the same. */
function shown(model: RunModel) {
  return [...model.summaries()].map(({ state, total, dropped, ...rest }) =>
    isFinal(state) ? { state, total, dropped, ...rest } : rest,
  );
}

/** What a restart would make of it is what it is. */
function expectSame(run: ModelBench): void {
  const again = run.newModel();
  for (const { end } of run.children.values()) if (end !== undefined) again.child(end);
  const decisions = again
    .decide(run.nowMs)
    .filter(({ kind }) => kind !== 'admit' && kind !== 'stop-child' && kind !== 'begin-child');
  expect(decisions).toEqual([]);
  expect(shown(again)).toEqual(shown(run.model));
  expect(again.outcome).toEqual(run.outcome);
}

describe('any workflow, whatever happens', () => {
  const run = fc.record({
    of: definitions,
    operations: fc.array(operation, { maxLength: 25 }),
    room: fc.constantFrom(1, 2, 100),
    reversed: fc.boolean(),
  });
  const bench = (of: Definition, room: number, reversed: boolean) =>
    new ModelBench(of, { room, shuffled: (values) => (reversed ? [...values].reverse() : values) });

  it('E3, E5, E9, E11, E12, E13, E18: ends with every step over, and a model made again decides the same', () => {
    fc.assert(
      fc.property(run, ({ of, operations, room, reversed }) => {
        const made = bench(of, room, reversed);
        for (const each of operations) {
          apply(made, each);
          expectSame(made);
        }
        bringToEnd(made);
        expectSame(made);
        expect(made.active).toEqual([]);
        for (const { state, step: name } of made.model.summaries()) {
          expect(isFinal(state), name).toBe(true);
          expect(made.results.get(name), name).toMatchObject({
            state: expect.stringMatching(/succ|fail|skip|canc/),
            endedMs: expect.any(Number),
          });
        }
        for (const result of made.results.values()) expect(isFinal(result.state)).toBe(true);
      }),
      { numRuns: 250 },
    );
  }, 60_000);

  it('E6: what is executed had what it asks for, and E8: finally runs when all others are over', () => {
    fc.assert(
      fc.property(run, ({ of, operations, room, reversed }) => {
        const made = bench(of, room, reversed);
        const check = () => {
          const { states } = made;
          for (const [name, definitionOf] of [...of.steps, ...of.finally]) {
            if (states[name] === 'pending' || states[name] === 'skipped' || states[name] === 'cancelled') continue;
            if (made.results.get(name)?.attempt === 0 && made.results.get(name)?.failure !== undefined) continue;
            if (of.finally.has(name))
              for (const other of of.steps.keys()) expect(isFinal(states[other] ?? '')).toBe(true);
            const { steps: needs, join } = definitionOf.needs;
            const succeeded = needs.filter(
              (need) => states[need] === 'succeeded' || (states[need] === 'failed' && isTolerated(of, need)),
            );
            if (definitionOf.on === 'success' && join !== 'all') expect(succeeded.length).toBeGreaterThanOrEqual(join);
            if (join === 'all') for (const need of needs) expect(isFinal(states[need] ?? '')).toBe(true);
          }
        };
        for (const each of operations.filter(({ kind }) => kind !== 'retry')) {
          apply(made, each);
          check();
        }
        bringToEnd(made);
        check();
      }),
      { numRuns: 250 },
    );
  }, 60_000);
});

function isTolerated(of: Definition, name: string): boolean {
  return (of.steps.get(name) ?? of.finally.get(name))?.continueOnError === true;
}
