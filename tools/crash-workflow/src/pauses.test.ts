import { describe, expect, it } from 'vitest';
import { readEffects } from './effects.js';
import { Pauses } from './pauses.js';
import type { Snapshot } from './snapshot.js';

function snapshot(states: Readonly<Record<string, string>>): Snapshot {
  const statuses = Object.entries(states).map(([run, state]) => {
    return { run, state, isTriedAgain: false, message: '', hasEnd: false, outputs: '', steps: [] };
  });
  const executions = Object.keys(states).map((run) => {
    return { id: `${run}.s`, run, step: 's', index: -1, attempt: 3, key: `${run}.s/1`, executor: 'run' };
  });
  return { runs: Object.keys(states), statuses, executions, results: [] };
}

const all = () => true;

describe('pauses', () => {
  it('E5: are held with what was recorded, once the engine has said that the run is paused', () => {
    const pauses = new Pauses();
    expect(pauses.seen(snapshot({ r: 'running', 'r.in': 'running' }), all)).toBe('');
    const lines = pauses.seen(snapshot({ r: 'paused', 'r.in': 'paused' }), all);
    expect(readEffects(lines)).toEqual([
      { what: 'held', run: 'r', recorded: new Map([['r.s/1', 3]]) },
      { what: 'held', run: 'r.in', recorded: new Map([['r.in.s/1', 3]]) },
    ]);
    expect(pauses.seen(snapshot({ r: 'paused', 'r.in': 'paused' }), all)).toBe('');
  });

  it('are not held on account of what the engine said before somebody asked for it to go on', () => {
    const pauses = new Pauses();
    pauses.seen(snapshot({ r: 'running' }), all);
    expect(pauses.seen(snapshot({ r: 'paused' }), () => false)).toBe('');
    expect(readEffects(pauses.released('r'))).toEqual([{ what: 'released', run: 'r' }]);
    // It may be what it said before.
    expect(pauses.seen(snapshot({ r: 'paused' }), all)).toBe('');
    pauses.seen(snapshot({ r: 'running' }), all);
    expect(pauses.seen(snapshot({ r: 'paused' }), all)).not.toBe('');
  });
});
