import { describe, expect, it } from 'vitest';
import { expired } from './retention.js';

const run = (id: string, endedMs: number, workflow = 'w') => ({ id, endedMs, workflow });

describe('retention', () => {
  it('E19: keeps so many of each workflow, those that ended last', () => {
    const runs = [run('a', 1), run('b', 2), run('c', 3), run('d', 1, 'other')];
    expect(expired(runs, { count: 2, ageMs: 1000 }, 10)).toEqual({ ids: ['a'], nextMs: 1001 });
  });

  it('E19: keeps none that is too old', () => {
    const runs = [run('a', 0), run('b', 50), run('c', 100)];
    expect(expired(runs, { count: 9, ageMs: 100 }, 150)).toEqual({ ids: ['a', 'b'], nextMs: 200 });
  });

  it('E19: keeps nothing of nothing', () => {
    expect(expired([], { count: 1, ageMs: 1 }, 0)).toEqual({ ids: [], nextMs: undefined });
  });
});
