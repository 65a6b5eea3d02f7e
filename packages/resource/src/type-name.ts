import pluralize from 'pluralize';
import { InvalidArgumentError } from './errors.js';

/** The parts of a type's name, for instance of `VMConfigs.vms.example.org`. */
export interface TypeName {
  /** `VMConfigs` */
  readonly plural: string;
  /** `VMConfig`, by the rules of English. */
  readonly singular: string;
  /** `vms.example.org` */
  readonly suffix: string;
}

const pluralForm = /^[A-Z][A-Za-z0-9-]+$/;
const suffixForm = /^[a-z][a-z0-9-]+(\.[a-z][a-z0-9-]+)*$/;

/**
 * Takes the name of a type apart that is to be registered. Types that are not registered may have any name.
 * Throws `invalid-argument` with the rule that the name breaks.
 */
export function parseTypeName(type: string): TypeName {
  const dot = type.indexOf('.');
  if (dot < 0) throw bad(type, 'the suffix is missing: it must have the form Plurals.suffix');
  const plural = type.slice(0, dot);
  const suffix = type.slice(dot + 1);
  if (plural === '') throw bad(type, 'the part before the dot is empty');
  if (suffix === '') throw bad(type, 'the suffix is empty');
  if (plural.charAt(0) !== plural.charAt(0).toUpperCase()) {
    throw bad(type, `${JSON.stringify(plural)} must be in CamelCase and begin with a capital`);
  }
  if (!pluralForm.test(plural)) throw bad(type, `${JSON.stringify(plural)} doesn't match ${pluralForm.source}`);
  if (!suffixForm.test(suffix))
    throw bad(type, `the suffix ${JSON.stringify(suffix)} doesn't match ${suffixForm.source}`);
  if (!pluralize.isPlural(plural)) throw bad(type, `${JSON.stringify(plural)} must be a plural`);
  return { plural, singular: pluralize.singular(plural), suffix };
}

function bad(type: string, rule: string): InvalidArgumentError {
  return new InvalidArgumentError(`bad name of a resource type, ${JSON.stringify(type)}: ${rule}`);
}

/** The id under which a type is registered. */
export function definitionId(type: string): string {
  return type.toLowerCase();
}

/** Short names for people that follow from the name of a type. */
export function automaticAliases({ plural, singular }: TypeName): readonly string[] {
  const capitals = plural.replace(/[^A-Z]/g, '');
  const aliases = [singular.toLowerCase()];
  if (capitals.length < 2) return aliases;
  const short = capitals.toLowerCase();
  return capitals.endsWith('S') ? [...aliases, short] : [...aliases, short, `${short}s`];
}

/** The plural in lower case, alone and with each proper prefix of the suffix. */
export function qualifiedPlurals({ plural, suffix }: TypeName): readonly string[] {
  const parts = suffix.split('.');
  return parts.map((_, count) => [plural.toLowerCase(), ...parts.slice(0, count)].join('.'));
}
