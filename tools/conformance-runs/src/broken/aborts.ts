import { pointerKey, type Resource } from '@cosi-ts/resource';
import { alteredEvents, brokenCore, type CoreMethods } from './broken-state.js';

/** A write that does not look at its signal, then rejects as if it had. */
async function blind<T>(signal: AbortSignal | undefined, write: () => Promise<T>): Promise<T> {
  const result = await write();
  signal?.throwIfAborted();
  return result;
}

const without = <O extends { readonly signal?: AbortSignal | undefined }>(options: O | undefined) => ({
  ...options,
  signal: undefined,
});

export const brokenAborts = [
  brokenCore('S1', 'a write with an aborted signal is made all the same', (core) => ({
    create: (resource, options) => blind(options?.signal, () => core.create(resource, without(options))),
    update: (resource, options) => blind(options?.signal, () => core.update(resource, without(options))),
    destroy: (pointer, options) => blind(options?.signal, () => core.destroy(pointer, without(options))),
  })),

  brokenCore('S1', 'an aborted call rejects with an error of its own', (core) => {
    const own = async <T>(signal: AbortSignal | undefined, call: Promise<T>): Promise<T> => {
      try {
        return await call;
      } catch (error) {
        throw signal?.aborted === true ? new DOMException('aborted', 'AbortError') : error;
      }
    };
    return {
      get: (pointer, options) => own(options?.signal, core.get(pointer, options)),
      list: (kind, options) => own(options?.signal, core.list(kind, options)),
    };
  }),

  brokenCore('S1', 'a write that is aborted under way is stored without an event', (core) => silentAborts(core)),

  brokenCore('S1', 'a call leaves a listener on its signal', (core) => ({
    get: (pointer, options) => {
      options?.signal?.addEventListener('abort', () => undefined);
      return core.get(pointer, options);
    },
  })),

  brokenCore('S1', 'an abort after the answer undoes the write', (core) => ({
    create: async (resource, options) => {
      const created = await core.create(resource, options);
      const { signal } = options ?? {};
      const undo = () => void core.destroy(resource.metadata, { owner: created.metadata.owner });
      signal?.addEventListener('abort', undo, { once: true });
      return created;
    },
  })),
];

function silentAborts(core: CoreMethods) {
  const hidden = new Set<string>();
  const key = ({ metadata }: Resource) => `${metadata.version}:${pointerKey(pointerOf(metadata))}`;
  const created = async (resource: Resource, options: Parameters<CoreMethods['create']>[1] = {}) => {
    options.signal?.throwIfAborted();
    const written = await core.create(resource, without(options));
    for (let i = 0; i < 4; i++) await undefined;
    if (options.signal?.aborted === true) hidden.add(key(written));
    options.signal?.throwIfAborted();
    return written;
  };
  return {
    create: created,
    ...alteredEvents(
      core,
      () => (event) =>
        event.type === 'created' && event.bookmark !== undefined && hidden.has(key(event.resource)) ? undefined : event,
    ),
  };
}

function pointerOf({ namespace, type, id }: Resource['metadata']) {
  return { namespace, type, id };
}
