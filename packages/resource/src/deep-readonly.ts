/** A byte array without its ways to be changed. */
export type ReadonlyBytes = Omit<Uint8Array, 'copyWithin' | 'fill' | 'reverse' | 'set' | 'sort' | 'buffer'> & {
  readonly [index: number]: number;
};

/** The same shape, with everything in it read-only: specs as readers see them. */
export type DeepReadonly<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends Uint8Array
    ? ReadonlyBytes
    : T extends readonly unknown[]
      ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
      : T extends object
        ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
        : T;
