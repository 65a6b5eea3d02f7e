import type { ResourceType } from './resource-type.js';

/** All resources of one type in one namespace. */
export interface Kind {
  readonly namespace: string;
  readonly type: string;
}

/** Where one resource is. */
export interface Pointer extends Kind {
  readonly id: string;
}

/** A kind whose declaration is known, so that reads through it are typed. */
export interface TypedKind<S> extends Kind {
  // The input type does not matter to readers, and naming it would make kinds of one spec differ.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly declaration: ResourceType<S, any>;
}

/** A pointer whose declaration is known, so that reads through it are typed. */
export interface TypedPointer<S> extends Pointer {
  // biome-ignore lint/suspicious/noExplicitAny: as in TypedKind
  readonly declaration: ResourceType<S, any>;
}

/** `type(namespace/id)`, the form in which messages name a resource; a kind is `type(namespace)`. */
export function pointerText(subject: Pointer | Kind): string {
  const where = 'id' in subject ? `${subject.namespace}/${subject.id}` : subject.namespace;
  return `${subject.type}(${where})`;
}

export function samePointer(a: Pointer, b: Pointer): boolean {
  return a.id === b.id && a.type === b.type && a.namespace === b.namespace;
}

export function sameKind(a: Kind, b: Kind): boolean {
  return a.type === b.type && a.namespace === b.namespace;
}

/**
 * One string for a pointer or kind, different for different ones: for use as a map key.
 * Lengths go in front, because the parts may hold any character.
 */
export function pointerKey(subject: Pointer | Kind): string {
  const id = 'id' in subject ? `:${subject.id}` : '';
  return `${subject.namespace.length}:${subject.type.length}:${subject.namespace}${subject.type}${id}`;
}
