import { Draft, isNotFound, PendingFinalizersError, PhaseConflictError } from '@cosi-ts/resource';
import { brokenCore } from './broken-state.js';

import { stored } from './stored.js';
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
