import { describe, expect, it } from 'vitest';
import { automaticAliases, definitionId, parseTypeName, qualifiedPlurals } from './type-name.js';

describe('type names', () => {
  it('R10: have a plural in CamelCase and a suffix', () => {
    expect(parseTypeName('VMConfigs.vms.example.org')).toEqual({
      plural: 'VMConfigs',
      singular: 'VMConfig',
      suffix: 'vms.example.org',
    });
    expect(definitionId('VMConfigs.vms.example.org')).toBe('vmconfigs.vms.example.org');
  });

  it.each([
    ['Things', 'the suffix is missing'],
    ['.ab', 'the part before the dot is empty'],
    ['Things.', 'the suffix is empty'],
    ['things.ab', '"things" must be in CamelCase'],
    ['Thi_ngs.ab', '"Thi_ngs" doesn\'t match ^[A-Z][A-Za-z0-9-]+$'],
    ['Things.aB', 'the suffix "aB" doesn\'t match'],
    ['Thing.ab', '"Thing" must be a plural'],
  ])('R10: an error about %s says that %s', (type, rule) => {
    expect(() => parseTypeName(type)).toThrow(rule);
    expect(() => parseTypeName(type)).toThrow(JSON.stringify(type));
  });

  it('R10: give aliases from the singular, the capitals and the plural', () => {
    const of = (type: string) => automaticAliases(parseTypeName(type));
    expect(of('VMConfigs.ab')).toEqual(['vmconfig', 'vmc', 'vmcs']);
    expect(of('Machines.ab')).toEqual(['machine']);
    expect(of('VMS.ab')).toEqual(['vm', 'vms']);
    expect(of('IPs.ab')).toEqual(['ip', 'ip', 'ips']);
    expect(qualifiedPlurals(parseTypeName('VMConfigs.vms.example.org'))).toEqual([
      'vmconfigs',
      'vmconfigs.vms',
      'vmconfigs.vms.example',
    ]);
    expect(qualifiedPlurals(parseTypeName('Tasks.ab'))).toEqual(['tasks']);
  });
});
