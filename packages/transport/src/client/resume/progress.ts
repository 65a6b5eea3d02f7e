import type { Bookmark, Event } from '@cosi-ts/state';
import type { Start } from './start.js';

/** How far one watch has come, over all its streams: what they must bring next, and what of it the consumer is given. */
export interface Progress<T> {
  /** The position that everything was given up to. */
  readonly bookmark: Bookmark | undefined;
  /** Whether the present stream brought what the next one will not bring again. */
  readonly gained: boolean;
  /** How a stream begins that goes on from here. Undefined: none could, without something being missed. */
  next(): Start | undefined;
  /** A stream that begins as {@link next} said is established. */
  begin(): void;
  /** What the consumer is given for the events of one message. */
  take(events: readonly Event[]): readonly T[];
}
