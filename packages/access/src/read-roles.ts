import { type IdQuery, isInvalidArgument } from '@cosi-ts/resource';
import { verbs } from '@cosi-ts/state';
import type { Entry, Part } from './part.js';
import { Rule, type VerbName, wholeId } from './rule.js';

/** What stands for all there are. */
const all = '*';

/** What each role allows, and which roles each identity has. */
export interface ReadRoles {
  readonly roles: ReadonlyMap<string, readonly Rule[]>;
  /** By identity; `*` is everyone who has one. */
  readonly bindings: ReadonlyMap<string, readonly string[]>;
}

/** Throws an error that says where and what is wrong, and what to write instead. */
export function readRoles(part: Part): ReadRoles {
  const fields = fieldsOf(part, 'the description', ['roles', 'bindings']);
  const roles = new Map(
    required(fields, 'roles', part, 'roles:\n  viewer: […]')
      .entries('roles')
      .map(({ key, value }) => [key, value.items(`role ${key}`).map(readRule)] as const),
  );
  const bindings = new Map(
    required(fields, 'bindings', part, 'bindings:\n  alice: [viewer]')
      .entries('bindings')
      .map(({ key, keyPart, value }) => {
        if (key === '') throw keyPart.fault("an identity cannot be empty: write '*' for everyone who has one");
        return [key, value.items(`the roles of ${key}`).map((item) => knownRole(item, roles))] as const;
      }),
  );
  return { roles, bindings };
}

const ruleFields = ['verbs', 'namespaces', 'types', 'ids'] as const;

function readRule(part: Part): Rule {
  const fields = fieldsOf(part, 'a rule', ruleFields);
  const verbNames = names(required(fields, 'verbs', part, 'verbs: [readonly]'), 'verbs', readVerb);
  const namespaces = names(required(fields, 'namespaces', part, "namespaces: ['*']"), 'namespaces', readName);
  const types = names(required(fields, 'types', part, "types: ['*']"), 'types', readName);
  const ids = fields.get('ids')?.value;
  return new Rule({
    verbs: verbNames && new Set(verbNames.flat()),
    namespaces: namespaces && new Set(namespaces),
    types: types && new Set(types),
    ids: ids && filled(ids, 'ids').map(readPattern),
  });
}

function knownRole(part: Part, roles: ReadonlyMap<string, unknown>): string {
  const name = part.text('a role');
  if (roles.has(name)) return name;
  throw part.fault(`there is no role ${JSON.stringify(name)}: ${choice([...roles.keys()])}`);
}

/** The names in a list; undefined when it says that all are meant. */
function names<T>(part: Part, what: string, read: (item: Part, name: string) => T): readonly T[] | undefined {
  const items = filled(part, what).map((item) => [item, item.text(`an item of ${what}`)] as const);
  const star = items.find(([, name]) => name === all);
  if (star === undefined) return items.map(([item, name]) => read(item, name));
  if (items.length > 1) throw star[0].fault(`'*' means all ${what}: leave out the others, or the star`);
  return undefined;
}

function filled(part: Part, what: string): readonly Part[] {
  const items = part.items(what);
  if (items.length === 0)
    throw part.fault(`${what} is empty, so the rule allows nothing: name some, or remove the rule`);
  return items;
}

const readonlyVerbs = Object.values(verbs).flatMap(({ name, readonly }) => (readonly ? [name] : []));

function readVerb(part: Part, name: string): readonly VerbName[] {
  if (name === 'readonly') return readonlyVerbs;
  const verb = Object.values(verbs).find((each) => each.name === name);
  if (verb !== undefined) return [verb.name];
  throw part.fault(
    `there is no verb ${JSON.stringify(name)}: ${choice([...Object.keys(verbs), 'readonly (get, list, watch)', "'*'"])}`,
  );
}

function readName(part: Part, name: string): string {
  if (name === '') throw part.fault("a name cannot be empty: write '*' for all");
  if (name.includes(all)) throw part.fault(`${JSON.stringify(name)} is no name: write whole names, or '*' for all`);
  return name;
}

function readPattern(part: Part): IdQuery {
  const pattern = part.text('an item of ids');
  if (pattern === '') throw part.fault("a pattern cannot be empty, as no id is: leave out ids for all, or write '.*'");
  try {
    return wholeId(pattern);
  } catch (error) {
    if (!isInvalidArgument(error)) throw error;
    throw part.fault(`${error.message}: write a regular expression in RE2 syntax that the whole id matches`);
  }
}

function fieldsOf(part: Part, what: string, known: readonly string[]): ReadonlyMap<string, Entry> {
  const entries = part.entries(what);
  for (const { key, keyPart } of entries) {
    if (!known.includes(key)) throw keyPart.fault(`${what} has no field ${JSON.stringify(key)}: ${choice(known)}`);
  }
  return new Map(entries.map((entry) => [entry.key, entry]));
}

function required(fields: ReadonlyMap<string, Entry>, name: string, parent: Part, instead: string): Part {
  const field = fields.get(name);
  if (field === undefined) throw parent.fault(`${name} is missing: write ${instead.replaceAll('\n', ' ')}`);
  return field.value;
}

function choice(names: readonly string[]): string {
  return names.length === 0 ? 'there are none' : `write one of ${names.join(', ')}`;
}
