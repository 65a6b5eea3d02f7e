import { describe, expect, it } from 'vitest';
import { definition } from '../testing/definitions.js';
import { stepGraph } from './step-graph.js';

describe('the steps of a run', () => {
  it('stand after those that they need, those of finally last', () => {
    const steps = { c: { needs: ['b'] }, b: { needs: ['a'] }, a: {}, d: {} };
    const graph = stepGraph(definition({ steps, finally: { y: { needs: ['x'] }, x: {} } }));
    expect([...graph.keys()]).toEqual(['a', 'b', 'c', 'd', 'x', 'y']);
    expect(graph.get('a')?.dependents.map(({ name }) => name)).toEqual(['b']);
    expect(graph.get('x')?.isFinally).toBe(true);
  });

  it('cannot need what is not there, nor themselves', () => {
    expect(() => stepGraph(definition({ steps: { a: { needs: ['z'] } } }))).toThrow(
      'the step a needs z, which is not there',
    );
    const steps = { a: { needs: ['b'] }, b: { needs: ['a'] } };
    expect(() => stepGraph(definition({ steps }))).toThrow('needs itself');
  });
});
