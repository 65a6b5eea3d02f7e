import { fail } from '../assertions.js';
import { show } from '../show.js';
import type { ExpectedWatch } from './expected-watch.js';
import type { KindName, PlainResource } from './plain.js';
import { emptyWorld, stored, type World } from './world.js';

/** One way in which everything that was seen so far can have come about. */
export interface Explanation {
  readonly world: World;
  readonly watches: ReadonlyMap<number, ExpectedWatch>;
  /** What the bookmarks that were seen stand for. */
  readonly bookmarks: ReadonlyMap<number, number>;
}

/** All explanations that are left. When none is, the state is wrong. */
export class Explanations {
  #all: readonly Explanation[] = [{ world: emptyWorld, watches: new Map(), bookmarks: new Map() }];

  get all(): readonly Explanation[] {
    return this.#all;
  }

  /** The resource as the first explanation has it: what a client believes need not be true. */
  present(kind: KindName, id: string): PlainResource | undefined {
    return stored(this.#all[0]?.world ?? emptyWorld, kind, id);
  }

  /**
   * Goes on from each explanation to those that agree with what was seen.
   *
   * @param wanted what would have been right, for the message
   */
  explain(
    next: (explanation: Explanation) => readonly Explanation[],
    seen: () => string,
    wanted: () => string[],
  ): void {
    const explanations = this.#all.flatMap(next);
    if (explanations.length === 0) fail(`${seen()}\n  the model says: ${[...new Set(wanted())].join('\n  or: ')}`);
    this.#all = distinct(explanations);
  }

  /** Keeps the explanations in which that had to be seen. */
  expect(what: string, seen: unknown, wanted: (world: World) => unknown): void {
    const found = show(seen);
    this.explain(
      (explanation) => (show(wanted(explanation.world)) === found ? [explanation] : []),
      () => `${what} gave ${found}`,
      () => this.#all.map(({ world }) => show(wanted(world))),
    );
  }
}

/** Explanations that say the same are one. */
function distinct(explanations: readonly Explanation[]): readonly Explanation[] {
  if (explanations.length === 1) return explanations;
  const byText = new Map(
    explanations.map((each) => [show([each.world.log, [...each.watches], [...each.bookmarks]]), each]),
  );
  return [...byText.values()];
}
