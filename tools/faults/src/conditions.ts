/** Which way bytes go. */
export type Direction = 'toServer' | 'toClient';

/** How connections fare in one direction at the moment. */
export interface Conditions {
  paused: boolean;
  delayMs: number;
  bytesPerSecond: number;
}

export function faultless(): Conditions {
  return { paused: false, delayMs: 0, bytesPerSecond: Number.POSITIVE_INFINITY };
}
