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

const noBytes = new Uint8Array(0);

/** The two fields of `cosi.resource.Spec`. Empty ones are left out. */
export interface SpecParts {
  readonly protoSpec: Uint8Array;
  /** UTF-8, which is kept as it is, also where it isn't. */
  readonly yamlSpec: Uint8Array;
}

export const noParts: SpecParts = Object.freeze({ protoSpec: noBytes, yamlSpec: noBytes });

/** The parts in a buffer of their own: one for both, because most are small, and a buffer costs more than they do. */
export function copyOf({ protoSpec, yamlSpec }: SpecParts): SpecParts {
  const bytes = new Uint8Array(protoSpec.length + yamlSpec.length);
  bytes.set(protoSpec);
  if (yamlSpec.length === 0) return { protoSpec: bytes, yamlSpec: noBytes };
  bytes.set(yamlSpec, protoSpec.length);
  return { protoSpec: bytes.subarray(0, protoSpec.length), yamlSpec: bytes.subarray(protoSpec.length) };
}

/** Reads `cosi.resource.Spec`. What is given back are views. */
export class SpecReader implements SpecParts {
  protoSpec: Uint8Array = noBytes;
  yamlSpec: Uint8Array = noBytes;

  read(reader: ByteReader): void {
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === specTags.protoSpec) this.protoSpec = reader.view();
      else if (tag === specTags.yamlSpec) this.yamlSpec = reader.view();
      else reader.skip(tag, 2);
    }
  }
}

/** Recognised by every copy of this package in a process. */
const brand: unique symbol = Symbol.for('@cosi-ts/wire-content') as never;

/**
 * A spec as it came: bytes, and the YAML that came with them. Both go out again unchanged, whatever the type is; a
 * declaration decodes the bytes, once.
 */
export class WireContent implements SpecContent {
  readonly [brand] = true;
  readonly #pointer: Pointer;
  readonly #protoSpec: Uint8Array;
  readonly #yamlSpec: Uint8Array;
  #decoded: { readonly declaration: AnyResourceType; readonly value: unknown } | undefined;

  /** Keeps the parts: nobody may change them any more. The pointer is for messages only. */
  constructor(pointer: Pointer, { protoSpec, yamlSpec }: SpecParts) {
    this.#pointer = { namespace: pointer.namespace, type: pointer.type, id: pointer.id };
    this.#protoSpec = protoSpec;
    this.#yamlSpec = yamlSpec;
    Object.freeze(this);
  }

  get yaml(): string | undefined {
    return this.#yamlSpec.length === 0 ? undefined : getTextEncoding().decodeUtf8(this.#yamlSpec);
  }

  get encodedBytes(): number {
    return this.#protoSpec.length + this.#yamlSpec.length;
  }

  /** For reading only. */
  parts(): SpecParts {
    return { protoSpec: this.#protoSpec, yamlSpec: this.#yamlSpec };
  }

  valueFor<S>(declaration: ResourceType<S, never>): S {
    if (this.#decoded?.declaration !== declaration) {
      this.#decoded = { declaration, value: this.#decode(declaration) };
    }
    return this.#decoded.value as S;
  }

  #decode(declaration: AnyResourceType): unknown {
    try {
      return decodeSpecBytes(declaration, new Uint8Array(this.#protoSpec));
    } catch (cause) {
      const message = `the spec of resource ${pointerText(this.#pointer)} cannot be decoded: ${messageOf(cause)}`;
      const details = { cause, subject: this.#pointer };
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
