/** Where and how resources are kept. */
export interface DataOptions {
  /** The data folder. It is made when it is missing. */
  readonly folder: string;
  /** What opens the data when it is encrypted. Absent: it is not. */
  readonly key?: KeyOptions | undefined;
}

/** A private key, and the slot that it opens. */
export interface KeyOptions {
  /** An armored OpenPGP private key. */
  readonly file: string;
  readonly slot: string;
  readonly passphrase: PassphraseSource;
}

/** Where the passphrase of a private key comes from: a file before a text. Neither: it has none. */
export interface PassphraseSource {
  readonly file?: string | undefined;
  readonly text?: string | undefined;
}

/** The slot of who does not name one. */
export const defaultSlot = 'default';
