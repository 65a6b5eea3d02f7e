import { NamespaceType, ResourceDefinitionType } from './built-in-types.js';
import { definitionOf } from './definition.js';
import { InvalidArgumentError, isCosiError } from './errors.js';
import type { AnyResourceType } from './spec-content.js';
import { definitionId } from './type-name.js';

/** Finds declarations by the name of the type: a registry, or a `Map`. */
export interface TypeLookup {
  get(type: string): AnyResourceType | undefined;
}

/**
 * The declarations that are known by name, for who works with types by name: YAML, command lines, consoles, servers.
 * Immutable. Made by {@link createTypeRegistry}.
 */
export class TypeRegistry implements TypeLookup, Iterable<AnyResourceType> {
  readonly #byType: ReadonlyMap<string, AnyResourceType>;
  readonly #byName: ReadonlyMap<string, readonly AnyResourceType[]>;

  constructor(types: Iterable<AnyResourceType>) {
    const byType = new Map<string, AnyResourceType>();
    for (const type of types) {
      const known = byType.get(type.type);
      if (known !== undefined && known !== type) {
        throw new InvalidArgumentError(`there are two declarations of the resource type ${JSON.stringify(type.type)}`);
      }
      byType.set(type.type, type);
    }
    this.#byType = byType;
    this.#byName = namesOf(byType.values());
    Object.freeze(this);
  }

  /** The declaration of the type with exactly that name. */
  get(type: string): AnyResourceType | undefined {
    return this.#byType.get(type);
  }

  /**
   * The declarations that a person may mean, in the order in which they were given: the name of the type in any case, or
   * one of its aliases. Several, when an alias is not unique.
   */
  find(name: string): readonly AnyResourceType[] {
    const type = this.#byType.get(name);
    return type === undefined ? (this.#byName.get(name.toLowerCase()) ?? []) : [type];
  }

  [Symbol.iterator](): IterableIterator<AnyResourceType> {
    return this.#byType.values();
  }
}

/**
 * A registry of the declarations and of the two built-in types, unless others are given for those. Throws
 * `invalid-argument` for two declarations of one type.
 */
export function createTypeRegistry(types: Iterable<AnyResourceType> = []): TypeRegistry {
  const given = [...types];
  const builtIn = [NamespaceType, ResourceDefinitionType].filter(({ type }) => given.every((own) => own.type !== type));
  return new TypeRegistry([...builtIn, ...given]);
}

function namesOf(types: Iterable<AnyResourceType>): ReadonlyMap<string, readonly AnyResourceType[]> {
  const byName = new Map<string, AnyResourceType[]>();
  for (const type of types) {
    for (const name of new Set([definitionId(type.type), ...aliasesOf(type)].map((alias) => alias.toLowerCase()))) {
      const found = byName.get(name);
      if (found === undefined) byName.set(name, [type]);
      else found.push(type);
    }
  }
  return byName;
}

/** Types whose names are not made for registering are found too, by what was declared for them. */
function aliasesOf(type: AnyResourceType): readonly string[] {
  try {
    return definitionOf(type).allAliases;
  } catch (error) {
    if (!isCosiError(error)) throw error;
    return type.aliases;
  }
}
