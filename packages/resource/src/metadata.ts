import { InvalidArgumentError } from './errors.js';
import { type Finalizers, finalizers, sameFinalizers } from './finalizers.js';
import { type Phase, parsePhase } from './phase.js';
import { type Pointer, pointerText } from './pointer.js';
import { type StringMap, sameStringMap, stringMap } from './string-map.js';
import { Timestamp } from './timestamp.js';
import { checkVersion, formatVersion, type Version } from './version.js';

/** What can differ between two snapshots of one resource. */
export interface MetadataChanges {
  readonly version?: Version;
  readonly owner?: string;
  readonly phase?: Phase;
  readonly created?: Timestamp;
  readonly updated?: Timestamp;
  readonly finalizers?: Iterable<string>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What metadata is made from. Defaults: version undefined, no owner, running, the Unix epoch twice, nothing attached. */
export interface MetadataInit extends Pointer, MetadataChanges {}

/** Everything about a resource but its spec. Immutable: `with` and `withOwner` make new metadata. */
export class Metadata implements Pointer {
  readonly namespace: string;
  readonly type: string;
  readonly id: string;
  readonly version: Version;
  /** The name of the controller that alone may change the resource; empty when nobody owns it. */
  readonly owner: string;
  readonly phase: Phase;
  readonly created: Timestamp;
  readonly updated: Timestamp;
  readonly finalizers: Finalizers;
  readonly labels: StringMap;
  readonly annotations: StringMap;

  constructor(init: MetadataInit) {
    this.namespace = text(init.namespace, 'namespace');
    this.type = text(init.type, 'type');
    this.id = text(init.id, 'id');
    this.version = checkVersion(init.version);
    this.owner = init.owner === undefined ? '' : text(init.owner, 'owner');
    this.phase = init.phase === undefined ? 'running' : parsePhase(init.phase);
    this.created = time(init.created, 'created');
    this.updated = time(init.updated, 'updated');
    this.finalizers = finalizers(init.finalizers);
    this.labels = stringMap(init.labels);
    this.annotations = stringMap(init.annotations);
    Object.freeze(this);
  }

  /** New metadata with some parts replaced. */
  with(changes: MetadataChanges): Metadata {
    return new Metadata({
      namespace: this.namespace,
      type: this.type,
      id: this.id,
      version: 'version' in changes ? changes.version : this.version,
      owner: changes.owner ?? this.owner,
      phase: changes.phase ?? this.phase,
      created: changes.created ?? this.created,
      updated: changes.updated ?? this.updated,
      finalizers: changes.finalizers ?? this.finalizers,
      labels: changes.labels ?? this.labels,
      annotations: changes.annotations ?? this.annotations,
    });
  }

  /** New metadata with that owner. An owner can be set once: another one than the present is `invalid-argument`. */
  withOwner(owner: string): Metadata {
    if (owner === this.owner) return this;
    if (this.owner !== '') throw ownerIsSet(this, owner);
    return this.with({ owner });
  }

  /** Compares all but the two times. Finalizers are a set: their order does not count. */
  equals(other: Metadata): boolean {
    return (
      this === other ||
      (this.id === other.id &&
        this.version === other.version &&
        this.phase === other.phase &&
        this.owner === other.owner &&
        this.type === other.type &&
        this.namespace === other.namespace &&
        sameFinalizers(this.finalizers, other.finalizers) &&
        sameStringMap(this.labels, other.labels) &&
        sameStringMap(this.annotations, other.annotations))
    );
  }

  /** `type(namespace/id@version)` */
  toString(): string {
    return `${this.type}(${this.namespace}/${this.id}@${formatVersion(this.version)})`;
  }

  toJSON(): unknown {
    return { ...this, version: formatVersion(this.version) };
  }
}

export function ownerIsSet(present: Pointer & { readonly owner: string }, given: string): InvalidArgumentError {
  return new InvalidArgumentError(
    `resource ${pointerText(present)} is owned by ${JSON.stringify(present.owner)} already, the owner cannot become ${JSON.stringify(given)}`,
    { subject: { namespace: present.namespace, type: present.type, id: present.id } },
  );
}

function text(value: string, field: string): string {
  if (typeof value !== 'string') throw new TypeError(`${field} must be a string, not ${typeof value}`);
  return value;
}

function time(value: Timestamp | undefined, field: string): Timestamp {
  if (value === undefined) return Timestamp.epoch;
  if (value instanceof Timestamp) return value;
  // A time of another copy of this package.
  const { seconds, nanos } = value as Partial<Timestamp>;
  if (typeof seconds !== 'number' || typeof nanos !== 'number') throw new TypeError(`${field} must be a Timestamp`);
  return new Timestamp(seconds, nanos);
}
