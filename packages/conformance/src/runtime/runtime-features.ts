/** What a runtime's set-up can do, where it differs from the defaults. */
export interface RuntimeFeatures {
  /** The factory tells how many watches hold something inside, and none does after the end of a runtime. Default: false. */
  readonly openWatches: boolean;
  /**
   * So many changes at once are more than a watch of the state can follow. Undefined: no test makes that many.
   * Default: undefined.
   */
  readonly overrunEvents: number | undefined;
}

export const defaultRuntimeFeatures: RuntimeFeatures = Object.freeze({
  openWatches: false,
  overrunEvents: undefined,
});

/** The declaration with its defaults. Throws a `TypeError` or `RangeError` for one that says nothing sensible. */
export function resolveRuntimeFeatures(supports: Partial<RuntimeFeatures> = {}): RuntimeFeatures {
  for (const name of Object.keys(supports)) {
    if (!Object.hasOwn(defaultRuntimeFeatures, name))
      throw new TypeError(`there is no feature ${JSON.stringify(name)}`);
  }
  const features = { ...defaultRuntimeFeatures, ...supports };
  const { overrunEvents } = features;
  if (overrunEvents !== undefined && !(Number.isInteger(overrunEvents) && overrunEvents >= 1)) {
    throw new RangeError(`a watch cannot overrun after ${overrunEvents} events`);
  }
  return Object.freeze(features);
}
