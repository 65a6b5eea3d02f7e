import type { Resource, ResourceType, TypedResource } from '@cosi-ts/resource';
import type { Event } from './event.js';

type AnyDeclaration<S> = ResourceType<S, never>;

/** The event with its resources as the declaration reads them: the very event when they are so already. */
export function typedEvent<S>(event: Event, declaration: AnyDeclaration<S>): Event<TypedResource<S>> {
  switch (event.type) {
    case 'created':
    case 'destroyed': {
      if (isTyped(event.resource, declaration)) return event as Event<TypedResource<S>>;
      return { type: event.type, resource: declaration.from(event.resource), ...bookmarkOf(event) };
    }
    case 'updated': {
      const { resource, old } = event;
      if (isTyped(resource, declaration) && (old === undefined || isTyped(old, declaration))) {
        return event as Event<TypedResource<S>>;
      }
      const typedOld = old === undefined ? {} : { old: declaration.from(old) };
      return { type: 'updated', resource: declaration.from(resource), ...typedOld, ...bookmarkOf(event) };
    }
    default:
      return event;
  }
}

/** All events typed: the very array when they are so already. */
export function typedEvents<S>(
  events: readonly Event[],
  declaration: AnyDeclaration<S>,
): readonly Event<TypedResource<S>>[] {
  const changed = events.map((event) => typedEvent(event, declaration));
  return changed.every((event, i) => event === events[i]) ? (events as readonly Event<TypedResource<S>>[]) : changed;
}

export function typedList<S>(
  resources: readonly Resource[],
  declaration: AnyDeclaration<S>,
): readonly TypedResource<S>[] {
  return resources.every((resource) => isTyped(resource, declaration))
    ? (resources as readonly TypedResource<S>[])
    : resources.map((resource) => declaration.from(resource));
}

function isTyped<S>(resource: Resource, declaration: AnyDeclaration<S>): boolean {
  return (resource as Partial<TypedResource<S>>).declaration === declaration;
}

function bookmarkOf(event: { readonly bookmark?: Uint8Array }): { readonly bookmark?: Uint8Array } {
  return event.bookmark === undefined ? {} : { bookmark: event.bookmark };
}
