import { describe, expect, it } from 'vitest';
import { progressOf } from './progress.js';

const step = (state: string, total = 1, succeeded = 0) => ({
  step: 'x',
  state,
  total,
  running: 0,
  succeeded,
  failed: 0,
  dropped: 0,
});

describe('the progress of a run', () => {
  it('is none before there are steps', () => {
    expect(progressOf([])).toEqual({ part: 0, stepsOver: 0, steps: 0, failed: 0 });
  });

  it('counts a fan-out by its items', () => {
    const steps = [step('succeeded'), step('running', 10_000, 5000), step('pending', 0), step('failed')];
    expect(progressOf(steps)).toEqual({ part: 2.5 / 4, stepsOver: 2, steps: 4, failed: 1 });
  });

  it('is whole when all is over, also what was skipped', () => {
    expect(progressOf([step('skipped', 0), step('cancelled', 7, 2)]).part).toBe(1);
  });
});
