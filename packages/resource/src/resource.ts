import type { DeepReadonly } from './deep-readonly.js';
import { InvalidArgumentError } from './errors.js';
import { Keeper } from './kept.js';
import type { Metadata } from './metadata.js';
import { pointerText } from './pointer.js';
import type { ResourceType } from './resource-type.js';
import { type SpecContent, sameContent } from './spec-content.js';

/** What Node, and what follows it, asks for how a value is printed by `console.log` and the like. */
export const printed: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never;

/** Recognised by every copy of this package in a process. */
const brand: unique symbol = Symbol.for('@cosi-ts/resource') as never;

/**
 * An immutable snapshot of a resource whose spec need not be understood here: what reads with a bare kind or pointer
 * give. A declaration reads the spec: `VMConfig.from(resource).spec`.
 */
export class Resource extends Keeper {
  readonly metadata: Metadata;
  /** The spec as it is kept; for codecs and backends. */
  readonly content: SpecContent;
  declare readonly [brand]: true;

  static {
    // Not in each of them: there can be millions.
    Object.defineProperty(Resource.prototype, brand, { value: true });
  }

  constructor(metadata: Metadata, content: SpecContent) {
    super();
    this.metadata = metadata;
    this.content = content;
    if (new.target === Resource) Object.freeze(this);
  }

  /** The same spec under other metadata. */
  withMetadata(metadata: Metadata): Resource {
    return new Resource(metadata, this.content);
  }

  /** Equal metadata (see there what counts) and deeply equal specs. */
  equals(other: Resource): boolean {
    return this === other || (this.metadata.equals(other.metadata) && sameContent(this.content, other.content));
  }

  override toString(): string {
    return this.metadata.toString();
  }

  /** For logs and inspection: `{ metadata }` here, because the spec is not understood. */
  toJSON(): unknown {
    return { metadata: this.metadata };
  }

  [printed](): unknown {
    return { metadata: this.metadata };
  }
}

/** A snapshot whose declaration is known. */
export class TypedResource<S> extends Resource {
  readonly declaration: ResourceType<S, never>;

  constructor(metadata: Metadata, content: SpecContent, declaration: ResourceType<S, never>) {
    super(metadata, content);
    this.declaration = declaration;
    Object.freeze(this);
  }

  /**
   * The spec, deeply frozen. It is decoded when it is first read: a spec that isn't one of this type throws here.
   * Byte arrays in it are copies.
   */
  get spec(): DeepReadonly<S> {
    const value = this.content.valueFor(this.declaration);
    const { read } = this.declaration.codec;
    return (read === undefined ? value : read.call(this.declaration.codec, value)) as DeepReadonly<S>;
  }

  override withMetadata(metadata: Metadata): TypedResource<S> {
    return new TypedResource(metadata, this.content, this.declaration);
  }

  /** `{ metadata, spec }` */
  override toJSON(): unknown {
    return { metadata: this.metadata, spec: this.declaration.codec.toJson(this.content.valueFor(this.declaration)) };
  }

  /** Without the spec where that is sensitive: what is printed ends in logs. */
  override [printed](): unknown {
    const isSensitive = this.declaration.sensitivity === 'sensitive';
    return { metadata: this.metadata, spec: isSensitive ? '(sensitive)' : this.spec };
  }
}

export function isResource(value: unknown): value is Resource {
  return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true;
}

/** The resource as the declaration sees it: the snapshot itself when it was made with that declaration. */
export function typed<S>(resource: Resource, declaration: ResourceType<S, never>): TypedResource<S> {
  if ((resource as TypedResource<S>).declaration === declaration) return resource as TypedResource<S>;
  if (resource.metadata.type !== declaration.type) {
    throw new InvalidArgumentError(
      `resource ${pointerText(resource.metadata)} is not of type ${JSON.stringify(declaration.type)}`,
      { subject: resource.metadata },
    );
  }
  return new TypedResource(resource.metadata, resource.content, declaration);
}
