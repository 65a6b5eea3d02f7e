import {
  AlreadyExistsError,
  Draft,
  isVersionConflict,
  NotFoundError,
  type Pointer,
  type Resource,
} from '@cosi-ts/resource';
import { type CallOptions, type State, type TeardownOptions, type UpdateOptions, wrapState } from '@cosi-ts/state';
import { brokenCore, brokenWrapper } from './broken-state.js';

type AnyChange = (draft: Draft) => void | Promise<void>;

const native = { supports: { nativeTeardown: true } };
const nativeDestroy = { supports: { nativeTeardownAndDestroy: true } };

/** A resource with its phase or finalizers changed, written over whatever is there. */
async function overwrite(state: State, pointer: Pointer, change: (draft: Draft) => void): Promise<Resource> {
  const draft = new Draft(await state.core.get(pointer));
  change(draft);
  return state.core.update(draft.finish(), { owner: draft.metadata.owner, expectedPhase: 'any' });
}

export const brokenComposed = [
  brokenWrapper('S8', 'a version conflict ends updateWithConflicts', (state) => ({
    updateWithConflicts: async (pointer: Pointer, change: AnyChange, options?: UpdateOptions) => {
      const stored = await state.get(pointer, options);
      let calls = 0;
      return state.updateWithConflicts(
        pointer,
        async (draft) => {
          if (++calls > 1) throw new AlreadyExistsError(stored.metadata);
          await change(draft);
        },
        options,
      );
    },
  })),

  brokenWrapper('S8', 'a change of nothing is written', (state) => ({
    updateWithConflicts: async (pointer: Pointer, change: AnyChange, options?: UpdateOptions) => {
      const before = await state.get(pointer, options);
      const after = await state.updateWithConflicts(pointer, change, options);
      return after.metadata.version === before.metadata.version ? state.update(after, options) : after;
    },
  })),

  brokenWrapper('S8', 'the phase is checked only when something changes', (state) => ({
    updateWithConflicts: async (pointer: Pointer, change: AnyChange, options: UpdateOptions = {}) => {
      const any = await state.updateWithConflicts(pointer, () => undefined, { ...options, expectedPhase: 'any' });
      const draft = new Draft(any);
      await change(draft);
      return draft.finish() === any ? any : state.updateWithConflicts(pointer, change, options);
    },
  })),

  brokenWrapper('S9', 'what appears between read and create is an error', (state) => ({
    modify: async (target: Pointer, change: AnyChange, options?: UpdateOptions) => {
      let fresh = 0;
      return state.modify(
        target as never,
        async (draft: Draft) => {
          if (draft.metadata.version === undefined) fresh++;
          else if (fresh > 0) throw new AlreadyExistsError(draft.metadata);
          await change(draft);
        },
        options,
      );
    },
  })),

  brokenWrapper('S9', 'modify creates for nobody', (state) => ({
    modify: async (target: Pointer, change: AnyChange, options: UpdateOptions = {}) => {
      const there = await state.core.get(target).catch(() => undefined);
      return state.modify(target as never, change as never, there === undefined ? { ...options, owner: '' } : options);
    },
  })),

  brokenCore(
    'S10',
    'a native teardown writes whenever it is called',
    (core) => ({
      teardown: async (pointer: Pointer, options: TeardownOptions = {}) => {
        options.signal?.throwIfAborted();
        const { metadata } = await core.get(pointer);
        if (metadata.phase === 'running' && metadata.owner !== (options.owner ?? ''))
          await core.destroy(pointer, options);
        for (;;) {
          const stored = await core.get(pointer);
          const torn = stored.withMetadata(stored.metadata.with({ phase: 'tearingDown' }));
          try {
            await core.update(torn, { owner: metadata.owner, expectedPhase: 'any' });
            return torn.metadata.finalizers.length === 0;
          } catch (error) {
            if (!isVersionConflict(error)) throw error;
          }
        }
      },
    }),
    native,
  ),

  brokenCore(
    'S10',
    'a native teardown does not look at the owner',
    (core) => {
      const state = wrapState(core);
      return {
        teardown: async (pointer: Pointer, options: TeardownOptions = {}) => {
          const { owner } = (await core.get(pointer, { signal: options.signal })).metadata;
          return state.teardown(pointer, { ...options, owner });
        },
      };
    },
    native,
  ),

  brokenCore(
    'S10',
    'a native teardown looks at the owner of what is tearing down',
    (core) => {
      const state = wrapState(core);
      return {
        teardown: async (pointer: Pointer, options: TeardownOptions = {}) => {
          const { metadata } = await core.get(pointer, { signal: options.signal });
          if (metadata.phase === 'tearingDown' && metadata.owner !== (options.owner ?? '')) {
            await core.destroy(pointer, options);
          }
          return state.teardown(pointer, options);
        },
      };
    },
    native,
  ),

  brokenWrapper('S11', 'a finalizer is lost when two are added at once', (state) => ({
    addFinalizer: async (pointer: Pointer, names: string | readonly string[], options: CallOptions = {}) => {
      const stored = await state.core.get(pointer, options);
      const draft = new Draft(stored);
      for (const name of [names].flat()) draft.metadata.finalizers.add(name as string);
      const { finalizers } = draft.finish().metadata;
      if (finalizers === stored.metadata.finalizers) return;
      for (;;) {
        const { metadata } = await state.core.get(pointer, options);
        const next = stored.withMetadata(metadata.with({ finalizers }));
        const written = await state.core
          .update(next, { ...options, owner: metadata.owner, expectedPhase: 'any' })
          .catch((error: { code?: string }) => {
            if (error.code !== 'version-conflict') throw error;
          });
        if (written !== undefined) return;
      }
    },
  })),

  brokenWrapper('S11', 'adding a finalizer that is there writes', (state) => ({
    addFinalizer: async (pointer: Pointer, names: string | readonly string[], options: CallOptions = {}) => {
      const { version } = (await state.core.get(pointer, options)).metadata;
      await state.addFinalizer(pointer, names, options);
      const now = await state.core.get(pointer, options);
      if (now.metadata.version === version) await overwrite(state, pointer, () => undefined);
    },
  })),

  brokenWrapper('S11', 'finalizers can be changed while running only', (state) => ({
    removeFinalizer: async (pointer: Pointer, names: string | readonly string[], options: CallOptions = {}) => {
      const { metadata } = await state.core.get(pointer, options);
      if (metadata.phase === 'running') await state.removeFinalizer(pointer, names, options);
    },
  })),

  brokenCore(
    'S12',
    'a native teardownAndDestroy does not wait for finalizers',
    (core) => {
      const state = wrapState(core);
      return {
        teardownAndDestroy: async (pointer: Pointer, options: TeardownOptions = {}) => {
          await state.teardown(pointer, options);
          const { metadata } = await core.get(pointer, { signal: options.signal });
          await state.removeFinalizer(pointer, metadata.finalizers, { signal: options.signal });
          await core.destroy(pointer, options);
        },
      };
    },
    nativeDestroy,
  ),

  brokenCore(
    'S12',
    'that someone else destroys it fails a native teardownAndDestroy',
    (core) => {
      const state = wrapState(core);
      return {
        teardownAndDestroy: async (pointer: Pointer, options: TeardownOptions = {}) => {
          await state.teardown(pointer, options);
          const last = await state.watchFor(
            pointer,
            { matches: ({ metadata }) => metadata.finalizers.length === 0 },
            { signal: options.signal },
          );
          if (last.metadata.phase === 'running') throw new NotFoundError(pointer);
          await core.destroy(pointer, options);
        },
      };
    },
    nativeDestroy,
  ),

  brokenWrapper('S13', 'watchFor does not see the present', (state) => ({
    watchFor: async (pointer: Pointer, condition: object, options?: CallOptions) => {
      let first = true;
      const { matches } = condition as { matches?: (resource: Resource) => boolean };
      return state.watchFor(
        pointer,
        {
          ...condition,
          matches: (resource: Resource) => {
            const present = first;
            first = false;
            return !present && (matches === undefined || matches(resource));
          },
        },
        options,
      );
    },
  })),

  brokenWrapper('S13', 'a destroyed resource counts as one without finalizers', (state) => ({
    watchFor: async (pointer: Pointer, condition: { finalizersEmpty?: boolean }, options?: CallOptions) =>
      state.watchFor(
        pointer,
        condition.finalizersEmpty === true
          ? {
              ...(condition as object),
              finalizersEmpty: undefined,
              matches: (resource: Resource) => resource.metadata.finalizers.length === 0,
            }
          : condition,
        options,
      ),
  })),

  brokenWrapper('S14', 'the signal does not abort when the resource is destroyed', (state) => ({
    signalWithTeardown: async (pointer: Pointer, options: CallOptions = {}) => {
      const controller = new AbortController();
      options.signal?.throwIfAborted();
      options.signal?.addEventListener('abort', () => controller.abort(options.signal?.reason), { once: true });
      state.watchFor(pointer, { phases: ['tearingDown'] }, options).then(
        () => controller.abort(new Error('torn down')),
        () => undefined,
      );
      return controller.signal;
    },
  })),

  brokenWrapper('S14', 'a teardown leaves a listener on the parent', (state) => ({
    signalWithTeardown: async (pointer: Pointer, options: CallOptions = {}) => {
      const signal = await state.signalWithTeardown(pointer, options);
      options.signal?.addEventListener('abort', () => undefined);
      return signal;
    },
  })),
];
