import type { JsonValue } from './frozen-data.js';

/**
 * How a type's specs are made, compared, printed and stored. It knows nothing of wire formats but its own bytes.
 *
 * @typeParam S the spec as readers see it
 * @typeParam I what writers may give instead, for instance a message without its defaults
 */
export interface SpecCodec<S, I = S> {
  /**
   * Makes the value that a resource keeps: checks and copies the input, and freezes the copy deeply. It must accept
   * its own results, drafts made from them, and what older versions of the type wrote, and give equal values for them.
   * Throws `invalid-argument` with the path of what is wrong.
   */
  parse(input: I | S): S;
  /** A spec without content, that a function can fill in; it need not be valid yet. */
  blank(): S;
  /** A deep copy that can be changed; {@link parse} makes a value of it again. */
  draft(spec: S): S;
  equals(a: S, b: S): boolean;
  /** The form that is printed as YAML, with keys as the type's author chose. */
  toJson(spec: S): JsonValue;
  /** Reads what {@link toJson} gives. Throws `invalid-argument`. */
  fromJson(json: JsonValue): S;
  /**
   * What {@link fromJson} is given for a plain scalar of YAML. `typed`: null, a boolean or a number where it looks like
   * one. `text`: its characters, but for null; for specs in which all scalars are texts, so that `1.10` stays that.
   * Default: typed.
   */
  readonly scalars?: 'typed' | 'text';
  /**
   * What a reader is given. Only for specs with parts that cannot be frozen (byte arrays): it copies them, at every
   * read. Absent: the kept value itself.
   */
  read?(spec: S): S;
  /** The bytes of the spec. Absent: the protobuf layer stores {@link toJson} as a `google.protobuf.Struct`. */
  readonly binary?: BinaryCodec<S>;
}

export interface BinaryCodec<S> {
  encode(spec: S): Uint8Array;
  /** Throws when the bytes are no such spec. The result is frozen like that of `parse`. */
  decode(bytes: Uint8Array): S;
}
