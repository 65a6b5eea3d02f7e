/** A type of resources that a controller writes, in whatever namespace. */
export interface Output {
  readonly type: string;
  /** An exclusive type is written by one controller only; a shared one by all that declare it so. */
  readonly kind: 'exclusive' | 'shared';
}

/** The type of a declaration or of a kind is written by this controller only. */
export function exclusive(of: { readonly type: string }): Output {
  return Object.freeze({ type: of.type, kind: 'exclusive' });
}

/** The type of a declaration or of a kind is written by this controller and by others that share it. */
export function shared(of: { readonly type: string }): Output {
  return Object.freeze({ type: of.type, kind: 'shared' });
}
