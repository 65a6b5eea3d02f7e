import { batchBytes } from '../limits.js';

/** From this much on that a connection has not sent, the messages to its watches are small. */
const manyBytes = 256 * 1024 * 1024;

/** How large they are then. */
const smallBatchBytes = 64 * 1024;

/** Keeps count of what the streams of one connection hold because the client does not take it. */
export class UnsentBytes {
  #bytes = 0;

  /** Counts the bytes until the function is called that this gives. */
  hold(bytes: number): () => void {
    this.#bytes += bytes;
    let held = bytes;
    return () => {
      this.#bytes -= held;
      held = 0;
    };
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** How much may be put into the next message to a watch. */
  get batchBytes(): number {
    return this.#bytes < manyBytes ? batchBytes : smallBatchBytes;
  }
}
