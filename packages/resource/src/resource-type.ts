import type { StandardSchemaV1 } from '@standard-schema/spec';
import { jsonSpec, schemaSpec } from './json-spec.js';
import { Metadata, type MetadataInit } from './metadata.js';
import { pointerText, type TypedKind, type TypedPointer } from './pointer.js';
import { printed, type Resource, TypedResource, typed } from './resource.js';
import type { SpecCodec } from './spec-codec.js';
import { DeclaredContent } from './spec-content.js';

/** A column of `get` in command lines and consoles. */
export interface PrintColumn {
  readonly name: string;
  /** A Kubernetes-style JSON path in braces, rooted at the YAML of the spec: `{.power}`. */
  readonly jsonPath: string;
}

/** Whether a resource may be shown to whoever may only look: secrets are sensitive. */
export type Sensitivity = 'non-sensitive' | 'sensitive';

export interface ResourceTypeOptions {
  /** The name of the type, `Plurals.suffix` when it is to be registered: `VMConfigs.vms.example.org`. */
  readonly type: string;
  /** The namespace that resources of the type are in unless another one is named. */
  readonly namespace: string;
  /** Short names for people, beside those that are derived from the type. Default: none. */
  readonly aliases?: readonly string[];
  /** Switches derived aliases off. Default: false. */
  readonly skipAutomaticAliases?: boolean;
  /** Default: none. */
  readonly printColumns?: readonly PrintColumn[];
  /** Default: non-sensitive. */
  readonly sensitivity?: Sensitivity;
}

/** What can be set on a resource that is not stored yet. */
export type NewResourceMetadata = Partial<
  Pick<MetadataInit, 'namespace' | 'owner' | 'phase' | 'finalizers' | 'labels' | 'annotations'>
>;

/**
 * The declaration of a resource type. It makes resources, pointers and kinds, and whoever reads through one of those
 * gets typed resources.
 *
 * @typeParam S the spec as readers see it
 * @typeParam I what writers may give for it
 */
export class ResourceType<S, I = S> {
  readonly type: string;
  readonly namespace: string;
  readonly codec: SpecCodec<S, I>;
  readonly aliases: readonly string[];
  readonly skipAutomaticAliases: boolean;
  readonly printColumns: readonly PrintColumn[];
  readonly sensitivity: Sensitivity;
  /** All resources of the type in its default namespace. */
  readonly kind: TypedKind<S>;

  constructor(options: ResourceTypeOptions, codec: SpecCodec<S, I>) {
    if (typeof options.type !== 'string' || options.type === '') throw new TypeError('a resource type needs a name');
    if (typeof options.namespace !== 'string') throw new TypeError('a resource type needs a default namespace');
    this.type = options.type;
    this.namespace = options.namespace;
    this.codec = codec;
    this.aliases = Object.freeze([...(options.aliases ?? [])]);
    this.skipAutomaticAliases = options.skipAutomaticAliases ?? false;
    this.printColumns = Object.freeze((options.printColumns ?? []).map((column) => Object.freeze({ ...column })));
    this.sensitivity = options.sensitivity ?? 'non-sensitive';
    this.kind = this.in(options.namespace);
    Object.freeze(this);
  }

  /** Itself, so that it can be given wherever a kind can: it stands for the resources in its default namespace. */
  get declaration(): this {
    return this;
  }

  /** All resources of the type in another namespace. */
  in(namespace: string): TypedKind<S> {
    return Object.freeze({ namespace, type: this.type, declaration: this });
  }

  /** Where the resource with that id is. */
  at(id: string, namespace: string = this.namespace): TypedPointer<S> {
    return Object.freeze({ namespace, type: this.type, id, declaration: this });
  }

  /** A resource that is not stored yet. Throws `invalid-argument` when the spec is not one of this type. */
  new(id: string, spec: I, metadata: NewResourceMetadata = {}): TypedResource<S> {
    const content = new DeclaredContent<S>(this as unknown as ResourceType<S, never>, this.codec.parse(spec));
    return this.#make(content, id, metadata);
  }

  /** The resource with its spec as this declaration reads it, once. Throws `invalid-argument` when it is of another type. */
  from(resource: Resource): TypedResource<S> {
    return typed(resource, this as unknown as ResourceType<S, never>);
  }

  [printed](): string {
    return `ResourceType ${pointerText(this)}`;
  }

  #make(content: DeclaredContent<S>, id: string, metadata: NewResourceMetadata): TypedResource<S> {
    return new TypedResource(
      new Metadata({ namespace: this.namespace, ...metadata, type: this.type, id }),
      content,
      this as unknown as ResourceType<S, never>,
    );
  }
}

/**
 * Declares a resource type.
 *
 * @param options `spec` is a Standard Schema, a codec (protobuf messages: `messageSpec` of `@cosi-ts/proto`), or absent:
 * then the spec is any JSON-like object, typed as the type parameter says.
 *
 * @example
 * const VMConfig = defineResource<{ cpus: number }>({ type: 'VMConfigs.vms.example.org', namespace: 'vms' });
 */
export function defineResource<S extends object = Record<string, unknown>>(
  options: ResourceTypeOptions & { readonly spec?: undefined },
): ResourceType<S>;
export function defineResource<S, I>(
  options: ResourceTypeOptions & { readonly spec: SpecCodec<S, I> },
): ResourceType<S, I>;
export function defineResource<I, S extends object>(
  options: ResourceTypeOptions & { readonly spec: StandardSchemaV1<I, S> },
): ResourceType<S, I>;
export function defineResource(
  options: ResourceTypeOptions & {
    readonly spec?: SpecCodec<unknown, unknown> | StandardSchemaV1<unknown, object> | undefined;
  },
): ResourceType<unknown, unknown> {
  const { spec } = options;
  if (spec === undefined) return new ResourceType(options, jsonSpec() as unknown as SpecCodec<unknown, unknown>);
  if ('~standard' in spec) return new ResourceType(options, schemaSpec(spec) as unknown as SpecCodec<unknown, unknown>);
  return new ResourceType(options, spec);
}
