/** Who still holds a resource: an ordered set of names. */
export type Finalizers = readonly string[];

const none: Finalizers = Object.freeze([]);
/** Sets that were made here, and so can be shared as they are. */
const canonical = new WeakSet<object>([none]);

/** An immutable set with the names of `source` in their order, each once. */
export function finalizers(source: Iterable<string> | undefined): Finalizers {
  if (source === undefined || source === none) return none;
  if (typeof source === 'string') throw new TypeError('finalizers must be a list of strings, not one string');
  if (canonical.has(source)) return source as Finalizers;
  const names = [...new Set(source)];
  for (const name of names) {
    if (typeof name !== 'string') throw new TypeError(`a finalizer must be a string, not ${typeof name}`);
  }
  if (names.length === 0) return none;
  Object.freeze(names);
  canonical.add(names);
  return names;
}

/** True when both hold the same names, in whatever order. */
export function sameFinalizers(a: Finalizers, b: Finalizers): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  // Mostly they are in the same order too. Otherwise a set: the number of names is up to whoever sends them.
  if (a.every((name, i) => name === b[i])) return true;
  const names = new Set(b);
  return a.every((name) => names.has(name));
}

/** Finalizers that can be changed, in a draft. */
export class FinalizerSet implements Iterable<string> {
  readonly #names: string[];

  constructor(names: Finalizers) {
    this.#names = [...names];
  }

  get size(): number {
    return this.#names.length;
  }

  has(name: string): boolean {
    return this.#names.includes(name);
  }

  /** Adds the name at the end; `false`, and nothing changes, when it is there already. */
  add(name: string): boolean {
    if (typeof name !== 'string') throw new TypeError(`a finalizer must be a string, not ${typeof name}`);
    if (this.has(name)) return false;
    this.#names.push(name);
    return true;
  }

  /** Removes the name; `false`, and nothing changes, when it isn't there. */
  remove(name: string): boolean {
    const at = this.#names.indexOf(name);
    if (at < 0) return false;
    this.#names.splice(at, 1);
    return true;
  }

  clear(): void {
    this.#names.length = 0;
  }

  [Symbol.iterator](): IterableIterator<string> {
    return this.#names[Symbol.iterator]();
  }
}
