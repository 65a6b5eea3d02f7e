import {
  defineResource,
  jsonSpec,
  type Kind,
  type NewResourceMetadata,
  type SpecCodec,
  type TypedResource,
} from '@cosi-ts/resource';

export interface ItemSpec {
  value: number;
  note?: string;
  nested?: { list: number[] };
}

/** The namespace that the suite works in. A state of a single namespace has to be made for this one. */
export const namespace = 'conformance';
export const otherNamespace = 'conformance-other';

/** What most tests store. */
export const Items = defineResource<ItemSpec>({ type: 'Items.conformance.cosi.dev', namespace });

/** A second type, whose resources have the same ids. */
export const Others = defineResource<ItemSpec>({ type: 'Others.conformance.cosi.dev', namespace });

/** An item of that kind, which is not stored yet. */
export function itemOf(
  kind: Kind,
  id: string,
  value: number,
  metadata: NewResourceMetadata = {},
): TypedResource<ItemSpec> {
  const declaration = [Items, Others].find(({ type }) => type === kind.type);
  if (declaration === undefined) throw new TypeError(`no test uses the type ${kind.type}`);
  return declaration.new(id, { value }, { ...metadata, namespace: kind.namespace });
}

/** A type whose specs are bytes that mean nothing to anyone. */
export interface BlobSpec {
  readonly bytes: readonly number[];
}

const blobCodec: SpecCodec<BlobSpec> = {
  ...jsonSpec<BlobSpec>(),
  binary: {
    encode: (spec) => Uint8Array.from(spec.bytes),
    decode: (bytes) => jsonSpec<BlobSpec>().parse({ bytes: [...bytes] }),
  },
};

export const Blobs = defineResource({ type: 'Blobs.conformance.cosi.dev', namespace, spec: blobCodec });
