import { isCosiError, isTombstone, type Resource } from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';
import type { PlainEvent } from './expected-watch.js';
import { plainOf } from './plain.js';
import type { Outcome } from './world.js';

/** What a call gives or rejects with, as plain data. Other errors than those of this system go through. */
export async function outcomeOf(call: Promise<Resource | undefined>): Promise<Outcome> {
  const answer = await answerOf(call);
  if ('code' in answer) return answer;
  return answer.value === undefined ? { done: true } : { resource: plainOf(answer.value) };
}

/** The same for calls that give something else. */
export async function answerOf<T>(call: Promise<T>): Promise<{ readonly value: T } | { readonly code: string }> {
  try {
    return { value: await call };
  } catch (error) {
    if (!isCosiError(error)) throw error;
    return { code: error.code };
  }
}

export function plainEvent(event: Event): PlainEvent {
  if (event.type === 'errored') {
    return { type: 'errored', id: '', resource: undefined, old: undefined, hasBookmark: false };
  }
  const { type, resource } = event;
  const { old } = event as { readonly old?: Resource };
  return {
    type,
    id: resource.metadata.id,
    resource: isTombstone(resource) ? undefined : plainOf(resource),
    old: old === undefined ? undefined : plainOf(old),
    hasBookmark: event.bookmark !== undefined,
  };
}
