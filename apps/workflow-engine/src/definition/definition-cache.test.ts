import { describe, expect, it } from 'vitest';
import { DefinitionCache, definitionOf, InvalidDefinition } from './definition-cache.js';

const source = (name: string) => `name: ${name}\nsteps:\n  build:\n    run: make\n`;

describe('a cache of definitions', () => {
  it('reads a text once', () => {
    expect(definitionOf(source('a'))).toBe(definitionOf(source('a')));
    expect(definitionOf(source('a'))).not.toBe(definitionOf(source('a'), { executors: ['docker'] }));
  });

  it('forgets what was not used for longest', () => {
    const cache = new DefinitionCache({ maxCharacters: 2 * source('a').length });
    const [a, b] = [cache.definitionOf(source('a')), cache.definitionOf(source('b'))];
    expect(cache.definitionOf(source('a'))).toBe(a);
    cache.definitionOf(source('c'));
    expect(cache.definitionOf(source('a'))).toBe(a);
    expect(cache.definitionOf(source('b'))).not.toBe(b);
  });

  it('keeps a text that is larger than it until the next one', () => {
    const cache = new DefinitionCache({ maxCharacters: 1 });
    const a = cache.definitionOf(source('a'));
    expect(cache.definitionOf(source('a'))).toBe(a);
    cache.definitionOf(source('b'));
    expect(cache.definitionOf(source('a'))).not.toBe(a);
  });

  it('tells what is wrong with a definition', () => {
    const broken = 'name: a\nsteps:\n  a: { run: x, retyr: 1 }\n  b: { needs: c, run: x }\n  d: {}\n  e: {}\n';
    const error = (() => {
      try {
        return definitionOf(broken);
      } catch (caught) {
        return caught;
      }
    })();
    expect(error).toBeInstanceOf(InvalidDefinition);
    const { message, problems } = error as InvalidDefinition;
    expect(problems).toHaveLength(4);
    expect(message).toMatch(
      /^the definition is wrong: 3:16: steps\.a\.retyr: there is no key retyr; did you mean retry\?; 4:15: .*; and 1 more$/,
    );
  });

  it('takes for a run that has begun what only an earlier version took', () => {
    const cache = new DefinitionCache();
    const source = "name: old\nsteps:\n  a: { run: x, when: true || 'x' }\n";
    expect(cache.parse(source).problems).toHaveLength(1);
    const begun = cache.parseBegun(source);
    expect(begun.definition?.steps.get('a')?.when?.evaluate({})).toBe(true);
    expect(cache.parseBegun(source)).toBe(begun);
    expect(cache.parse(source).problems).toHaveLength(1);
    expect(cache.parseBegun('name: old').problems).toHaveLength(1);
    const good = 'name: good\nsteps:\n  a: { run: x }\n';
    expect(cache.parseBegun(good)).toBe(cache.parse(good));
  });
});
