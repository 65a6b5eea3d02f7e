import type { Definition } from './definition.js';
import { type ParsedDefinition, type ParseOptions, parseDefinition } from './parse-definition.js';
import { type Problem, problemLine } from './problem.js';

/** A definition that cannot be executed. Its message tells the first problems, each with line and column. */
export class InvalidDefinition extends Error {
  override readonly name = 'InvalidDefinition';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const told = problems.slice(0, 3).map((problem) => problemLine(problem));
    const more = problems.length > told.length ? `; and ${problems.length - told.length} more` : '';
    super(`the definition is wrong: ${told.join('; ')}${more}`);
    this.problems = problems;
  }
}

export interface DefinitionCacheOptions extends ParseOptions {
  /** So many characters of definitions are kept at most. Default: 8 million. */
  readonly maxCharacters?: number;
}

/** Reads definitions, each text once as long as it is used now and then. */
export class DefinitionCache {
  readonly #options: ParseOptions;
  readonly #maxCharacters: number;
  /** In the order of their use, what was not used for longest first. */
  readonly #parsed = new Map<string, ParsedDefinition>();
  #characters = 0;

  constructor({ maxCharacters = 8_000_000, ...options }: DefinitionCacheOptions = {}) {
    this.#options = options;
    this.#maxCharacters = maxCharacters;
  }

  parse(source: string): ParsedDefinition {
    return this.#read(source, () => parseDefinition(source, this.#options));
  }

  /** Of a run that has begun: also what only an earlier version took for a definition. */
  parseBegun(source: string): ParsedDefinition {
    const strict = this.parse(source);
    if (strict.definition !== undefined) return strict;
    // No definition begins like this.
    return this.#read(`\0${source}`, () => parseDefinition(source, { ...this.#options, isBegun: true }));
  }

  #read(key: string, read: () => ParsedDefinition): ParsedDefinition {
    const known = this.#parsed.get(key);
    if (known === undefined) this.#characters += key.length;
    const parsed = known ?? read();
    this.#parsed.delete(key);
    this.#parsed.set(key, parsed);
    for (const oldest of this.#parsed.keys()) {
      if (this.#characters <= this.#maxCharacters || oldest === key) break;
      this.#parsed.delete(oldest);
      this.#characters -= oldest.length;
    }
    return parsed;
  }

  /** Throws an {@link InvalidDefinition}. @param isBegun of a run that has begun */
  definitionOf(source: string, isBegun = false): Definition {
    const { definition, problems } = isBegun ? this.parseBegun(source) : this.parse(source);
    if (definition === undefined) throw new InvalidDefinition(problems);
    return definition;
  }
}

const caches = new Map<string, DefinitionCache>();

/** The definition of a text, which is kept for the next time. Throws an {@link InvalidDefinition}. */
export function definitionOf(source: string, { executors = [], isBegun = false }: ParseOptions = {}): Definition {
  const key = JSON.stringify(executors);
  const cache = caches.get(key) ?? new DefinitionCache({ executors });
  caches.set(key, cache);
  return cache.definitionOf(source, isBegun);
}
