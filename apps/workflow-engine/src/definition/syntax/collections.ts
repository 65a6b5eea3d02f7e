import { suggestion } from '../../expression/near-names.js';
import type { SourceNode } from '../source-node.js';
import type { JsonSchema } from './json-schema.js';
import { either, type Syntax, scalar, unexpected } from './syntax.js';

/** A list, without the items that could not be read. */
export function list<T>(wanted: string, item: Syntax<T>, minItems = 0): Syntax<readonly T[]> {
  const schema: JsonSchema = { type: 'array', items: item.schema, ...(minItems > 0 ? { minItems } : {}) };
  return scalar(wanted, ['list'], schema, ({ items, offset }, place) => {
    if (items.length < minItems) return place.problem(offset, `this must be ${wanted}, and not empty`);
    return items.flatMap((node, i) => item.read(node, place.at(i)) ?? []);
  });
}

/** One, or a list of them. */
export function oneOrMore<T>(wanted: string, item: Syntax<T>): Syntax<readonly T[]> {
  const one: Syntax<readonly T[]> = {
    ...item,
    read(node, place) {
      const value = item.read(node, place);
      return value === undefined ? undefined : [value];
    },
  };
  return either(
    wanted,
    { text: one, number: one, boolean: one, list: list(wanted, item) },
    {
      anyOf: [item.schema, { type: 'array', items: item.schema }],
    },
  );
}

/** A map whose keys its author chooses, with the values that could be read. */
export function dictionary<T>(wanted: string, key: Syntax<string>, value: Syntax<T>): Syntax<ReadonlyMap<string, T>> {
  const schema: JsonSchema = { type: 'object', propertyNames: key.schema, additionalProperties: value.schema };
  return scalar(wanted, ['map'], schema, ({ entries }, place) => {
    const found = new Map<string, T>();
    for (const entry of entries) {
      const here = place.at(entry.key);
      key.read(keyNode(entry.key, entry.keyOffset), here);
      const read = value.read(entry.value, here);
      if (read !== undefined) found.set(entry.key, read);
    }
    return found;
  });
}

function keyNode(key: string, offset: number): SourceNode {
  return { kind: 'text', text: { text: key, at: () => offset }, offset };
}

/** One key of a map with fixed keys. */
export interface Field<T> {
  readonly syntax: Syntax<T>;
  /** What it is for, in a sentence or two, for editors and the reference. */
  readonly doc: string;
  readonly required?: boolean;
  /** As the reference tells it. */
  readonly default?: string | number | boolean;
  /** What others call it. Whoever writes that is told of this key. */
  readonly also?: readonly string[];
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** What is read of fields; undefined: not there, or not to be read. */
export type Values<F extends Fields> = {
  readonly [K in keyof F]: (F[K] extends Field<infer T> ? T : never) | undefined;
};

export interface ObjectSyntax<F extends Fields> extends Syntax<Values<F>> {
  readonly fields: F;
}

export interface ObjectOptions {
  /** What it is, where a key is none of its. Default: `this map`. */
  readonly noun?: string;
  /** Of keys that belong elsewhere, or that there are not: what to do instead. */
  readonly hints?: Readonly<Record<string, string>>;
  /** Whether keys that begin with `x-` are passed over, which gives anchors a place. Default: false. */
  readonly extensible?: boolean;
}

/** A map with fixed keys. */
export function object<const F extends Fields>(
  wanted: string,
  fields: F,
  { noun = 'this map', hints = {}, extensible = false }: ObjectOptions = {},
): ObjectSyntax<F> {
  const schema = objectSchema(fields);
  const names: Names = {
    ...namesOf(fields),
    hints: new Map(Object.entries(hints).map(([key, hint]) => [plain(key), hint])),
  };
  return {
    wanted,
    fields,
    schema: extensible ? { ...schema, patternProperties: { '^x-': {} } } : schema,
    read(node, place) {
      if (node.kind !== 'map') return unexpected(node, place, wanted);
      const values: Record<string, unknown> = {};
      const meant = new Set<string>();
      for (const { key, keyOffset, value } of node.entries) {
        if (extensible && key.startsWith('x-')) continue;
        const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
        const here = place.at(key);
        if (field === undefined) {
          here.problem(keyOffset, unknownKey(key, noun, names));
          meant.add(names.meant.get(plain(key)) ?? '');
        } else values[key] = field.syntax.read(value, here);
      }
      for (const [key, { required }] of Object.entries(fields)) {
        if (required === true && !meant.has(key) && !node.entries.some((entry) => entry.key === key)) {
          place.problem(node.offset, `${key} is missing`);
        }
      }
      return values as Values<F>;
    },
  };
}

/** Whether a key is there, whether or not its value could be read. */
export function hasKey(node: SourceNode, key: string): boolean {
  return keyOffset(node, key) !== undefined;
}

export function keyOffset(node: SourceNode, key: string): number | undefined {
  return node.kind === 'map' ? node.entries.find((entry) => entry.key === key)?.keyOffset : undefined;
}

/** Without regard to how words are put together. */
function plain(name: string): string {
  return name.replace(/[-_\s]/g, '').toLowerCase();
}

/** What the keys of a map are known by. */
interface Names {
  readonly keys: readonly string[];
  /** Its keys by what others call them. */
  readonly meant: ReadonlyMap<string, string>;
  readonly hints: ReadonlyMap<string, string>;
}

function namesOf(fields: Fields): Pick<Names, 'keys' | 'meant'> {
  const keys = Object.keys(fields);
  const meant = new Map<string, string>();
  for (const key of keys) {
    for (const name of [key, ...(fields[key]?.also ?? [])]) if (!meant.has(plain(name))) meant.set(plain(name), key);
  }
  return { keys, meant };
}

function unknownKey(key: string, noun: string, { keys, meant, hints }: Names): string {
  const hint = hints.get(plain(key));
  if (hint !== undefined) return `there is no key ${key} here: ${hint}`;
  const same = meant.get(plain(key));
  if (same !== undefined) return `there is no key ${key}; did you mean ${same}?`;
  const near = suggestion(key, keys);
  return near === '' ? `${key} is no key of ${noun}; there are ${keys.join(', ')}` : `there is no key ${key}${near}`;
}

function objectSchema(fields: Fields): JsonSchema {
  const entries = Object.entries(fields);
  const required = entries.filter(([, field]) => field.required === true).map(([key]) => key);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([key, field]) => [key, fieldSchema(field)])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

function fieldSchema(field: Field<unknown>): JsonSchema {
  const { syntax, doc } = field;
  const more = { description: doc, ...(field.default === undefined ? {} : { default: field.default }) };
  // Draft 7 takes no notice of what stands beside a reference.
  return syntax.schema.$ref === undefined ? { ...syntax.schema, ...more } : { allOf: [syntax.schema], ...more };
}
