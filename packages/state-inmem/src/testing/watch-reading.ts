import type { Resource } from '@cosi-ts/resource';
import type { Bookmark, Event, Watch } from '@cosi-ts/state';
import type { InMemoryState } from '../in-memory-state.js';

/** The next items of a watch; throws when it ends before. */
export async function take<T>(watch: Watch<T>, count: number): Promise<T[]> {
  const items: T[] = [];
  while (items.length < count) {
    const { done, value } = await watch.next();
    if (done === true) throw new Error(`the watch ended after ${items.length} of ${count}`);
    items.push(value as T);
  }
  return items;
}

/** `type id@version` */
export function text(event: Event | undefined): string {
  if (event === undefined || event.type === 'errored') return String(event?.type);
  const { id, version } = event.resource.metadata;
  return id === '' ? event.type : `${event.type} ${id}@${version}`;
}

/** The bookmark of an event; throws when it has none. */
export function bookmark(event: Event | undefined): Bookmark {
  if (event === undefined || event.type === 'errored' || event.bookmark === undefined) throw new Error('no bookmark');
  return event.bookmark;
}

/** Updates a resource so many times without changing anything. */
export async function touch(state: InMemoryState, resource: Resource, times: number): Promise<Resource> {
  let last = resource;
  for (let i = 0; i < times; i++) last = await state.update(last);
  return last;
}
