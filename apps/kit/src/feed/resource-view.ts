import { formatVersion, type JsonValue, type TypedResource } from '@cosi-ts/resource';

/** A resource as it is told to clients. */
export interface ResourceView {
  readonly type: string;
  readonly id: string;
  readonly version: string;
  readonly phase: string;
  readonly owner: string;
  /** RFC 3339. */
  readonly created: string;
  readonly updated: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  readonly spec: JsonValue;
}

export function resourceView(resource: TypedResource<unknown>): ResourceView {
  const { type, id, version, phase, owner, created, updated, labels, finalizers } = resource.metadata;
  const { codec } = resource.declaration;
  return {
    type,
    id,
    version: formatVersion(version),
    phase,
    owner,
    created: created.toString(),
    updated: updated.toString(),
    labels,
    finalizers,
    spec: codec.toJson(resource.content.valueFor(resource.declaration) as never),
  };
}
