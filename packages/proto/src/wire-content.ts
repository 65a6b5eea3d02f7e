import { getTextEncoding } from '@bufbuild/protobuf/wire';
import {
  type AnyResourceType,
  CorruptError,
  CosiError,
  isCosiError,
  type Pointer,
  pointerText,
  type ResourceType,
  type SpecContent,
} from '@cosi-ts/resource';
import type { ByteReader } from './byte-reader.js';
import { specTags } from './field-tags.js';
import { messageOf } from './message-of.js';
import { sameBytes } from './same-bytes.js';
import { decodeSpecBytes } from './spec-bytes.js';
import { wellFormedBytes } from './well-formed.js';

const noBytes = new Uint8Array(0);

/** The two fields of `cosi.resource.Spec`. Empty ones are left out. */
export interface SpecParts {
  readonly protoSpec: Uint8Array;
  /** UTF-8, which is kept as it is, also where it isn't. */
  readonly yamlSpec: Uint8Array;
}

export const noParts: SpecParts = Object.freeze({ protoSpec: noBytes, yamlSpec: noBytes });

/** Where the two fields lie. Whoever is given it may keep the source: its bytes are not changed any more. */
export interface SpecPlace {
  readonly source: Uint8Array;
  readonly protoStart: number;
  readonly protoEnd: number;
  readonly yamlStart: number;
  readonly yamlEnd: number;
}

/** The parts, copied to memory of their own: one piece for both, because most are small, and a piece costs more than they do. */
export function copyOf({ protoSpec, yamlSpec }: SpecParts): SpecPlace {
  const source = new Uint8Array(protoSpec.length + yamlSpec.length);
  source.set(protoSpec);
  source.set(yamlSpec, protoSpec.length);
  const protoEnd = protoSpec.length;
  return { source, protoStart: 0, protoEnd, yamlStart: protoEnd, yamlEnd: source.length };
}

/** Reads `cosi.resource.Spec`, any number of them one after the other. */
export class SpecReader {
  #protoStart = 0;
  #protoEnd = 0;
  #yamlStart = 0;
  #yamlEnd = 0;
  /** Used again: whoever is given it takes what it needs before the next one is read. */
  readonly #kept: { -readonly [Part in keyof SpecPlace]: SpecPlace[Part] } = {
    source: noBytes,
    protoStart: 0,
    protoEnd: 0,
    yamlStart: 0,
    yamlEnd: 0,
  };

  /** Forgets what was read. */
  begin(): this {
    this.#protoStart = this.#protoEnd = this.#yamlStart = this.#yamlEnd = 0;
    return this;
  }

  read(reader: ByteReader): void {
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === specTags.protoSpec) {
        this.#protoStart = reader.bytes();
        this.#protoEnd = reader.at;
      } else if (tag === specTags.yamlSpec) {
        this.#yamlStart = reader.bytes();
        this.#yamlEnd = reader.at;
      } else reader.skip(tag, 2);
    }
  }

  /**
   * A copy of what was read.
   *
   * @param wellFormed whether YAML that is not UTF-8 becomes it
   */
  copied(from: Uint8Array, wellFormed = false): SpecPlace {
    const yamlSpec = from.subarray(this.#yamlStart, this.#yamlEnd);
    return copyOf({
      protoSpec: from.subarray(this.#protoStart, this.#protoEnd),
      yamlSpec: wellFormed ? wellFormedBytes(yamlSpec) : yamlSpec,
    });
  }

  /** What was read, where it is. Good until the next one is read. */
  kept(from: Uint8Array): SpecPlace {
    const offset = from.byteOffset;
    const place = this.#kept;
    place.source = wholeBuffer(from);
    place.protoStart = offset + this.#protoStart;
    place.protoEnd = offset + this.#protoEnd;
    place.yamlStart = offset + this.#yamlStart;
    place.yamlEnd = offset + this.#yamlEnd;
    return place;
  }
}

/**
 * All of the buffer that bytes lie in. Those of one buffer in a row share what is given, so that a view for each, which
 * can take as much memory as a small spec, is not kept.
 */
function wholeBuffer({ buffer }: Uint8Array): Uint8Array {
  if (lastBuffer?.buffer !== buffer) lastBuffer = new Uint8Array(buffer);
  return lastBuffer;
}

let lastBuffer: Uint8Array | undefined;

/** Recognised by every copy of this package in a process. */
const brand: unique symbol = Symbol.for('@cosi-ts/wire-content') as never;

/**
 * A spec as it came: bytes, and the YAML that came with them. Both go out again unchanged, whatever the type is; a
 * declaration decodes the bytes, once.
 */
export class WireContent implements SpecContent {
  declare readonly [brand]: true;

  static {
    // Not in each of them: there can be millions.
    Object.defineProperty(WireContent.prototype, brand, { value: true });
  }

  readonly #pointer: Pointer;
  readonly #source: Uint8Array;
  readonly #protoStart: number;
  readonly #protoEnd: number;
  readonly #yamlStart: number;
  readonly #yamlEnd: number;
  #decoded: { readonly declaration: AnyResourceType; readonly value: unknown } | undefined;

  /** @param pointer for messages; to be immutable */
  constructor(pointer: Pointer, place: SpecPlace) {
    this.#pointer = pointer;
    this.#source = place.source;
    this.#protoStart = place.protoStart;
    this.#protoEnd = place.protoEnd;
    this.#yamlStart = place.yamlStart;
    this.#yamlEnd = place.yamlEnd;
    Object.freeze(this);
  }

  get yaml(): string | undefined {
    return this.#yamlStart === this.#yamlEnd ? undefined : getTextEncoding().decodeUtf8(this.#yamlSpec());
  }

  get encodedBytes(): number {
    return this.#protoEnd - this.#protoStart + this.#yamlEnd - this.#yamlStart;
  }

  /** Views, for reading only. */
  parts(): SpecParts {
    return { protoSpec: this.#protoSpec(), yamlSpec: this.#yamlSpec() };
  }

  #protoSpec(): Uint8Array {
    return this.#source.subarray(this.#protoStart, this.#protoEnd);
  }

  #yamlSpec(): Uint8Array {
    return this.#yamlStart === this.#yamlEnd ? noBytes : this.#source.subarray(this.#yamlStart, this.#yamlEnd);
  }

  valueFor<S>(declaration: ResourceType<S, never>): S {
    if (this.#decoded?.declaration !== declaration) {
      this.#decoded = { declaration, value: this.#decode(declaration) };
    }
    return this.#decoded.value as S;
  }

  #decode(declaration: AnyResourceType): unknown {
    try {
      return decodeSpecBytes(declaration, this.#source.slice(this.#protoStart, this.#protoEnd));
    } catch (cause) {
      const { namespace, type, id } = this.#pointer;
      const message = `the spec of resource ${pointerText(this.#pointer)} cannot be decoded: ${messageOf(cause)}`;
      const details = { cause, subject: { namespace, type, id } };
      throw isCosiError(cause) ? new CosiError(cause.code, message, details) : new CorruptError(message, details);
    }
  }

  equalsEncoded(other: SpecContent): boolean {
    if (!isWireContent(other)) return false;
    const mine = this.parts();
    const theirs = other.parts();
    return sameBytes(mine.protoSpec, theirs.protoSpec) && sameBytes(mine.yamlSpec, theirs.yamlSpec);
  }
}

/** True for contents of this package, also those of another copy of it. */
export function isWireContent(content: SpecContent): content is WireContent {
  return (content as { readonly [brand]?: unknown })[brand] === true;
}
