import type { Definition } from '../definition/definition.js';

/** So many definitions are remembered. */
const maxKnown = 256;

/** Reads definitions, and each text but once while it is remembered: many runs go by the same. */
export class DefinitionCache {
  readonly #read: (source: string) => Definition;
  readonly #known = new Map<string, Definition>();

  /** @param read throws for a text that is no definition */
  constructor(read: (source: string) => Definition) {
    this.#read = read;
  }

  get(source: string): Definition {
    const known = this.#known.get(source) ?? this.#read(source);
    this.#known.delete(source);
    this.#known.set(source, known);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= maxKnown) break;
      this.#known.delete(oldest);
    }
    return known;
  }
}
