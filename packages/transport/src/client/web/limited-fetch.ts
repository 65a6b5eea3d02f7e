import { Code, ConnectError } from '@connectrpc/connect';

/** A flag and the length of the message. */
const headBytes = 5;

/** Passes a body on until a message in it is longer than the limit. */
class MessageLimit implements Transformer<Uint8Array, Uint8Array> {
  readonly #maxBytes: number;
  readonly #head = new Uint8Array(headBytes);
  #headFilled = 0;
  /** How much of the present message is still to come. */
  #left = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  transform(chunk: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void {
    for (let at = 0; at < chunk.length; ) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, chunk.length - at);
        this.#left -= taken;
        at += taken;
        continue;
      }
      this.#head[this.#headFilled++] = chunk[at++] as number;
      if (this.#headFilled < headBytes) continue;
      this.#headFilled = 0;
      this.#left = new DataView(this.#head.buffer).getUint32(1);
      if (this.#left <= this.#maxBytes) continue;
      const text = `a message of ${this.#left} bytes is larger than the limit of ${this.#maxBytes}`;
      throw new ConnectError(text, Code.ResourceExhausted);
    }
    controller.enqueue(chunk);
  }
}

/** A fetch whose answers break where a message in them is too long. The RPC library for browsers has no limit. */
export function limitedFetch(given: typeof fetch, init: RequestInit, maxMessageBytes: number): typeof fetch {
  return async (input, request) => {
    const response = await given(input, { ...init, ...request });
    if (response.body === null || !response.ok) return response;
    const body = response.body.pipeThrough(new TransformStream(new MessageLimit(maxMessageBytes)));
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}
