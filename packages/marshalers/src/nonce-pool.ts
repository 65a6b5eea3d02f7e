import type { Random } from '@cosi-ts/resource';

/** The length of a nonce of AES-GCM in bytes. */
export const nonceBytes = 12;

const perRefill = 256;

/** Random nonces, drawn many at a time: asking the system for each costs as much as the encryption. */
export class NoncePool {
  readonly #random: Random;
  #pool = new Uint8Array(0);
  #at = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** A nonce that was not given before. Valid until the next call. */
  take(): Uint8Array {
    if (this.#at === this.#pool.length) {
      this.#pool = new Uint8Array(this.#random.bytes(nonceBytes * perRefill));
      this.#at = 0;
    }
    const nonce = this.#pool.subarray(this.#at, this.#at + nonceBytes);
    this.#at += nonceBytes;
    return nonce;
  }
}
