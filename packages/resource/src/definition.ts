import { InvalidArgumentError } from './errors.js';
import type { PrintColumn, Sensitivity } from './resource-type.js';
import type { AnyResourceType } from './spec-content.js';
import { automaticAliases, parseTypeName, qualifiedPlurals } from './type-name.js';

/** What the registry of a state knows of a type: the spec of its `ResourceDefinition`. */
export interface ResourceDefinitionSpec {
  readonly type: string;
  /** The singular, for people. */
  readonly displayType: string;
  readonly defaultNamespace: string;
  /** The declared short names, then the derived ones. */
  readonly aliases: readonly string[];
  /** By what names a type can be asked for: more forms of the plural, then {@link aliases}. */
  readonly allAliases: readonly string[];
  /** Absent: false. It is not sent over the wire. */
  readonly skipAutomaticAliases?: true;
  readonly printColumns: readonly PrintColumn[];
  /** Absent: non-sensitive. */
  readonly sensitivity?: 'sensitive';
}

/** What a definition is derived from: a declaration. */
export type Declared = Pick<
  AnyResourceType,
  'type' | 'namespace' | 'aliases' | 'skipAutomaticAliases' | 'printColumns' | 'sensitivity'
>;

/**
 * The definition that a declaration is registered with.
 * Throws `invalid-argument` when the name of the type breaks a rule, or the sensitivity is unknown.
 */
export function definitionOf(declared: Declared): ResourceDefinitionSpec {
  const name = parseTypeName(declared.type);
  const skip = declared.skipAutomaticAliases;
  const aliases = skip ? declared.aliases : [...declared.aliases, ...automaticAliases(name)];
  return {
    type: declared.type,
    displayType: name.singular,
    defaultNamespace: declared.namespace,
    aliases,
    allAliases: skip ? aliases : [...qualifiedPlurals(name), ...aliases],
    ...(skip ? { skipAutomaticAliases: true } : {}),
    printColumns: declared.printColumns,
    ...(isSensitive(declared.sensitivity) ? { sensitivity: 'sensitive' } : {}),
  };
}

/** Throws `invalid-argument` when it is neither. */
function isSensitive(sensitivity: Sensitivity): boolean {
  if (sensitivity === 'sensitive') return true;
  if (sensitivity === 'non-sensitive') return false;
  throw new InvalidArgumentError(`unknown sensitivity ${JSON.stringify(sensitivity)}`);
}
