import {
  type AnyResourceType,
  metaOwner,
  type NamespaceSpec,
  namespaceResource,
  type ResourceDefinitionSpec,
  resourceDefinition,
  type TypedResource,
} from '@cosi-ts/resource';
import type { CallOptions } from './core-state.js';
import type { State } from './state.js';

/**
 * Publishes a namespace in the state, for people and tools that look around: as a `Namespaces.meta.cosi.dev` resource.
 * One that is published already gets the new description.
 */
export function registerNamespace(
  state: State,
  name: string,
  description = '',
  options: CallOptions = {},
): Promise<TypedResource<NamespaceSpec>> {
  return publish(state, namespaceResource(name, description), options);
}

/**
 * Publishes a type in the state, with its aliases and print columns: as a `ResourceDefinitions.meta.cosi.dev`
 * resource. One that is published already is brought up to date. Rejects with `invalid-argument` when the name of the
 * type breaks a rule; a state stores resources of such types all the same.
 */
export async function registerType(
  state: State,
  type: AnyResourceType,
  options: CallOptions = {},
): Promise<TypedResource<ResourceDefinitionSpec>> {
  return publish(state, resourceDefinition(type), options);
}

function publish<S>(state: State, resource: TypedResource<S>, options: CallOptions): Promise<TypedResource<S>> {
  const { declaration } = resource;
  return state.modify(
    resource,
    (draft) => {
      draft.spec = declaration.codec.draft(resource.content.valueFor(declaration));
    },
    { ...options, owner: metaOwner },
  );
}
