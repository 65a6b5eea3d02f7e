import type { StandardSchemaV1 } from '@standard-schema/spec';
import { InvalidArgumentError } from './errors.js';
import { frozenJson, type JsonValue, mutableJson, sameJson } from './frozen-data.js';
import type { SpecCodec } from './spec-codec.js';

/** The codec of specs that are plain JSON-like objects, taken as they are. */
export function jsonSpec<S extends object>(): SpecCodec<S> {
  return codec((input) => input as S);
}

/**
 * The codec of JSON-like specs that a Standard Schema (zod, valibot, arktype …) checks, whenever one is made or read.
 * The schema must accept what it gave, and must not be asynchronous.
 */
export function schemaSpec<I, S extends object>(schema: StandardSchemaV1<I, S>): SpecCodec<S, I> {
  return codec<S, I>((input) => {
    const result = schema['~standard'].validate(input);
    if (result instanceof Promise) {
      // Its outcome is of no use, but must not become an unhandled rejection.
      result.catch(() => undefined);
      throw new TypeError('the schema of a spec must not be asynchronous');
    }
    if (result.issues !== undefined) throw new InvalidArgumentError(result.issues.map(issueText).join('; '));
    return result.value;
  });
}

function issueText(issue: StandardSchemaV1.Issue): string {
  const path = (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part));
  return `${['spec', ...path.map(String)].join('.')}: ${issue.message}`;
}

function codec<S extends object, I = S>(check: (input: unknown) => S): SpecCodec<S, I> {
  const parse = (input: unknown): S => {
    const value = frozenJson(check(input));
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      throw new InvalidArgumentError('spec: must be an object');
    }
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
