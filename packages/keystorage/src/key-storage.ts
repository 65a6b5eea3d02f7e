import {
  addSlot,
  deleteSlot,
  getMasterKey,
  initialize,
  type KeyStorageOptions,
  type NewSlot,
  type OpenSlot,
  slotIds,
} from './operations.js';

/** What was read, with the token that a conditional write needs. */
export interface StoredBlob<V> {
  readonly blob: Uint8Array;
  readonly version: V;
}

/** Where the blob is kept: a file, a record, a resource. */
export interface BlobStore<V = unknown> {
  /** Undefined when there is none. */
  read(): Promise<StoredBlob<V> | undefined>;
  /**
   * Writes the blob durably if what is stored still has that version (undefined: if nothing is stored). False, and
   * nothing is written, when it has another one.
   */
  write(blob: Uint8Array, expected: V | undefined): Promise<boolean>;
}

/**
 * A key storage that is kept somewhere. A change is done when the store has accepted it; when someone else changed the
 * storage meanwhile it is made again on what they wrote, so that of two administrators who add slots at once none loses.
 */
export class KeyStorage<V = unknown> {
  readonly #store: BlobStore<V>;
  readonly #options: KeyStorageOptions;

  constructor(store: BlobStore<V>, options: KeyStorageOptions = {}) {
    this.#store = store;
    this.#options = options;
  }

  /** See {@link initialize}. */
  initialize(slot: NewSlot & { readonly masterKey?: Uint8Array | undefined }): Promise<void> {
    return this.#change((blob) => initialize(blob, slot, this.#options));
  }

  /** See {@link addSlot}. */
  addSlot(slot: NewSlot, using: OpenSlot): Promise<void> {
    return this.#change((blob) => addSlot(blob, slot, using, this.#options));
  }

  /** See {@link deleteSlot}. */
  deleteSlot(using: OpenSlot): Promise<void> {
    return this.#change((blob) => deleteSlot(blob, using));
  }

  /** See {@link getMasterKey}. */
  async getMasterKey(using: OpenSlot): Promise<Uint8Array> {
    return getMasterKey((await this.#store.read())?.blob, using);
  }

  async slotIds(): Promise<readonly string[]> {
    return slotIds((await this.#store.read())?.blob);
  }

  async isInitialized(): Promise<boolean> {
    return (await this.#store.read()) !== undefined;
  }

  async #change(step: (blob: Uint8Array | undefined) => Promise<Uint8Array>): Promise<void> {
    for (;;) {
      const stored = await this.#store.read();
      const changed = await step(stored?.blob);
      if (await this.#store.write(changed, stored?.version)) return;
    }
  }
}
