import { InvalidArgumentError } from '@cosi-ts/resource';
import type { MaybePromise } from './maybe-async.js';

/** The length of a key in bytes. */
export const keyBytes = 32;

/** Keys, the newest first: that one writes, all of them read. One key may stand for a list of one. */
export type Keys = Uint8Array | readonly Uint8Array[];

/**
 * Gives the keys. Asked once, when the first record is read or written; asked again by the next record when it fails.
 */
export type KeyProvider = () => Keys | Promise<Keys>;

/** The keys of a provider, as soon as it has given them. */
export class KeyRing {
  readonly #provider: KeyProvider;
  #keys: readonly Uint8Array[] | undefined;
  #asking: Promise<readonly Uint8Array[]> | undefined;

  constructor(provider: KeyProvider) {
    this.#provider = provider;
  }

  /** The newest first; at least one. */
  keys(): MaybePromise<readonly Uint8Array[]> {
    if (this.#keys !== undefined) return this.#keys;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<readonly Uint8Array[]> {
    const given = await this.#provider();
    const keys = given instanceof Uint8Array ? [given] : [...given];
    if (keys.length === 0) throw new InvalidArgumentError('the key provider gave no key');
    for (const key of keys) {
      if (key.length !== keyBytes) {
        throw new InvalidArgumentError(`a key for AES-256 has ${keyBytes} bytes, the key provider gave ${key.length}`);
      }
    }
    // The provider may wipe what it gave.
    this.#keys = keys.map((key) => key.slice());
    return this.#keys;
  }
}
