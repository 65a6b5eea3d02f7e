import { Code, ConnectError } from '@connectrpc/connect';
import { envelopeHeadBytes, envelopeLength } from './envelope.js';

const compressedFlag = 1;
const noBytes: Uint8Array = new Uint8Array(0);

/** What is set aside for a message of which hardly anything has come, whoever sends it. */
const minAheadBytes = 16 * 1024;

/**
 * Cuts what arrives on a stream into messages. However long a message claims to be, no more memory is taken for it than
 * twice what has come, or what may be taken ahead.
 */
export class EnvelopeReader {
  readonly #maxBytes: number;
  readonly #aheadBytes: number;
  /** Holds, in the beginning, the message that is not whole yet. */
  #partial = noBytes;
  #filled = 0;

  /** @param aheadBytes how much is set aside for a message at once: much saves time, and trusts who sends */
  constructor(maxMessageBytes: number, aheadBytes: number = minAheadBytes) {
    this.#maxBytes = maxMessageBytes;
    this.#aheadBytes = aheadBytes;
  }

  /** Whether something of a message has come that is not whole. */
  get isWithinMessage(): boolean {
    return this.#filled > 0;
  }

  /**
   * The messages that are whole now, put behind those given. Those that the chunk holds from end to end are views into
   * it. Throws a status for a message that is compressed, and for one that is larger than it may be, of which no more
   * than the beginning must have come: the messages before it are among those given then.
   */
  add(chunk: Uint8Array, messages: Uint8Array[] = []): Uint8Array[] {
    let at = this.#filled > 0 ? this.#complete(chunk, messages) : 0;
    while (chunk.length - at >= envelopeHeadBytes) {
      const end = at + this.#wantedBy(chunk, at);
      if (end > chunk.length) break;
      messages.push(viewOf(chunk, at + envelopeHeadBytes, end));
      at = end;
    }
    this.#take(chunk, at, chunk.length, chunk.length - at < envelopeHeadBytes ? 0 : this.#wantedBy(chunk, at));
    return messages;
  }

  /** Takes what is missing to the message, and gives where the next one begins. */
  #complete(chunk: Uint8Array, messages: Uint8Array[]): number {
    let at = this.#take(chunk, 0, Math.min(envelopeHeadBytes - this.#filled, chunk.length), 0);
    if (this.#filled < envelopeHeadBytes) return at;
    const wanted = this.#wantedBy(this.#partial, 0);
    at = this.#take(chunk, at, Math.min(at + wanted - this.#filled, chunk.length), wanted);
    if (this.#filled < wanted) return at;
    messages.push(viewOf(this.#partial, envelopeHeadBytes, wanted));
    this.#partial = noBytes;
    this.#filled = 0;
    return at;
  }

  /** @param wanted how long the message is, its head included, where that is known */
  #take(chunk: Uint8Array, from: number, to: number, wanted: number): number {
    if (to <= from) return from;
    const filled = this.#filled + to - from;
    if (filled > this.#partial.length) {
      const size = Math.max(filled, Math.min(wanted, Math.max(2 * this.#filled, this.#aheadBytes)));
      // What it holds already is never given to anybody. Small ones share memory: one for each chunk is not rare.
      const grown = Buffer.allocUnsafe(size);
      grown.set(this.#partial.subarray(0, this.#filled));
      this.#partial = grown;
    }
    this.#partial.set(chunk.subarray(from, to), this.#filled);
    this.#filled = filled;
    return to;
  }

  /** How much the message at that place takes, its head included. */
  #wantedBy(bytes: Uint8Array, at: number): number {
    if (((bytes[at] as number) & compressedFlag) !== 0) {
      throw new ConnectError('a message is compressed, and no encoding was agreed upon', Code.Internal);
    }
    const length = envelopeLength(bytes, at);
    if (length <= this.#maxBytes) return envelopeHeadBytes + length;
    throw new ConnectError(
      `a message of ${length} bytes is larger than the limit of ${this.#maxBytes}`,
      Code.ResourceExhausted,
    );
  }
}

/** A plain view: those that Node makes of its own chunks take longer to make, and to read. */
function viewOf({ buffer, byteOffset }: Uint8Array, begin: number, end: number): Uint8Array {
  return new Uint8Array(buffer, byteOffset + begin, end - begin);
}
