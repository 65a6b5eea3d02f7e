import {
  InvalidArgumentError,
  isAlreadyExists,
  isInvalidArgument,
  Metadata,
  type Pointer,
  type Resource,
  VersionConflictError,
} from '@cosi-ts/resource';
import type { CoreState } from '@cosi-ts/state';
import { alteredResources, brokenCore, type CoreMethods } from './broken-state.js';

import { withVersion } from './stored.js';

/** Moves a resource to another id, on the way in or out. */
const renamed = (resource: Resource, id: (id: string) => string): Resource =>
  resource.withMetadata(new Metadata({ ...resource.metadata, id: id(resource.metadata.id) }));

export const brokenCreates = [
  brokenCore('S4', 'create overwrites what is there', (core) => ({
    create: async (resource, options) => {
      try {
        return await core.create(resource, options);
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
        const there = await core.get(resource.metadata);
        const { owner } = there.metadata;
        const over = resource.withMetadata(resource.metadata.with({ version: there.metadata.version, owner }));
        return core.update(over, { owner, expectedPhase: 'any' });
      }
    },
  })),

  brokenCore('S4', 'create keeps the version that it is given', (core) => ({
    create: async (resource, options) => {
      const created = await core.create(resource, options);
      return withVersion(created, (present) => resource.metadata.version ?? present);
    },
  })),

  brokenCore('S4', 'create keeps the times that it is given', (core) => ({
    create: async (resource, options) => {
      const created = await core.create(resource, options);
      if (resource.metadata.created.seconds === 0) return created;
      return created.withMetadata(created.metadata.with({ created: resource.metadata.created }));
    },
  })),

  brokenCore(
    'S4',
    'create forgets the owner',
    (core) => ({
      create: (resource, options) => core.create(resource, { ...options, owner: undefined }),
    }),
    { others: 32 },
  ),

  brokenCore('S4', 'create forgets the annotations', (core) => ({
    create: (resource, options) =>
      core.create(resource.withMetadata(resource.metadata.with({ annotations: {} })), options),
  })),

  brokenCore('S4', 'another owner in the metadata is a conflict', (core) => ({
    create: async (resource, options) => {
      try {
        return await core.create(resource, options);
      } catch (error) {
        if (isInvalidArgument(error) && resource.metadata.owner !== '') {
          throw new VersionConflictError(resource.metadata, undefined, undefined);
        }
        throw error;
      }
    },
  })),

  brokenCore('R1', 'times have whole seconds', (core) =>
    alteredResources(core, (resource) => {
      const { created, updated } = resource.metadata;
      const [from, to] = [created, updated].map((time) =>
        Object.assign(Object.create(Object.getPrototypeOf(time)), {
          ...time,
          nanos: 0,
        }),
      );
      return resource.withMetadata(resource.metadata.with({ created: from, updated: to }));
    }),
  ),

  brokenCore('R5', 'finalizers are sorted', (core) =>
    alteredResources(core, (resource) =>
      resource.withMetadata(resource.metadata.with({ finalizers: resource.metadata.finalizers.toSorted() })),
    ),
  ),

  brokenCore('S17', 'ids are normalised', (core) => ({
    ...normalisedIds(core),
  })),

  brokenCore('S17', 'create takes any name', (core) => ({
    create: async (resource, options) => {
      try {
        return await core.create(resource, options);
      } catch (error) {
        if (!isInvalidArgument(error) || resource.metadata.owner !== '') throw error;
        return resource.withMetadata(resource.metadata.with({ version: 1n }));
      }
    },
  })),

  brokenCore('S17', 'a refused name is not told', (core) => ({
    create: async (resource, options) => {
      try {
        return await core.create(resource, options);
      } catch (error) {
        if (!isInvalidArgument(error) || resource.metadata.owner !== '') throw error;
        throw new InvalidArgumentError('bad name');
      }
    },
  })),
];

function normalisedIds(core: CoreMethods): Partial<CoreState> {
  const at = (pointer: Pointer): Pointer => ({
    namespace: pointer.namespace,
    type: pointer.type,
    id: pointer.id.normalize('NFC'),
  });
  const normal = (resource: Resource) => renamed(resource, (id) => id.normalize('NFC'));
  return {
    get: (pointer, options) => core.get(at(pointer), options),
    create: (resource, options) => core.create(normal(resource), options),
    update: (resource, options) => core.update(normal(resource), options),
    destroy: (pointer, options) => core.destroy(at(pointer), options),
  };
}
