import type { Access } from '@cosi-ts/state';
import { type ReadRoles, readRoles } from './read-roles.js';
import type { Rule, VerbName } from './rule.js';
import { ValuePart } from './value-part.js';
import { yamlPart } from './yaml-part.js';

/** What a role allows: these verbs, on resources of these types in these namespaces. */
export interface RoleRule {
  /** `readonly` stands for get, list and watch, `*` alone for all. */
  readonly verbs: readonly (VerbName | 'readonly' | '*')[];
  /** Whole names, or `*` alone for all. */
  readonly namespaces: readonly string[];
  /** Whole names, or `*` alone for all. */
  readonly types: readonly string[];
  /**
   * Regular expressions in RE2 syntax, of which one must match the whole id. Such a rule does not allow to list or watch
   * whole kinds. Default: all ids.
   */
  readonly ids?: readonly string[] | undefined;
}

export interface RolesInput {
  readonly roles: Readonly<Record<string, readonly RoleRule[]>>;
  /** The roles of each identity. Those of `*` are everyone's who has an identity. */
  readonly bindings: Readonly<Record<string, readonly string[]>>;
}

/** Who may do what. What no role allows is denied. */
export class Roles {
  readonly #bound: ReadonlyMap<string, readonly Rule[]>;
  readonly #everyone: readonly Rule[];

  private constructor({ roles, bindings }: ReadRoles) {
    const rulesOf = (names: readonly string[]) => names.flatMap((name) => roles.get(name) ?? []);
    this.#everyone = rulesOf(bindings.get('*') ?? []);
    this.#bound = new Map([...bindings].map(([identity, names]) => [identity, rulesOf(names)]));
  }

  /** Throws `invalid-argument` with the path of what is wrong, and what to write instead. */
  static from(input: RolesInput): Roles {
    return new Roles(readRoles(new ValuePart(input)));
  }

  /** Reads YAML of the same form. Throws a `YamlError` with line and column of what is wrong, and what to write instead. */
  static parse(text: string): Roles {
    if (typeof text !== 'string') throw new TypeError('roles are parsed from a text: a file is to be read as UTF-8');
    return new Roles(readRoles(yamlPart(text)));
  }

  /** Without an identity nothing is allowed. */
  allows(identity: string | undefined, access: Access): boolean {
    if (identity === undefined || identity === '') return false;
    const allowed = (rule: Rule) => rule.allows(access);
    // No identity is called like the mark for everyone.
    const own = identity === '*' ? [] : (this.#bound.get(identity) ?? []);
    return own.some(allowed) || this.#everyone.some(allowed);
  }
}
