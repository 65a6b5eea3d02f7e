import { Metadata, type Phase, type Resource, Timestamp, type TypedResource } from '@cosi-ts/resource';
import { type ItemSpec, Items, itemOf, namespace, Others, otherNamespace } from '../items.js';

/** The kinds that the model knows, by short names. */
export const modelKinds = Object.freeze({
  items: Items.kind,
  others: Others.kind,
  elsewhere: Items.in(otherNamespace),
});

export type KindName = keyof typeof modelKinds;

/** Bookmarks count for each namespace: they are used in the one that they come from. */
export const namespaceOf = (kind: KindName): string => (kind === 'elsewhere' ? otherNamespace : namespace);

/** The times of a resource that is sent. */
export const unsetTime = new Timestamp(0, 0).toString();

/** A resource as plain data, with all that the model compares. */
export interface PlainResource {
  readonly id: string;
  readonly version: number;
  readonly owner: string;
  readonly phase: Phase;
  readonly tier: string | undefined;
  readonly finalizers: readonly string[];
  readonly value: number;
  readonly created: string;
  readonly updated: string;
}

export function plainOf(resource: Resource): PlainResource {
  const { metadata } = resource;
  const declaration = metadata.type === Items.type ? Items : Others;
  return {
    id: metadata.id,
    version: Number(metadata.version),
    owner: metadata.owner,
    phase: metadata.phase,
    tier: metadata.labels.tier,
    finalizers: metadata.finalizers,
    value: declaration.from(resource).spec.value,
    created: metadata.created.toString(),
    updated: metadata.updated.toString(),
  };
}

/** A resource to be sent, whose times do not matter. */
export function resourceOf(
  kind: KindName,
  plain: Pick<PlainResource, 'id' | 'owner' | 'phase' | 'tier' | 'finalizers' | 'value'>,
  version: number | undefined,
): TypedResource<ItemSpec> {
  const { id, value, owner, phase, finalizers, tier } = plain;
  const item = itemOf(modelKinds[kind], id, value);
  const metadata = new Metadata({
    ...modelKinds[kind],
    id,
    owner,
    phase,
    finalizers,
    labels: tier === undefined ? {} : { tier },
    ...(version === undefined ? {} : { version: BigInt(version) }),
  });
  return item.withMetadata(metadata);
}
