/** How much is remembered. */
const maxBytes = 4 * 1024 * 1024;
const maxMessages = 4096;

interface Remembered<T> {
  readonly bytes: Uint8Array;
  readonly value: T;
}

/**
 * What was made of the messages that came last. Watches of one kind get the same messages, byte for byte: to compare
 * them with those that were decoded for another watch takes a small part of what decoding takes.
 */
export class MessageMemory<T> {
  readonly #sameBytes: (a: Uint8Array, b: Uint8Array) => boolean;
  /** By length and last bytes, which differ where a bookmark does; the oldest first. */
  readonly #messages = new Map<number, Remembered<T>>();
  #bytes = 0;

  constructor(sameBytes: (a: Uint8Array, b: Uint8Array) => boolean) {
    this.#sameBytes = sameBytes;
  }

  get(message: Uint8Array): T | undefined {
    const found = this.#messages.get(keyOf(message));
    return found !== undefined && this.#sameBytes(found.bytes, message) ? found.value : undefined;
  }

  /** Keeps the bytes: nobody may change them any more. */
  set(bytes: Uint8Array, value: T): void {
    const key = keyOf(bytes);
    this.#forget(key);
    this.#messages.set(key, { bytes, value });
    this.#bytes += bytes.length;
    for (const oldest of this.#messages.keys()) {
      if (this.#bytes <= maxBytes && this.#messages.size <= maxMessages) break;
      this.#forget(oldest);
    }
  }

  #forget(key: number): void {
    const known = this.#messages.get(key);
    if (known === undefined) return;
    this.#messages.delete(key);
    this.#bytes -= known.bytes.length;
  }
}

function keyOf(bytes: Uint8Array): number {
  const { length } = bytes;
  let last = 0;
  for (let at = Math.max(0, length - 4); at < length; at++) last = (last << 8) | (bytes[at] as number);
  return (length % 2 ** 20) * 2 ** 32 + (last >>> 0);
}
