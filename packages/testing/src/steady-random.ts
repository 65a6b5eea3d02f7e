import type { Random } from '@cosi-ts/state';

/** Chance without surprises: delays come without jitter, and are the same in each run. */
export const steadyRandom: Random = Object.freeze({
  float: () => 0.5,
  bytes: (length: number) => new Uint8Array(length),
});
