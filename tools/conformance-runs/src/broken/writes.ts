import {
  Draft,
  InvalidArgumentError,
  isAlreadyExists,
  isInvalidArgument,
  isNotFound,
  isVersionConflict,
  Metadata,
  PendingFinalizersError,
  PhaseConflictError,
  type Pointer,
  type Resource,
  VersionConflictError,
} from '@cosi-ts/resource';
import type { CoreState } from '@cosi-ts/state';
import { alteredResources, brokenCore, type CoreMethods } from './broken-state.js';

const version = (resource: Resource, change: (version: bigint) => bigint): Resource =>
  resource.metadata.version === undefined
    ? resource
    : resource.withMetadata(resource.metadata.with({ version: change(resource.metadata.version) }));

/** The stored resource, or nothing. */
async function stored(core: CoreMethods, pointer: Pointer): Promise<Resource | undefined> {
  try {
    return await core.get(pointer);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

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
      return version(created, (present) => resource.metadata.version ?? present);
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

export const brokenUpdates = [
  brokenCore(
    'S5',
    'after version 4 comes version 6',
    (core) => {
      const out = (resource: Resource) => version(resource, (v) => (v > 4n ? v + 1n : v));
      return {
        ...alteredResources(core, out),
        update: async (resource, options) =>
          out(
            await core.update(
              version(resource, (v) => (v > 4n ? v - 1n : v)),
              options,
            ),
          ),
      };
    },
    { others: 18 },
  ),

  brokenCore(
    'S5',
    'an update sets created anew',
    (core) => ({
      update: async (resource, options) => {
        const updated = await core.update(resource, options);
        return updated.withMetadata(updated.metadata.with({ created: updated.metadata.updated }));
      },
    }),
    { others: 38 },
  ),

  brokenCore('S5', 'created can be changed by who sends it', (core) => ({
    update: async (resource, options) => {
      const updated = await core.update(resource, options);
      return updated.withMetadata(updated.metadata.with({ created: resource.metadata.created }));
    },
  })),

  brokenCore(
    'S5',
    'an update that changes nothing is not written',
    (core) => ({
      update: async (resource, options = {}) => {
        const there = await stored(core, resource.metadata);
        const allowed =
          there !== undefined &&
          there.metadata.owner === (options.owner ?? '') &&
          ['any', there.metadata.phase].includes(options.expectedPhase ?? 'running');
        options.signal?.throwIfAborted();
        return allowed && there.equals(resource) ? there : core.update(resource, options);
      },
    }),
    { others: 14 },
  ),

  brokenCore('S5', 'the version is checked before the owner', (core) => ({
    update: async (resource, options) => {
      options?.signal?.throwIfAborted();
      const there = await stored(core, resource.metadata);
      if (there !== undefined && there.metadata.version !== resource.metadata.version) {
        throw new VersionConflictError(resource.metadata, resource.metadata.version, there.metadata.version);
      }
      return core.update(resource, options);
    },
  })),

  brokenCore('S5', 'the phase is checked before the version', (core) => ({
    update: async (resource, options = {}) => {
      options.signal?.throwIfAborted();
      const { phase, owner } = (await stored(core, resource.metadata))?.metadata ?? resource.metadata;
      const expected = options.expectedPhase ?? 'running';
      if (expected !== 'any' && phase !== expected && owner === (options.owner ?? '')) {
        throw new PhaseConflictError(resource.metadata, phase, expected);
      }
      return core.update(resource, options);
    },
  })),

  brokenCore('S5', 'any phase will do unless one is expected', (core) => ({
    update: (resource, options) => core.update(resource, { expectedPhase: 'any', ...options }),
  })),

  brokenCore('S5', 'updates are allowed to everybody', (core) => ({
    update: async (resource, options = {}) => {
      options.signal?.throwIfAborted();
      const owner = (await stored(core, resource.metadata))?.metadata.owner;
      return core.update(resource, { ...options, owner });
    },
  })),

  brokenCore('S5', 'an update keeps the labels that it should remove', (core) => ({
    update: async (resource, options) => {
      options?.signal?.throwIfAborted();
      const labels = { ...(await stored(core, resource.metadata))?.metadata.labels, ...resource.metadata.labels };
      return core.update(resource.withMetadata(resource.metadata.with({ labels })), options);
    },
  })),

  brokenCore('S5', 'an earlier life of the id is a conflict of its own', (core) => ({
    update: async (resource, options) => {
      options?.signal?.throwIfAborted();
      const there = await stored(core, resource.metadata);
      if (there !== undefined && there.metadata.created.compare(resource.metadata.created) > 0) {
        throw new VersionConflictError(resource.metadata, resource.metadata.version, there.metadata.version);
      }
      return core.update(resource, options);
    },
  })),

  brokenCore('S16', 'the version is checked, and written a moment later', (core) => ({
    update: async (resource, options) => {
      options?.signal?.throwIfAborted();
      const there = await stored(core, resource.metadata);
      if (there?.metadata.version !== resource.metadata.version) return core.update(resource, options);
      for (let i = 0; i < 3; i++) await undefined;
      for (;;) {
        const present = await stored(core, resource.metadata);
        try {
          return await core.update(
            version(resource, (v) => present?.metadata.version ?? v),
            options,
          );
        } catch (error) {
          if (!isVersionConflict(error)) throw error;
        }
      }
    },
  })),
];

export const brokenDestroys = [
  brokenCore('S6', 'destroy does not care for finalizers', (core) => ({
    destroy: async (pointer, options = {}) => {
      options.signal?.throwIfAborted();
      const there = await stored(core, pointer);
      if (
        there !== undefined &&
        there.metadata.owner === (options.owner ?? '') &&
        there.metadata.finalizers.length > 0
      ) {
        const draft = new Draft(there);
        draft.metadata.finalizers.clear();
        await core.update(draft.finish(), { ...options, expectedPhase: 'any' });
      }
      return core.destroy(pointer, options);
    },
  })),

  brokenCore('S6', 'finalizers are checked before the owner', (core) => ({
    destroy: async (pointer, options) => {
      options?.signal?.throwIfAborted();
      const there = await stored(core, pointer);
      if (there !== undefined && there.metadata.finalizers.length > 0) {
        throw new PendingFinalizersError(there.metadata, there.metadata.finalizers);
      }
      return core.destroy(pointer, options);
    },
  })),

  brokenCore(
    'S6',
    'what is tearing down cannot be destroyed',
    (core) => ({
      destroy: async (pointer, options) => {
        const there = await stored(core, pointer);
        if (there?.metadata.phase === 'tearingDown') {
          throw new PhaseConflictError(there.metadata, 'tearingDown', 'running');
        }
        return core.destroy(pointer, options);
      },
    }),
    { others: 16 },
  ),

  brokenCore('S6', 'destroy is allowed to everybody', (core) => ({
    destroy: async (pointer, options = {}) => {
      options.signal?.throwIfAborted();
      return core.destroy(pointer, { ...options, owner: (await stored(core, pointer))?.metadata.owner });
    },
  })),

  brokenCore('S6', 'pending finalizers are not listed', (core) => ({
    destroy: async (pointer, options) => {
      try {
        await core.destroy(pointer, options);
      } catch (error) {
        if (!(error instanceof PendingFinalizersError)) throw error;
        throw new PendingFinalizersError(pointer, []);
      }
    },
  })),

  brokenCore('S20', 'destroy of what is absent succeeds', (core) => ({
    destroy: async (pointer, options) => {
      try {
        await core.destroy(pointer, options);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    },
  })),
];
