import {
  isCosiError,
  type Metadata,
  type Pointer,
  parseYaml,
  pointerKey,
  type Resource,
  type TypedResource,
  type YamlDocument,
  YamlError,
} from '@cosi-ts/resource';
import { checkNewPointer } from '@cosi-ts/state';
import { vmsNamespace } from '../resources/index.js';
import { userTypes, vmRegistry } from '../resources/registry.js';
import { ManifestError, type Place, placeText } from './manifest-error.js';

/** A text of YAML documents, each of which is a resource. */
export interface ManifestSource {
  /** What errors call it; empty when there is only one. */
  readonly name: string;
  readonly text: string;
}

/** A resource that a manifest asks for. */
export interface ManifestEntry {
  readonly place: Place;
  readonly resource: TypedResource<unknown>;
}

/**
 * Reads manifests, which count as one, and checks all that can be checked without a state. Throws {@link ManifestError}
 * at the first fault.
 */
export function parseManifests(sources: readonly ManifestSource[]): readonly ManifestEntry[] {
  const seen = new Map<string, Place>();
  return sources.flatMap(({ name, text }) =>
    documentsOf(name, text).map(({ resource, document, line }) => {
      const place = { source: name, document, line };
      checkResource(resource.metadata, place);
      const key = pointerKey(resource.metadata);
      const earlier = seen.get(key);
      if (earlier !== undefined) {
        throw new ManifestError(place, `${describe(resource.metadata)} comes twice: first in ${placeText(earlier)}`);
      }
      seen.set(key, place);
      return { place, resource: typed(resource) };
    }),
  );
}

/** `VMConfigs.vms.cosi.dev "web-1"` */
export function describe({ type, id }: Pointer): string {
  return `${type} ${JSON.stringify(id)}`;
}

function documentsOf(source: string, text: string): readonly YamlDocument[] {
  try {
    return parseYaml(text, vmRegistry);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const { document, line, reason, path } = error;
    throw new ManifestError({ source, document, line }, reason, { cause: error, path });
  }
}

function checkResource(metadata: Metadata, place: Place): void {
  const { type, namespace, owner, phase, finalizers } = metadata;
  const refuse = (reason: string) => new ManifestError(place, `${describe(metadata)} ${reason}`);
  if (!userTypes.some((each) => each.type === type)) {
    throw refuse(`is written by controllers; a manifest can hold ${userTypes.map((each) => each.type).join(' and ')}`);
  }
  if (namespace !== vmsNamespace) throw refuse(`must be in the namespace ${vmsNamespace}, not in ${namespace}`);
  if (owner !== '') throw refuse(`cannot be given the owner ${JSON.stringify(owner)}`);
  if (phase !== 'running') throw refuse('cannot be made in phase tearingDown; leave it out, and apply with prune');
  if (finalizers.length > 0) throw refuse('cannot be given finalizers: those are for controllers');
  try {
    checkNewPointer(metadata);
  } catch (error) {
    if (!isCosiError(error)) throw error;
    throw new ManifestError(place, error.message, { cause: error });
  }
}

function typed(resource: Resource): TypedResource<unknown> {
  const declaration = vmRegistry.get(resource.metadata.type);
  // What is not known was refused above.
  if (declaration === undefined) throw new TypeError(`${describe(resource.metadata)} is of no type of this app`);
  return declaration.from(resource);
}
