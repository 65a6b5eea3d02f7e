import { definitionOf, type ResourceDefinitionSpec } from './definition.js';
import { checkedJsonSpec } from './json-spec.js';
import type { TypedResource } from './resource.js';
import { defineResource, type PrintColumn, type ResourceType } from './resource-type.js';
import type { AnyResourceType } from './spec-content.js';
import { invalidSpec, type SpecPath } from './spec-path.js';
import { definitionId } from './type-name.js';

/** Where the built-in types live, and who owns their resources. */
export const metaNamespace = 'meta';
export const metaOwner = 'meta';

export interface NamespaceSpec {
  readonly description: string;
}

/** Namespaces that someone thought worth describing. A namespace need not be registered to be used. */
export const NamespaceType: ResourceType<NamespaceSpec> = defineResource({
  type: 'Namespaces.meta.cosi.dev',
  namespace: metaNamespace,
  aliases: ['ns'],
  spec: {
    ...checkedJsonSpec<NamespaceSpec>((input) => {
      const fields = fieldsOf(input);
      return { description: text(fields, 'description') };
    }),
    scalars: 'text',
  },
});

/** The types that are registered in a state. */
export const ResourceDefinitionType: ResourceType<ResourceDefinitionSpec> = defineResource({
  type: 'ResourceDefinitions.meta.cosi.dev',
  namespace: metaNamespace,
  aliases: ['api-resources'],
  printColumns: [{ name: 'Aliases', jsonPath: '{.aliases[:]}' }],
  spec: {
    ...checkedJsonSpec<ResourceDefinitionSpec>((input) => {
      const fields = fieldsOf(input);
      return {
        type: text(fields, 'type'),
        displayType: text(fields, 'displayType'),
        defaultNamespace: text(fields, 'defaultNamespace'),
        aliases: texts(fields, 'aliases'),
        allAliases: texts(fields, 'allAliases'),
        ...(flag(fields, 'skipAutomaticAliases') ? { skipAutomaticAliases: true } : {}),
        printColumns: list(fields, 'printColumns').map(printColumn),
        ...(sensitive(fields) ? { sensitivity: 'sensitive' } : {}),
      };
    }),
    scalars: 'text',
  },
});

/** The resource that registers a namespace. */
export function namespaceResource(name: string, description = ''): TypedResource<NamespaceSpec> {
  return NamespaceType.new(name, { description }, { owner: metaOwner });
}

/**
 * The resource that registers a type. Throws `invalid-argument` when the name of the type breaks a rule of
 * {@link parseTypeName}.
 */
export function resourceDefinition(type: AnyResourceType): TypedResource<ResourceDefinitionSpec> {
  return ResourceDefinitionType.new(definitionId(type.type), definitionOf(type), { owner: metaOwner });
}

type Fields = { readonly [key: string]: unknown };

function fieldsOf(input: unknown, path: SpecPath = []): Fields {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) throw invalidSpec(path, 'must be an object');
  return input as Fields;
}

// An absent field and null are what peers take them for: the empty value of the field.
function text(fields: Fields, key: string, path: SpecPath = []): string {
  const value = fields[key] ?? '';
  if (typeof value !== 'string') throw invalidSpec([...path, key], 'must be a string');
  return value;
}

function list(fields: Fields, key: string): readonly unknown[] {
  const value = fields[key] ?? [];
  if (!Array.isArray(value)) throw invalidSpec([key], 'must be a list');
  return value;
}

function texts(fields: Fields, key: string): readonly string[] {
  return list(fields, key).map((item, i) => {
    if (typeof item !== 'string') throw invalidSpec([key, i], 'must be a string');
    return item;
  });
}

function flag(fields: Fields, key: string): boolean {
  const value = fields[key] ?? false;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw invalidSpec([key], 'must be true or false');
}

function printColumn(item: unknown, i: number): PrintColumn {
  const path = ['printColumns', i];
  const fields = fieldsOf(item, path);
  return { name: text(fields, 'name', path), jsonPath: text(fields, 'jsonPath', path) };
}

function sensitive(fields: Fields): boolean {
  const value = text(fields, 'sensitivity');
  if (value === 'sensitive') return true;
  if (value === '' || value === 'non-sensitive') return false;
  throw invalidSpec(['sensitivity'], `unknown sensitivity ${JSON.stringify(value)}`);
}
