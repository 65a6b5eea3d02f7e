import { isVersionConflict, PhaseConflictError, type Resource, VersionConflictError } from '@cosi-ts/resource';
import { alteredResources, brokenCore } from './broken-state.js';

import { stored, withVersion } from './stored.js';
export const brokenUpdates = [
  brokenCore(
    'S5',
    'after version 4 comes version 6',
    (core) => {
      const out = (resource: Resource) => withVersion(resource, (v) => (v > 4n ? v + 1n : v));
      return {
        ...alteredResources(core, out),
        update: async (resource, options) =>
          out(
            await core.update(
              withVersion(resource, (v) => (v > 4n ? v - 1n : v)),
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
            withVersion(resource, (v) => present?.metadata.version ?? v),
            options,
          );
        } catch (error) {
          if (!isVersionConflict(error)) throw error;
        }
      }
    },
  })),
];
