import { describe, expect, it } from 'vitest';
import { hashOf, type Place, placeOf } from './place.js';

const places: readonly Place[] = [
  { view: 'runs', workflow: '', state: '' },
  { view: 'runs', workflow: 'build', state: 'failed' },
  { view: 'run', run: 'a.b.3', tab: 'graph', step: '', index: -1 },
  { view: 'run', run: 'a/b c', tab: 'timeline', step: 'test', index: 7 },
  { view: 'workflows' },
  { view: 'workflow', name: 'build' },
  { view: 'setup' },
  { view: 'runtime' },
];

describe('the place in the address', () => {
  it.each(places)('is read as it was written: %o', (place) => {
    expect(placeOf(hashOf(place))).toEqual(place);
  });

  it.each(['', '#', '#nothing', '#runs', '#/x', '#runs?'])('is the list of runs for %o', (hash) => {
    expect(placeOf(hash)).toEqual({ view: 'runs', workflow: '', state: '' });
  });

  it('takes an address that cannot be decoded as it is', () => {
    expect(placeOf('#workflows/100%')).toEqual({ view: 'workflow', name: '100%' });
  });

  it('passes over tabs and indices that there are not', () => {
    expect(placeOf('#runs/x?tab=nothing&index=-4')).toEqual({
      view: 'run',
      run: 'x',
      tab: 'graph',
      step: '',
      index: -1,
    });
  });
});
