/**
 * What codecs made of a snapshot, kept with it for as long as it lives. A weak map of all snapshots would take a good
 * part of the time that encoding takes, and a property could not be set, as snapshots are frozen.
 */
class Kept {
  #made: object | undefined = undefined;

  static of(snapshot: object): object | undefined {
    return #made in snapshot ? snapshot.#made : undefined;
  }

  static set(snapshot: object, made: object): void {
    if (#made in snapshot) snapshot.#made = made;
  }
}

/** What snapshots descend from. It does not show in their type: those of two copies of this package stay the same type. */
export const Keeper = Kept as unknown as new () => object;

/** What {@link keepWith} was given last for the snapshot. */
export function keptWith(snapshot: object): object | undefined {
  return Kept.of(snapshot);
}

/**
 * Keeps something with a snapshot, one thing at a time: whoever finds another's makes its own anew. Snapshots of another
 * copy of this package keep nothing.
 */
export function keepWith(snapshot: object, made: object): void {
  Kept.set(snapshot, made);
}
