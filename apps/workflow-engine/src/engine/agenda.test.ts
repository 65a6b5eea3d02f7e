import { describe, expect, it } from 'vitest';
import { definition } from '../testing/definitions.js';
import { Agenda } from './agenda.js';
import { Execution } from './execution.js';
import { stepGraph } from './step-graph.js';

function executions(count: number): Execution[] {
  const step = stepGraph(definition({ steps: { a: {} } })).get('a');
  if (step === undefined) throw new Error('the step is missing');
  return Array.from({ length: count }, (_, index) => new Execution(step, index, 0));
}

describe('the agenda', () => {
  it('gives each that is to be looked at once, in the order in which it was said', () => {
    const agenda = new Agenda();
    const [a, b] = executions(2) as [Execution, Execution];
    agenda.lookAt(b);
    agenda.lookAt(a);
    agenda.lookAt(b);
    expect([agenda.take(), agenda.take(), agenda.take()]).toEqual([b, a, undefined]);
  });

  it('gives those whose time has come, the earliest first', () => {
    const agenda = new Agenda();
    const [a, b, c] = executions(3) as [Execution, Execution, Execution];
    agenda.wakeAt(30, a);
    agenda.wakeAt(10, b);
    agenda.wakeAt(20, c);
    expect(agenda.nextMs).toBe(10);
    expect([agenda.takeDue(25), agenda.takeDue(25), agenda.takeDue(25)]).toEqual([b, c, undefined]);
    expect(agenda.nextMs).toBe(30);
  });

  it('knows those that are not over, and gives none that was forgotten', () => {
    const agenda = new Agenda();
    const [a, b, c] = executions(3) as [Execution, Execution, Execution];
    for (const each of [a, b, c]) agenda.add(each);
    agenda.remove(b);
    agenda.lookAtAll();
    agenda.forget(c);
    expect([...agenda.open]).toEqual([a]);
    expect([agenda.take(), agenda.take()]).toEqual([a, undefined]);
  });
});
