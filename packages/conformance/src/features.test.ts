import { describe, expect, it } from 'vitest';
import { absentFeatures, defaultFeatures, resolveFeatures } from './features.js';

describe('features', () => {
  it('have defaults', () => {
    expect(resolveFeatures()).toEqual(defaultFeatures);
    expect(resolveFeatures({ tailEvents: false })).toEqual({ ...defaultFeatures, tailEvents: false });
  });

  it.each([
    ['a feature that is none', { tails: false }, TypeError],
    ['a history of nothing', { historyEvents: 0 }, RangeError],
    ['an overrun before the end of the history', { historyEvents: 10, overrunEvents: 9 }, RangeError],
    ['a check that comes twice', { updateChecks: ['owner', 'owner', 'phase'] }, TypeError],
  ])('refuse %s', (_, supports, error) => {
    expect(() => resolveFeatures(supports as never)).toThrow(error);
  });

  it('tell what is absent', () => {
    expect(absentFeatures(resolveFeatures({ overrunEvents: 20_000, openWatches: true, close: false }))).toEqual([
      'nativeTeardown',
      'nativeTeardownAndDestroy',
      'close',
    ]);
    expect(absentFeatures(defaultFeatures)).toContain('overrunEvents');
  });
});
