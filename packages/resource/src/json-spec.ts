import type { StandardSchemaV1 } from '@standard-schema/spec';
import { InvalidArgumentError } from './errors.js';
import { frozenJson, type JsonValue, mutableJson, sameJson } from './frozen-data.js';
import type { SpecCodec } from './spec-codec.js';
import { invalidSpec, type SpecPath, specPathText } from './spec-path.js';

/** The codec of specs that are plain JSON-like objects, taken as they are. */
export function jsonSpec<S extends object>(): SpecCodec<S> {
  return checkedJsonSpec((input) => input as S);
}

/**
 * The codec of JSON-like specs that a Standard Schema (zod, valibot, arktype …) checks, whenever one is made or read.
 * The schema must accept what it gave, and must not be asynchronous.
 */
export function schemaSpec<I, S extends object>(schema: StandardSchemaV1<I, S>): SpecCodec<S, I> {
  return checkedJsonSpec<S, I>((input) => {
    const result = schema['~standard'].validate(input);
    if ('then' in result) {
      // Its outcome is of no use, but must not become an unhandled rejection.
      result.then(undefined, () => undefined);
      throw new TypeError('the schema of a spec must not be asynchronous');
    }
    if (result.issues !== undefined) throw refusal(result.issues);
    return result.value;
  });
}

function refusal(issues: readonly StandardSchemaV1.Issue[]): InvalidArgumentError {
  const found = issues.map((issue) => ({ path: pathOf(issue), message: issue.message }));
  const message = found.map((issue) => `${specPathText(issue.path)}: ${issue.message}`).join('; ');
  return new InvalidArgumentError(message === '' ? 'spec: is refused' : message, { path: found[0]?.path });
}

function pathOf(issue: StandardSchemaV1.Issue): SpecPath {
  return (issue.path ?? []).map((part) => {
    const key = typeof part === 'object' ? part.key : part;
    return typeof key === 'symbol' ? String(key) : key;
  });
}

/**
 * The codec of specs that are JSON-like objects.
 *
 * @param check gives the spec, or throws `invalid-argument`; it must accept what it gave
 */
export function checkedJsonSpec<S extends object, I = S>(check: (input: unknown) => S): SpecCodec<S, I> {
  const parse = (input: unknown): S => {
    const value = frozenJson(check(input));
    if (value === null || typeof value !== 'object' || Array.isArray(value)) throw invalidSpec([], 'must be an object');
    return value as S;
  };
  return {
    parse,
    blank: () => ({}) as S,
    draft: (spec) => mutableJson(spec),
    equals: sameJson,
    toJson: (spec) => spec as JsonValue,
    fromJson: parse,
  };
}
