import { systemClock, systemRandom } from '@cosi-ts/state';
import { describe, expect, it } from 'vitest';
import { defaultHistory, resolveInMemoryOptions } from './options.js';

describe('the options of the in-memory state', () => {
  it('W12: keep 65 536 events or 64 MiB of each kind by default', () => {
    expect(resolveInMemoryOptions()).toEqual({
      clock: systemClock,
      random: systemRandom,
      store: undefined,
      history: { maxEvents: 65_536, maxBytes: 67_108_864 },
    });
    expect(resolveInMemoryOptions({ history: { maxEvents: 5 } }).history).toEqual({ ...defaultHistory, maxEvents: 5 });
  });

  it.each([
    ['maxEvents', 0],
    ['maxEvents', 1.5],
    ['maxEvents', Number.NaN],
    ['maxEvents', Number.POSITIVE_INFINITY],
    ['maxBytes', -1],
    ['maxBytes', Number.NaN],
  ])('refuse history.%s of %d', (field, value) => {
    expect(() => resolveInMemoryOptions({ history: { [field]: value } })).toThrow(
      new RegExp(`^history\\.${field} must be`),
    );
  });
});
