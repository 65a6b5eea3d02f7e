/** A part of a description of roles, wherever it was written. */
export interface Part {
  /** The entries of a mapping, in their order. Anything else is an error that says what this must be. */
  entries(what: string): readonly Entry[];
  items(what: string): readonly Part[];
  text(what: string): string;
  /** The error that something is wrong here. */
  fault(reason: string): Error;
}

export interface Entry {
  readonly key: string;
  readonly keyPart: Part;
  readonly value: Part;
}
