import { describe, expect, it } from 'vitest';
import { NamespaceType, ResourceDefinitionType } from './built-in-types.js';
import { isInvalidArgument } from './error-guards.js';
import { defineResource } from './resource-type.js';
import { createTypeRegistry } from './type-registry.js';

const VMConfig = defineResource({ type: 'VMConfigs.vms.example', namespace: 'vms', aliases: ['machine'] });
const VMCounter = defineResource({
  type: 'VMCounters.vms.example',
  namespace: 'vms',
  skipAutomaticAliases: true,
  aliases: ['VMC'],
});
const path = defineResource({ type: 'os/path', namespace: 'default', aliases: ['p'] });

describe('createTypeRegistry', () => {
  const registry = createTypeRegistry([VMConfig, VMCounter, path]);

  it('R9: finds a declaration by the exact name of its type', () => {
    expect(registry.get('VMConfigs.vms.example')).toBe(VMConfig);
    expect(registry.get('vmconfigs.vms.example')).toBeUndefined();
    expect(registry.get('machine')).toBeUndefined();
    expect(registry.get('os/path')).toBe(path);
  });

  it('R9: finds declarations by the names that people use, in any case', () => {
    for (const name of ['VMConfigs.vms.example', 'vmconfigs.VMS.example', 'vmconfig', 'VMConfigs', 'vmcs', 'machine']) {
      expect(registry.find(name)).toEqual([VMConfig]);
    }
    expect(registry.find('p')).toEqual([path]);
    expect(registry.find('vmcounters')).toEqual([]);
    expect(registry.find('nothing')).toEqual([]);
  });

  it('R9: an alias that is not unique finds all that it may mean', () => {
    expect(registry.find('vmc')).toEqual([VMConfig, VMCounter]);
  });

  it('R11: knows the built-in types, unless others are given for them', () => {
    expect(registry.find('ns')).toEqual([NamespaceType]);
    expect(registry.find('api-resources')).toEqual([ResourceDefinitionType]);
    expect([...registry]).toEqual([NamespaceType, ResourceDefinitionType, VMConfig, VMCounter, path]);
    const own = defineResource({ type: NamespaceType.type, namespace: 'meta' });
    expect(createTypeRegistry([own]).get(own.type)).toBe(own);
  });

  it('takes one declaration twice, and refuses two of one type', () => {
    expect([...createTypeRegistry([path, path])]).toHaveLength(3);
    const other = defineResource({ type: 'os/path', namespace: 'other' });
    let failure: unknown;
    try {
      createTypeRegistry([path, other]);
    } catch (error) {
      failure = error;
    }
    expect(isInvalidArgument(failure)).toBe(true);
  });
});
