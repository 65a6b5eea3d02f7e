import type { ResourceType } from './resource-type.js';

// biome-ignore lint/suspicious/noExplicitAny: contents are kept for types of every spec
export type AnyResourceType = ResourceType<any, any>;

/**
 * Where a snapshot's spec is: as the value of a declaration, as bytes that nobody has decoded yet, or nowhere (in a
 * tombstone). Shared by all snapshots that differ in their metadata only. Immutable but for what it remembers.
 */
export interface SpecContent {
  /** The declaration that the spec was made with, if it was made in this process. */
  readonly declaration?: AnyResourceType;
  /**
   * The YAML that the spec came with, if there was any: what is printed when no declaration can print it. What it says
   * is up to who sent it.
   */
  readonly yaml?: string | undefined;
  /** Set when there is no spec: in tombstones. */
  readonly tombstone?: true;
  /** How many bytes the encoded spec takes, where they exist anyway: nothing is encoded to find out. */
  readonly encodedBytes?: number | undefined;
  /**
   * The spec as the declaration gives it; decoded at most once for a declaration.
   * Throws `corrupt` or `invalid-argument` when the spec is not one of that type.
   */
  valueFor<S>(declaration: ResourceType<S, never>): S;
  /**
   * The encoded spec, by the declaration that it was made with: what `encode` gives is kept with the content, and given
   * from then on. Absent where no declaration made the content.
   */
  encodedOnce?(encode: () => Uint8Array): Uint8Array;
  /** Compares with a content that no declaration made either. */
  equalsEncoded(other: SpecContent): boolean;
}

export function sameContent(a: SpecContent, b: SpecContent): boolean {
  if (a === b) return true;
  if (a.tombstone === true || b.tombstone === true) return a.tombstone === b.tombstone;
  const declaration = a.declaration ?? b.declaration;
  if (declaration === undefined) return a.equalsEncoded(b);
  return declaration.codec.equals(a.valueFor(declaration), b.valueFor(declaration));
}

/** A spec that was made with a declaration of this process. */
export class DeclaredContent<S> implements SpecContent {
  readonly declaration: ResourceType<S, unknown>;
  readonly value: S;
  #other: { readonly declaration: AnyResourceType; readonly value: unknown } | undefined;
  #encoded: Uint8Array | undefined;

  /** @param value what the declaration's codec has parsed */
  constructor(declaration: ResourceType<S, never>, value: S) {
    this.declaration = declaration as ResourceType<S, unknown>;
    this.value = value;
    Object.freeze(this);
  }

  /** Known from {@link encodedOnce} on. */
  get encodedBytes(): number | undefined {
    return this.#encoded?.length;
  }

  valueFor<T>(declaration: ResourceType<T, never>): T {
    const wanted = declaration as AnyResourceType;
    if (wanted === this.declaration) return this.value as unknown as T;
    if (this.#other?.declaration !== wanted) this.#other = { declaration: wanted, value: this.#convert(wanted) };
    return this.#other.value as T;
  }

  encodedOnce(encode: () => Uint8Array): Uint8Array {
    this.#encoded ??= encode();
    return this.#encoded;
  }

  /** Two declarations of one type meet through what they have in common: bytes, else JSON. */
  #convert(wanted: AnyResourceType): unknown {
    const { codec } = this.declaration;
    if (codec.binary !== undefined && wanted.codec.binary !== undefined) {
      return wanted.codec.binary.decode(codec.binary.encode(this.value));
    }
    return wanted.codec.fromJson(codec.toJson(this.value));
  }

  equalsEncoded(other: SpecContent): boolean {
    return sameContent(this, other);
  }
}
