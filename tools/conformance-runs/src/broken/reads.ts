import {
  defineResource,
  isNotFound,
  isTombstone,
  type LabelTerm,
  labelQueries,
  NotFoundError,
  type Pointer,
  pointerKey,
  Resource,
  Timestamp,
  tombstone,
} from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';
import { alteredEvents, brokenCore } from './broken-state.js';

const Empties = defineResource({ type: 'Items.conformance.cosi.dev', namespace: 'conformance' });

export const brokenReads = [
  brokenCore(
    'S2',
    'get of what is absent gives a tombstone',
    (core) => ({
      get: async (pointer, options) => {
        try {
          return await core.get(pointer, options);
        } catch (error) {
          if (isNotFound(error)) return tombstone(pointer, Timestamp.epoch);
          throw error;
        }
      },
    }),
    { others: 28 },
  ),

  brokenCore(
    'S2',
    'the first get after an update gives what was there before',
    (core) => {
      const before = new Map<string, Resource>();
      const keyOf = ({ namespace, type, id }: Pointer) => pointerKey({ namespace, type, id });
      return {
        get: async (pointer, options) => {
          const fresh = await core.get(pointer, options);
          const stale = before.get(keyOf(pointer)) ?? fresh;
          before.delete(keyOf(pointer));
          return stale;
        },
        update: async (resource, options) => {
          const key = keyOf(resource.metadata);
          const old = await core.get(resource.metadata).catch(() => undefined);
          const updated = await core.update(resource, options);
          if (old !== undefined) before.set(key, old);
          return updated;
        },
        destroy: async (pointer, options) => {
          await core.destroy(pointer, options);
          before.delete(keyOf(pointer));
        },
      };
    },
    { others: 34 },
  ),

  brokenCore(
    'S2',
    'not-found does not say what',
    (core) => ({
      get: async (pointer, options) => {
        try {
          return await core.get(pointer, options);
        } catch (error) {
          if (isNotFound(error)) throw new NotFoundError({ namespace: '', type: '', id: '' });
          throw error;
        }
      },
    }),
    { others: 20 },
  ),

  brokenCore('S3', 'a list is in the order of creation', (core) => ({
    list: async (kind, options) =>
      (await core.list(kind, options)).toSorted((a, b) => a.metadata.created.compare(b.metadata.created)),
  })),

  brokenCore('S3', 'a list is sorted by UTF-16 units', (core) => ({
    list: async (kind, options) =>
      (await core.list(kind, options)).toSorted((a, b) => (a.metadata.id < b.metadata.id ? -1 : 1)),
  })),

  brokenCore(
    'S3',
    'the list of an empty kind is an error',
    (core) => ({
      list: async (kind, options) => {
        const list = await core.list(kind, options);
        if (list.length === 0 && options?.labels === undefined && options?.id === undefined) {
          throw new NotFoundError({ ...kind, id: '' });
        }
        return list;
      },
    }),
    { others: 14 },
  ),

  brokenCore('S3', 'an update is seen by lists once something else is written', (core) => {
    let late: { readonly before: Resource; readonly after: Resource } | undefined;
    return {
      create: (resource, options) => {
        late = undefined;
        return core.create(resource, options);
      },
      update: async (resource, options) => {
        const before = await core.get(resource.metadata).catch(() => undefined);
        const after = await core.update(resource, options);
        if (before !== undefined) late = { before, after };
        return after;
      },
      list: async (kind, options) =>
        (await core.list(kind, options)).map((each) => (each === late?.after ? late.before : each)),
    };
  }),

  brokenCore('R13', 'inverted label terms are taken for plain ones', (core) => ({
    list: (kind, options = {}) =>
      core.list(kind, {
        ...options,
        labels: labelQueries(options.labels).map((query) =>
          query.map((term): LabelTerm => ({ ...term, invert: false })),
        ),
      }),
  })),

  brokenCore('R13', 'of several label queries only the first counts', (core) => ({
    list: (kind, options = {}) => core.list(kind, { ...options, labels: labelQueries(options.labels).slice(0, 1) }),
  })),

  brokenCore('R14', 'id patterns have to match the whole id', (core) => ({
    list: (kind, options = {}) =>
      core.list(kind, { ...options, id: options.id === undefined ? undefined : `^(?:${options.id})$` }),
  })),

  brokenCore('R14', 'a bad id pattern matches nothing', (core) => ({
    list: async (kind, options) => {
      try {
        return await core.list(kind, options);
      } catch (error) {
        if (options?.id !== undefined) return [];
        throw error;
      }
    },
  })),

  brokenCore('R12', 'a tombstone has a spec without content', (core) =>
    alteredEvents(core, () => (event) => {
      if (event.type === 'errored' || !isTombstone(event.resource)) return event;
      const resource = new Resource(event.resource.metadata, Empties.new('empty', {}).content);
      return { ...event, resource } as Event;
    }),
  ),
];
