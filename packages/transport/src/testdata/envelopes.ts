/** A message as gRPC puts it on a stream: a flag, the length, the bytes. */
export function envelope(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** Cuts what arrives into messages. */
export class EnvelopeReader {
  #bytes: Buffer = Buffer.alloc(0);

  add(chunk: Buffer): Uint8Array[] {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    const messages: Uint8Array[] = [];
    for (;;) {
      if (this.#bytes.length < 5) return messages;
      const end = 5 + this.#bytes.readUInt32BE(1);
      if (this.#bytes.length < end) return messages;
      messages.push(new Uint8Array(this.#bytes.subarray(5, end)));
      this.#bytes = this.#bytes.subarray(end);
    }
  }
}
