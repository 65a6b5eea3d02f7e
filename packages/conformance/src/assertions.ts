import {
  type CosiError,
  type ErrorCode,
  isCosiError,
  type Metadata,
  type Pointer,
  pointerText,
  type Resource,
} from '@cosi-ts/resource';
import { show } from './show.js';

/** A rule that does not hold. The message says what was expected and what was found. */
export class ConformanceError extends Error {
  override readonly name = 'ConformanceError';
}

export function fail(message: string, cause?: unknown): never {
  throw new ConformanceError(message, cause === undefined ? undefined : { cause });
}

export function check(condition: boolean, message: string): asserts condition {
  if (!condition) fail(message);
}

/** Compares values as they are shown: plain data, texts, numbers, bytes. */
export function equal(actual: unknown, expected: unknown, what: string): void {
  if (Object.is(actual, expected)) return;
  const [found, wanted] = [show(actual), show(expected)];
  if (found !== wanted) fail(`${what}\n  expected: ${wanted}\n  found:    ${found}`);
}

export function same(actual: unknown, expected: unknown, what: string): void {
  if (!Object.is(actual, expected)) fail(`${what}: expected the very ${show(expected)}, found ${show(actual)}`);
}

/** Compares all there is: also the times and the order of finalizers, which equality of resources leaves out. */
export function sameResource(actual: Resource, expected: Resource, what: string): void {
  sameMetadata(actual.metadata, expected.metadata, what);
  if (!actual.equals(expected))
    fail(`${what}: the spec of ${pointerText(expected.metadata)} differs\n  ${show(actual)}`);
}

export function sameMetadata(actual: Metadata, expected: Metadata, what: string): void {
  // Showing takes its time, and what is compared is nearly always the same.
  if (JSON.stringify(actual) !== JSON.stringify(expected)) equal(actual.toJSON(), expected.toJSON(), what);
}

export function sameResources(actual: readonly Resource[], expected: readonly Resource[], what: string): void {
  equal(
    actual.map((resource) => resource.toString()),
    expected.map((resource) => resource.toString()),
    what,
  );
  for (const [i, resource] of actual.entries()) sameResource(resource, expected[i] as Resource, what);
}

/** What the promise rejects with. */
export async function rejection(promise: Promise<unknown>, what: string): Promise<unknown> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  return fail(`${what}: expected a rejection, found ${show(value)}`);
}

/** Checks that the promise rejects with an error of that code, about that pointer where one is given. */
export async function rejectsWith(
  promise: Promise<unknown>,
  code: ErrorCode,
  what: string,
  subject?: Pointer,
): Promise<CosiError> {
  const error = await rejection(promise, what);
  if (!isCosiError(error)) return fail(`${what}: expected an error of code ${code}, found ${show(error)}`, error);
  if (error.code !== code) fail(`${what}: expected code ${code}, found ${error.code}: ${error.message}`, error);
  if (subject !== undefined) {
    const { namespace, type, id } = subject;
    equal(error.subject, { namespace, type, id }, `${what}: the pointer that the error is about`);
  }
  return error;
}

/** Checks that the promise rejects with the very reason. */
export async function rejectsAs(promise: Promise<unknown>, reason: unknown, what: string): Promise<void> {
  same(await rejection(promise, what), reason, `${what}: what it rejects with`);
}

/** Checks that reading throws an error of this system. */
export function refusesRead(read: () => unknown, what: string): void {
  try {
    read();
  } catch (error) {
    if (isCosiError(error)) return;
    fail(`${what}: expected an error of this system, found ${show(error)}`, error);
  }
  fail(`${what}: it can be read`);
}

/** Checks that an assignment or a call that changes a snapshot throws, as it does in strict mode on what is frozen. */
export function refusesChange(change: () => void, what: string): void {
  try {
    change();
  } catch (error) {
    if (error instanceof TypeError) return;
    fail(`${what}: expected a TypeError, found ${show(error)}`, error);
  }
  fail(`${what}: expected a TypeError, but it can be changed`);
}
