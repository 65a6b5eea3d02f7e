import type { Access } from './filter.js';

/**
 * What access rules threw, in every copy of this package in the process: a server says that the call was denied,
 * whatever the error is, and the error itself stays as it was made.
 */
const refusals = shared('@cosi-ts/refusals');

function shared(name: string): WeakMap<object, Access> {
  const key = Symbol.for(name);
  const holder = globalThis as { [key]?: WeakMap<object, Access> };
  holder[key] ??= new WeakMap();
  return holder[key];
}

/** Remembers what an access rule refused with the error. Nothing can be remembered of what is thrown and no object. */
export function markRefusal(error: unknown, access: Access): void {
  if ((typeof error === 'object' && error !== null) || typeof error === 'function') refusals.set(error, access);
}

/** The access that a rule refused by throwing this. Undefined for errors that come from elsewhere. */
export function refusedAccess(error: unknown): Access | undefined {
  return (typeof error === 'object' && error !== null) || typeof error === 'function' ? refusals.get(error) : undefined;
}
