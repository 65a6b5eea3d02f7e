import { describe, expect, it } from 'vitest';
import { NamespaceType, namespaceResource, ResourceDefinitionType, resourceDefinition } from './built-in-types.js';
import type { JsonValue } from './frozen-data.js';
import { defineResource } from './resource-type.js';

const VMConfig = defineResource({
  type: 'VMConfigs.vms.example',
  namespace: 'vms',
  aliases: ['machine'],
  printColumns: [{ name: 'Power', jsonPath: '{.power}' }],
  sensitivity: 'sensitive',
});

function pathOfFailure(json: JsonValue): unknown {
  try {
    return ResourceDefinitionType.codec.fromJson(json);
  } catch (error) {
    return (error as { path?: unknown }).path;
  }
}

describe('the built-in types', () => {
  it('R11: a namespace is registered in meta, owned by meta', () => {
    const { metadata, spec } = namespaceResource('vms', 'Machines');
    expect(metadata).toMatchObject({ namespace: 'meta', type: 'Namespaces.meta.cosi.dev', id: 'vms', owner: 'meta' });
    expect(spec).toEqual({ description: 'Machines' });
    expect(namespaceResource('vms').spec).toEqual({ description: '' });
  });

  it('R11: a type is registered in meta, owned by meta, under its name in lower case', () => {
    const { metadata, spec } = resourceDefinition(VMConfig);
    expect(metadata).toMatchObject({
      namespace: 'meta',
      type: 'ResourceDefinitions.meta.cosi.dev',
      id: 'vmconfigs.vms.example',
      owner: 'meta',
    });
    expect(spec).toEqual({
      type: 'VMConfigs.vms.example',
      displayType: 'VMConfig',
      defaultNamespace: 'vms',
      aliases: ['machine', 'vmconfig', 'vmc', 'vmcs'],
      allAliases: ['vmconfigs', 'vmconfigs.vms', 'machine', 'vmconfig', 'vmc', 'vmcs'],
      printColumns: [{ name: 'Power', jsonPath: '{.power}' }],
      sensitivity: 'sensitive',
    });
  });

  it('R11: the built-in types can be registered themselves', () => {
    expect(resourceDefinition(NamespaceType).spec.aliases).toEqual(['ns', 'namespace']);
    expect(resourceDefinition(ResourceDefinitionType).spec).toEqual({
      type: 'ResourceDefinitions.meta.cosi.dev',
      displayType: 'ResourceDefinition',
      defaultNamespace: 'meta',
      aliases: ['api-resources', 'resourcedefinition', 'rd', 'rds'],
      allAliases: [
        'resourcedefinitions',
        'resourcedefinitions.meta',
        'resourcedefinitions.meta.cosi',
        'api-resources',
        'resourcedefinition',
        'rd',
        'rds',
      ],
      printColumns: [{ name: 'Aliases', jsonPath: '{.aliases[:]}' }],
    });
  });

  it('R11: a definition prints its keys in their order, and leaves out what has its usual value', () => {
    const { codec } = ResourceDefinitionType;
    expect(Object.keys(codec.toJson(codec.fromJson({ sensitivity: 'non-sensitive', type: 'A' })) as object)).toEqual([
      'type',
      'displayType',
      'defaultNamespace',
      'aliases',
      'allAliases',
      'printColumns',
    ]);
    expect(Object.keys(codec.fromJson({ sensitivity: 'sensitive', skipAutomaticAliases: true })).slice(5)).toEqual([
      'skipAutomaticAliases',
      'printColumns',
      'sensitivity',
    ]);
  });

  it('R11: fields that are absent, null or unknown do no harm, and fields of a wrong kind are named', () => {
    expect(NamespaceType.codec.fromJson({ description: null, colour: 'red' })).toEqual({ description: '' });
    expect(pathOfFailure({ aliases: { a: 'b' } })).toEqual(['aliases']);
    expect(pathOfFailure({ allAliases: ['a', 1] })).toEqual(['allAliases', 1]);
    expect(pathOfFailure({ printColumns: [{}, { name: 1 }] })).toEqual(['printColumns', 1, 'name']);
    expect(pathOfFailure({ printColumns: ['a'] })).toEqual(['printColumns', 0]);
    expect(pathOfFailure({ sensitivity: 'secret' })).toEqual(['sensitivity']);
    expect(pathOfFailure({ skipAutomaticAliases: 1 })).toEqual(['skipAutomaticAliases']);
    expect(pathOfFailure([])).toEqual([]);
  });
});
