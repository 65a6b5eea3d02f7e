import { describe, expect, it } from 'vitest';
import type { Concurrency } from '../definition/definition.js';
import { WorkflowRun } from '../resources/index.js';
import { definition, template } from '../testing/definitions.js';
import { RunLine } from './run-line.js';

const run = (id: string, priority = 0) => WorkflowRun.new(id, { workflow: 'w', source: 's', priority });
const keyed = (policy: Concurrency['policy'], limit = 1) =>
  definition({ concurrency: { key: template(({ inputs }) => (inputs as { k: string }).k), limit, policy }, steps: {} });

function line() {
  const woken: string[] = [];
  return { woken, line: new RunLine((id) => woken.push(id)) };
}

describe('runs in line', () => {
  it('E2: wait for their key, those with the higher priority first', () => {
    const { line: of, woken } = line();
    for (const [id, priority] of [
      ['a', 0],
      ['b', 0],
      ['c', 5],
    ] as const)
      of.enter(run(id, priority), keyed('wait'), { k: 'x' });
    of.enter(run('d'), keyed('wait'), { k: 'y' });
    expect(['a', 'b', 'c', 'd'].map((id) => of.waitsFor(id) === undefined)).toEqual([true, false, false, true]);
    expect(of.keyOf('b')).toBe('x');
    of.leave('a');
    of.leave('c');
    expect(woken).toEqual(['c', 'b']);
  });

  it('E2: as many begin as their key allows', () => {
    const { line: of } = line();
    for (const id of ['a', 'b', 'c']) of.enter(run(id), keyed('wait', 2), { k: 'x' });
    expect(['a', 'b', 'c'].map((id) => of.waitsFor(id))).toEqual([
      undefined,
      undefined,
      'waits for the concurrency key x',
    ]);
  });

  it('E2: are refused, or have the others ended', () => {
    const { line: of } = line();
    of.hold('old', 'x');
    expect(of.enter(run('a'), keyed('refuse'), { k: 'x' })).toBe('old has the concurrency key x');
    expect(of.has('a')).toBe(false);
    expect(of.enter(run('b'), keyed('cancel-running'), { k: 'x' })).toBeUndefined();
    expect(of.toCancel('b')).toEqual(['old']);
    of.enter(run('c'), keyed('wait'), { k: 'x' });
    expect(of.toCancel('c')).toEqual([]);
  });

  it('E2: without a key wait for nobody', () => {
    const { line: of } = line();
    of.enter(run('a'), definition({ steps: {} }), {});
    expect(of.waitsFor('a')).toBeUndefined();
    expect(of.keyOf('a')).toBe('');
  });
});
