import type { Event } from '@cosi-ts/state';
import type { Start } from './start.js';

/** One stream of a watch, from the moment on that it is established. */
export interface EventStream {
  /** The next events, possibly none. Rejects when the stream has ended, for whatever reason. */
  next(): Promise<readonly Event[]>;
  /** Ends the stream; a pending `next` rejects. */
  close(): void;
}

/**
 * Establishes a stream. Rejects with the error that it was refused with, or with which the attempt failed. The signal
 * matters until then only.
 *
 * @param aggregated whether the server is to put what is ready into one message
 */
export type OpenStream = (start: Start, aggregated: boolean, signal: AbortSignal) => Promise<EventStream>;
