import { describe, expect, it } from 'vitest';
import { runtimeConformance } from './runtime-conformance.js';

/** The titles that are registered for a set-up with these features. */
function titles(supports: object): string[] {
  const registered: string[] = [];
  runtimeConformance({
    describe: (_, body) => body(),
    it: (title) => registered.push(title),
    runtime: {} as never,
    factory: () => {
      throw new Error('no test runs');
    },
    supports,
  });
  return registered;
}

const numbered = (letter: string, last: number) => Array.from({ length: last }, (_, i) => `${letter}${i + 1}`);

describe('what the suite of runtimes registers', () => {
  const all = titles({ overrunEvents: 30, openWatches: true });

  it('has titles that begin with rules, each once', () => {
    for (const title of all) expect(title).toMatch(/^[CQGSW]\d+(, [CQGSW]\d+)*: \S/);
    expect(all.length).toBe(new Set(all).size);
  });

  it('shows every rule of controllers, queues and generic controllers', () => {
    const shown = new Set(all.flatMap((title) => title.slice(0, title.indexOf(':')).split(', ')));
    const rules = [...numbered('C', 18), ...numbered('Q', 10), ...numbered('G', 7), 'S19', 'S20', 'W13', 'W16'];
    expect(rules.filter((rule) => !shown.has(rule))).toEqual([]);
  });

  it('leaves out what the set-up cannot do', () => {
    expect(titles({}).length).toBe(all.length - 2);
  });

  it('refuses features that do not exist or say nothing sensible', () => {
    expect(() => titles({ magic: true })).toThrow(TypeError);
    expect(() => titles({ overrunEvents: 0 })).toThrow(RangeError);
  });
});
