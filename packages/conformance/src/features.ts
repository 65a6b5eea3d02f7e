/** The checks of an update that a backend can make in another order than the usual one. */
export type UpdateCheck = 'owner' | 'version' | 'phase';

/**
 * What a state can do. The suite runs the tests of what is declared, and of what is declared absent it checks that it
 * is: a wrong declaration fails, in both directions.
 */
export interface StateFeatures {
  /** Label queries in lists and watches of a kind. Absent: `unsupported`. Default: true. */
  readonly labelQueries: boolean;
  /** Id queries in lists and watches of a kind. Absent: `unsupported`. Default: true. */
  readonly idQueries: boolean;
  /** Numeric label terms compare numbers of any length exactly. Absent: beyond 64 bits they never match. Default: true. */
  readonly exactNumbers: boolean;
  /** `tailEvents` of watches. Absent: `unsupported`. Default: true. */
  readonly tailEvents: boolean;
  /** Bookmarks on events, `startFromBookmark`, `bootstrapBookmark`. Absent: no event has one, and asking is `unsupported`. Default: true. */
  readonly bookmarks: boolean;
  /** The first event of a watch of one resource, which tells the present, has a bookmark. Absent: it has none. Default: true. */
  readonly presentBookmark: boolean;
  /** `old` on updated events. Absent: there is none. Default: true. */
  readonly oldOnUpdated: boolean;
  /**
   * A bookmark counts for all kinds of a namespace. Absent: positions count for each kind, so that a bookmark is used for
   * the kind it comes from, and the one from before the first event of a kind is none for a single resource.
   * Default: true.
   */
  readonly bookmarksAcrossKinds: boolean;
  /** Resources of more than one namespace. Absent: only those of `conformanceNamespace`, others are refused. Default: true. */
  readonly namespaces: boolean;
  /** Create refuses names as S17 says. Absent: it accepts them all. Default: true. */
  readonly nameRules: boolean;
  /** Create sets `updated` with `created`. Absent: `updated` stays as it was sent. Default: true. */
  readonly updatedOnCreate: boolean;
  /**
   * Every error tells its code. Absent: pending finalizers are a mere `conflict`; another owner in what is created, and
   * options of watches that exclude each other, are `unknown`. Default: true.
   */
  readonly errorCodes: boolean;
  /**
   * Calls take effect in the order in which they were made, answered or not. Absent: tests that begin to wait for
   * something and then do it are left out. Default: true.
   */
  readonly callOrder: boolean;
  /**
   * Of calls that tear down or destroy the same resource at once, all that may succeed do. Absent: some can fail, and
   * tests of that are left out. Default: true.
   */
  readonly sharedTeardowns: boolean;
  /** `teardown` of the state's own. Absent: there is no such method. Default: false. */
  readonly nativeTeardown: boolean;
  /** `teardownAndDestroy` of the state's own. Absent: there is no such method. Default: false. */
  readonly nativeTeardownAndDestroy: boolean;
  /** `close`. Absent: there is no such method. Default: true. */
  readonly close: boolean;
  /** The factory tells how many watches hold something inside. Absent: nobody looks whether ended watches do. Default: false. */
  readonly openWatches: boolean;
  /** What an update checks once the resource is found, in this order. Default: owner, version, phase. */
  readonly updateChecks: readonly [UpdateCheck, UpdateCheck, UpdateCheck];
  /**
   * So many of the last events of a kind are kept for certain, for watches that read late, bookmarks and tails. Tests
   * that need more are left out. Default: 10 000.
   */
  readonly historyEvents: number;
  /**
   * An unread watch of a kind has overrun for certain, and bookmarks from before are refused, after so many more
   * events. Undefined: no test tries. Default: undefined.
   */
  readonly overrunEvents: number | undefined;
  /** So many bytes may lie between the state and an unread watch, in the buffers of a connection. Default: 0. */
  readonly overrunBytes: number;
}

export const defaultFeatures: StateFeatures = Object.freeze({
  labelQueries: true,
  idQueries: true,
  exactNumbers: true,
  tailEvents: true,
  bookmarks: true,
  presentBookmark: true,
  oldOnUpdated: true,
  bookmarksAcrossKinds: true,
  namespaces: true,
  nameRules: true,
  updatedOnCreate: true,
  errorCodes: true,
  callOrder: true,
  sharedTeardowns: true,
  nativeTeardown: false,
  nativeTeardownAndDestroy: false,
  close: true,
  openWatches: false,
  updateChecks: ['owner', 'version', 'phase'],
  historyEvents: 10_000,
  overrunEvents: undefined,
  overrunBytes: 0,
} as const);

/** The declaration with its defaults. Throws a `TypeError` or `RangeError` for one that says nothing sensible. */
export function resolveFeatures(supports: Partial<StateFeatures> = {}): StateFeatures {
  for (const name of Object.keys(supports)) {
    if (!Object.hasOwn(defaultFeatures, name)) throw new TypeError(`there is no feature ${JSON.stringify(name)}`);
  }
  const features: StateFeatures = { ...defaultFeatures, ...supports };
  const { historyEvents, overrunEvents, updateChecks } = features;
  if (!(Number.isInteger(historyEvents) && historyEvents >= 1)) {
    throw new RangeError(`a history keeps at least one event, not ${historyEvents}`);
  }
  if (overrunEvents !== undefined && !(Number.isInteger(overrunEvents) && overrunEvents >= historyEvents)) {
    throw new RangeError(`a watch cannot overrun after ${overrunEvents} events when ${historyEvents} are kept`);
  }
  if (new Set(updateChecks).size !== 3)
    throw new TypeError(`an update makes three checks, not ${updateChecks.join(', ')}`);
  return Object.freeze(features);
}

/** The names of what is declared absent, for reports. */
export function absentFeatures(features: StateFeatures): readonly string[] {
  const absent = Object.entries(features).flatMap(([name, value]) => (value === false ? [name] : []));
  return features.overrunEvents === undefined ? [...absent, 'overrunEvents'] : absent;
}
