import type { SourceNode } from '../source-node.js';
import { kindText } from '../source-node.js';
import type { JsonSchema } from './json-schema.js';
import type { Place } from './place.js';

/** What may stand in one place of a definition: how it is read, and how editors are told of it. */
export interface Syntax<T> {
  /** In words, for messages and for the reference: `a duration like 90s or 1h30m`. */
  readonly wanted: string;
  readonly schema: JsonSchema;
  /** Reports every problem there is. Undefined: there is nothing to go on with. */
  read(node: SourceNode, place: Place): T | undefined;
}

/** The kinds of values that a document has. */
type Kind = Exclude<SourceNode['kind'], 'invalid'>;
type NodeOf<K extends Kind> = Extract<SourceNode, { readonly kind: K }>;

/** Reports that something else is wanted, once for each mistake. */
export function unexpected(node: SourceNode, place: Place, wanted: string): undefined {
  if (node.kind === 'invalid') return undefined;
  return place.problem(node.offset, `this must be ${wanted}, not ${kindText(node)}`);
}

/** A syntax for values of some kinds; all others are refused. */
export function scalar<K extends Kind, R>(
  wanted: string,
  kinds: readonly K[],
  schema: JsonSchema,
  read: (node: NodeOf<K>, place: Place) => R,
): Syntax<Exclude<R, undefined>> {
  const accepted: readonly string[] = kinds;
  return {
    wanted,
    schema,
    read: (node, place) =>
      accepted.includes(node.kind)
        ? (read(node as NodeOf<K>, place) as Exclude<R, undefined> | undefined)
        : unexpected(node, place, wanted),
  };
}

/** The same places, with something else made of what is read. */
export function mapped<T, R>(
  syntax: Syntax<T>,
  map: (value: T, node: SourceNode, place: Place) => R,
): Syntax<Exclude<R, undefined>> {
  return {
    ...syntax,
    read(node, place) {
      const value = syntax.read(node, place);
      return value === undefined ? undefined : (map(value, node, place) as Exclude<R, undefined> | undefined);
    },
  };
}

/** One syntax for each kind of value that may stand there. */
export function either<T>(
  wanted: string,
  byKind: { readonly [K in Kind]?: Syntax<T> },
  schema: JsonSchema = { anyOf: distinct(Object.values(byKind).map((syntax) => syntax.schema)) },
): Syntax<T> {
  return {
    wanted,
    schema,
    read(node, place) {
      const syntax = node.kind === 'invalid' ? undefined : byKind[node.kind];
      return syntax === undefined ? unexpected(node, place, wanted) : syntax.read(node, place);
    },
  };
}

function distinct(schemas: readonly JsonSchema[]): readonly JsonSchema[] {
  return schemas.filter((schema, i) => schemas.indexOf(schema) === i);
}

/** A syntax whose schema stands once among the definitions of the whole, and is referred to by its name. */
export function named<T>(name: string, syntax: Syntax<T>): Syntax<T> {
  const schema = { $ref: `#/definitions/${name}` };
  namedSchemas.set(schema, { name, schema: syntax.schema });
  return { ...syntax, schema };
}

const namedSchemas = new WeakMap<JsonSchema, { readonly name: string; readonly schema: JsonSchema }>();

/** All schemas with names that a schema refers to, by name, those behind others too. */
export function definitionsIn(schema: JsonSchema): ReadonlyMap<string, JsonSchema> {
  const found = new Map<string, JsonSchema>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const definition = namedSchemas.get(value);
    if (definition !== undefined && !found.has(definition.name)) {
      found.set(definition.name, definition.schema);
      visit(definition.schema);
    }
    for (const part of Object.values(value)) visit(part);
  };
  visit(schema);
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A value, and where it stands. */
export interface Located<T> {
  readonly value: T;
  readonly offset: number;
  readonly place: Place;
}

export function located<T>(syntax: Syntax<T>): Syntax<Located<T>> {
  return mapped(syntax, (value, { offset }, place) => ({ value, offset, place }));
}
