import { checkDelay, maxHostDelayMs } from './delay.js';
import { Timestamp } from './timestamp.js';

/** Time, as everything in this system sees it. Tests give another one. */
export interface Clock {
  /** The wall clock, with microseconds where the host has them. It can jump. */
  now(): Timestamp;
  /** Milliseconds since some point in the past. Never goes back; for measuring. */
  monotonicMs(): number;
  /**
   * Calls back once after the delay: any finite number of milliseconds, also more than the host's timers hold;
   * negative counts as 0. Throws a `RangeError` for NaN and Infinity.
   */
  schedule(delayMs: number, callback: () => void): Timer;
}

export interface Timer {
  /** The callback will not be called. Does nothing when it was called or cancelled already. */
  cancel(): void;
}

/** Where chance comes from. Tests give a seeded one. */
export interface Random {
  /** A number from 0 up to but not including 1. */
  float(): number;
  /** Bytes that nobody can foretell. */
  bytes(length: number): Uint8Array;
}

export const systemClock: Clock = {
  now() {
    const ms = performance.timeOrigin + performance.now();
    // The monotonic clock does not follow corrections of the wall clock, and stands still while some hosts sleep.
    const wallMs = Date.now();
    if (Math.abs(ms - wallMs) > 2) return fromMicros(wallMs * 1000);
    return fromMicros(Math.floor(ms * 1000));
  },
  monotonicMs: () => performance.now(),
  schedule(delayMs, callback) {
    let leftMs = checkDelay(delayMs);
    let handle: ReturnType<typeof setTimeout>;
    const arm = () => {
      const stepMs = Math.min(leftMs, maxHostDelayMs);
      leftMs -= stepMs;
      handle = setTimeout(leftMs > 0 ? arm : callback, stepMs);
    };
    arm();
    return { cancel: () => clearTimeout(handle) };
  },
};

function fromMicros(micros: number): Timestamp {
  const seconds = Math.floor(micros / 1_000_000);
  return new Timestamp(seconds, (micros - seconds * 1_000_000) * 1000);
}

export const systemRandom: Random = {
  float: () => Math.random(),
  bytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
};
