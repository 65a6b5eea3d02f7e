import { FinalizerSet, type Finalizers, finalizers, sameFinalizers } from './finalizers.js';
import { Metadata, ownerIsSet } from './metadata.js';
import type { Phase } from './phase.js';
import type { TypedPointer } from './pointer.js';
import { type Resource, TypedResource } from './resource.js';
import type { ResourceType } from './resource-type.js';
import { DeclaredContent, type SpecContent } from './spec-content.js';
import { mutableStringMap, type StringMap, sameStringMap, stringMap } from './string-map.js';
import type { Timestamp } from './timestamp.js';
import type { Version } from './version.js';

/** The metadata of a draft: what identifies the resource is fixed, the rest can be changed in place. */
export class MetadataDraft {
  readonly #base: Metadata;
  #owner: string;
  #finalizers: FinalizerSet | undefined;
  #labels: Record<string, string> | undefined;
  #annotations: Record<string, string> | undefined;
  phase: Phase;

  constructor(base: Metadata) {
    this.#base = base;
    this.#owner = base.owner;
    this.phase = base.phase;
  }

  get namespace(): string {
    return this.#base.namespace;
  }
  get type(): string {
    return this.#base.type;
  }
  get id(): string {
    return this.#base.id;
  }
  get version(): Version {
    return this.#base.version;
  }
  get created(): Timestamp {
    return this.#base.created;
  }
  get updated(): Timestamp {
    return this.#base.updated;
  }

  get owner(): string {
    return this.#owner;
  }

  /** An owner can be set once: another one than the present is `invalid-argument`. */
  set owner(owner: string) {
    if (this.#owner !== '' && owner !== this.#owner) throw ownerIsSet(this, owner);
    this.#owner = owner;
  }

  get finalizers(): FinalizerSet {
    this.#finalizers ??= new FinalizerSet(this.#base.finalizers);
    return this.#finalizers;
  }

  get labels(): Record<string, string> {
    this.#labels ??= mutableStringMap(this.#base.labels);
    return this.#labels;
  }
  set labels(labels: Readonly<Record<string, string>>) {
    this.#labels = mutableStringMap(stringMap(labels));
  }

  get annotations(): Record<string, string> {
    this.#annotations ??= mutableStringMap(this.#base.annotations);
    return this.#annotations;
  }
  set annotations(annotations: Readonly<Record<string, string>>) {
    this.#annotations = mutableStringMap(stringMap(annotations));
  }

  /** The metadata as it now is: the very metadata that the draft began with when nothing changed. */
  finish(): Metadata {
    const base = this.#base;
    const changed = {
      owner: this.#owner,
      phase: this.phase,
      finalizers: keepFinalizers(base.finalizers, this.#finalizers),
      labels: keepMap(base.labels, this.#labels),
      annotations: keepMap(base.annotations, this.#annotations),
    };
    const same =
      changed.owner === base.owner &&
      changed.phase === base.phase &&
      changed.finalizers === base.finalizers &&
      changed.labels === base.labels &&
      changed.annotations === base.annotations;
    return same ? base : base.with(changed);
  }
}

function keepFinalizers(base: Finalizers, changed: FinalizerSet | undefined): Finalizers {
  const now = changed === undefined ? base : finalizers(changed);
  return sameFinalizers(base, now) ? base : now;
}

function keepMap(base: StringMap, changed: Record<string, string> | undefined): StringMap {
  return changed === undefined || sameStringMap(base, changed) ? base : stringMap(changed);
}

/**
 * A resource that is being changed, in the callbacks of `update` and `modify`. Change it in place; what comes out is a
 * new snapshot. A draft of an opaque resource has metadata only.
 */
export class Draft {
  readonly metadata: MetadataDraft;
  protected readonly base: Resource;

  constructor(base: Resource) {
    this.base = base;
    this.metadata = new MetadataDraft(base.metadata);
  }

  /** The snapshot with the changes: the very snapshot that the draft began with when nothing changed. */
  finish(): Resource {
    const metadata = this.metadata.finish();
    return metadata === this.base.metadata ? this.base : this.base.withMetadata(metadata);
  }
}

/** A draft with a spec. */
export class TypedDraft<S> extends Draft {
  readonly #declaration: ResourceType<S, never>;
  readonly #content: SpecContent;
  readonly #isNew: boolean;
  #spec: S | undefined;

  constructor(base: TypedResource<S>, isNew = false) {
    super(base);
    this.#declaration = base.declaration;
    this.#content = base.content;
    this.#isNew = isNew;
  }

  /** A draft of a resource that does not exist yet, with an empty spec to be filled in. */
  static blank<S>(pointer: TypedPointer<S>): TypedDraft<S> {
    const { declaration, namespace, type, id } = pointer;
    const content = new DeclaredContent<S>(declaration, declaration.codec.blank());
    return new TypedDraft(new TypedResource(new Metadata({ namespace, type, id }), content, declaration), true);
  }

  /** The spec, to be changed in place or replaced. */
  get spec(): S {
    this.#spec ??= this.#declaration.codec.draft(this.#content.valueFor(this.#declaration));
    return this.#spec;
  }
  set spec(spec: S) {
    this.#spec = spec;
  }

  /** Throws `invalid-argument` when the changed spec is not one of the type. */
  override finish(): TypedResource<S> {
    const base = this.base as TypedResource<S>;
    const metadata = this.metadata.finish();
    const content = this.#finishSpec();
    if (metadata === base.metadata && content === this.#content) return base;
    return new TypedResource(metadata, content, this.#declaration);
  }

  #finishSpec(): SpecContent {
    const { codec } = this.#declaration;
    if (this.#isNew) return new DeclaredContent(this.#declaration, codec.parse(this.spec));
    if (this.#spec === undefined) return this.#content;
    const value = codec.parse(this.#spec);
    return codec.equals(value, this.#content.valueFor(this.#declaration))
      ? this.#content
      : new DeclaredContent(this.#declaration, value);
  }
}
