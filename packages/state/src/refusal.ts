import type { CallContext } from './core-state.js';
import type { Access } from './filter.js';

/**
 * What access rules threw, in every copy of this package in the process: a server says that the call was denied,
 * whatever the error is, and the error itself stays as it was made.
 */
const refusals = shared<Access>('@cosi-ts/refusals');

/** What rules threw that is no object, by the context of the call: of itself nothing can be remembered. */
const plainRefusals = shared<PlainRefusal>('@cosi-ts/plain-refusals');

interface PlainRefusal {
  readonly thrown: unknown;
  readonly access: Access;
}

function shared<T>(name: string): WeakMap<object, T> {
  const key = Symbol.for(name);
  const holder = globalThis as { [key]?: WeakMap<object, T> };
  holder[key] ??= new WeakMap();
  return holder[key];
}

/** Remembers what an access rule refused by throwing this, in a call of that context. */
export function markRefusal(thrown: unknown, access: Access, context: CallContext): void {
  if (isObject(thrown)) refusals.set(thrown, access);
  else if (isObject(context)) plainRefusals.set(context, { thrown, access });
}

/**
 * The access that a rule refused by throwing this. Undefined for what comes from elsewhere. A text and the like is
 * known only together with the very context that the call was made with, and only where each call has one of its own.
 */
export function refusedAccess(thrown: unknown, context?: CallContext): Access | undefined {
  if (isObject(thrown)) return refusals.get(thrown);
  const refusal = context === undefined ? undefined : plainRefusals.get(context);
  return refusal !== undefined && Object.is(refusal.thrown, thrown) ? refusal.access : undefined;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
