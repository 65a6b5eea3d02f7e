import { describe, expect, it } from 'vitest';
import type { WaitAction } from '../definition/definition.js';
import { definition, items, template, waitFor } from '../testing/definitions.js';
import { expectedSignals, fixedSignalOf, signalNameOf } from './signal-name.js';

const unnamed: WaitAction = { kind: 'wait', signal: undefined, approval: template('Sure?'), otherwise: undefined };
const byItem: WaitAction = { ...unnamed, signal: template(({ item }) => `go-${item as string}`) };
const each = items(['x']);

describe('names of signals', () => {
  it('are those of their steps, with items and the index, where nothing is said', () => {
    expect(signalNameOf({ name: 'ask', forEach: undefined }, unnamed, -1, {})).toBe('ask');
    expect(signalNameOf({ name: 'ask', forEach: undefined }, unnamed, 3, {})).toBe('ask');
    expect(signalNameOf({ name: 'ask', forEach: each }, unnamed, 3, {})).toBe('ask_3');
  });

  it('are made by expressions, and refused where they can be none', () => {
    expect(signalNameOf({ name: 'a', forEach: each }, byItem, 0, { item: 'x' })).toBe('go-x');
    expect(() => signalNameOf({ name: 'a', forEach: each }, byItem, 0, { item: 'x y' })).toThrow(
      '"go-x y" cannot be the name of a signal: use letters',
    );
    expect(() => signalNameOf({ name: 'a', forEach: each }, byItem, 0, { item: '.' })).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    );
  });

  it('are known before a run where they are the same for all executions', () => {
    const steps = {
      plain: { action: waitFor('go') },
      ask: { action: unnamed },
      many: { action: unnamed, forEach: each },
      other: {},
    };
    const { steps: of } = definition({ steps });
    const names = [...of.values()].map(fixedSignalOf);
    expect(names).toEqual(['go', 'ask', undefined, undefined]);
    expect(expectedSignals(definition({ steps }))).toEqual({ fixed: new Set(['go', 'ask']), hasOthers: true });
    const { many: _, ...known } = steps;
    expect(expectedSignals(definition({ steps: known })).hasOthers).toBe(false);
    const made = { a: { action: byItem, forEach: each } };
    expect(expectedSignals(definition({ steps: made }))).toEqual({ fixed: new Set(), hasOthers: true });
  });
});
