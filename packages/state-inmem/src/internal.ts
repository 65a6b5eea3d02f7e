/** What tests may know about a state and its users may not. Exported by no entry of the package. */
export interface Inspection {
  /** Watches that have not ended. */
  readonly watches: number;
  /** Watchers that wait to be woken. */
  readonly sleepers: number;
  /** Kinds for which something is held. */
  readonly kinds: number;
}

const inspectors = new WeakMap<object, () => Inspection>();

export function registerInspector(state: object, inspect: () => Inspection): void {
  inspectors.set(state, inspect);
}

export function inspect(state: object): Inspection {
  const inspector = inspectors.get(state);
  if (inspector === undefined) throw new TypeError('not an in-memory state of this copy of the package');
  return inspector();
}
