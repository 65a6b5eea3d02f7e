import { defineResource, Metadata, pointerKey, Resource } from '@cosi-ts/resource';
import type { Bookmark, Event } from '@cosi-ts/state';
import { alteredEvents, alteredResources, brokenCore } from './broken-state.js';

/** The same, not frozen. */
function thawed(resource: Resource): Resource {
  const copy = <T extends object>(source: T): T => Object.assign(Object.create(Object.getPrototypeOf(source)), source);
  return Object.assign(copy(resource), { metadata: copy(resource.metadata) });
}

const Blobs = defineResource<{ bytes: number[] }>({ type: 'Blobs.conformance.cosi.dev', namespace: 'conformance' });

export const brokenSnapshots = [
  brokenCore('R8', 'a snapshot can be changed by its reader', (core) => ({
    get: async (pointer, options) => thawed(await core.get(pointer, options)),
  })),

  brokenCore('R8', 'the resources of events can be changed', (core) =>
    alteredEvents(core, () => (event): Event => {
      if (event.type === 'errored' || event.type === 'bootstrapped' || event.type === 'noop') return event;
      return { ...event, resource: thawed(event.resource) };
    }),
  ),

  brokenCore('R8', 'the labels of a snapshot can be changed', (core) =>
    alteredResources(core, (resource) => {
      const metadata = Object.assign(Object.create(Metadata.prototype), resource.metadata, {
        labels: Object.assign(Object.create(null), resource.metadata.labels),
      });
      return Object.freeze(
        Object.assign(Object.create(Object.getPrototypeOf(resource)), resource, {
          metadata: Object.freeze(metadata),
        }),
      );
    }),
  ),

  brokenCore('R8', 'all readers get the same list, which they can change', (core) => {
    const lists = new Map<string, readonly Resource[]>();
    return {
      list: async (kind, options) => {
        const fresh = await core.list(kind, options);
        if (options?.labels !== undefined || options?.id !== undefined) return fresh;
        const { namespace, type } = kind;
        const key = `${pointerKey({ namespace, type })} ${fresh.map(String).join()}`;
        const list = lists.get(key) ?? [...fresh];
        lists.set(key, list);
        return list;
      },
    };
  }),

  brokenCore('R8', 'all readers get the same bytes of a bookmark', (core) => {
    const bookmarks = new Map<string, Bookmark>();
    return alteredEvents(core, () => (event): Event => {
      if (event.type === 'errored' || event.bookmark === undefined) return event;
      const key = event.bookmark.join();
      const bookmark = bookmarks.get(key) ?? event.bookmark;
      bookmarks.set(key, bookmark);
      return { ...event, bookmark };
    });
  }),

  brokenCore('R16', 'a spec loses its last byte when its metadata is updated', (core) => ({
    update: (resource, options) => {
      if (resource.metadata.type !== Blobs.type) return core.update(resource, options);
      const bytes = Blobs.from(resource).spec.bytes.slice(0, -1);
      const cut = new Resource(resource.metadata, Blobs.new('cut', { bytes }).content);
      return core.update(cut, options);
    },
  })),
];
