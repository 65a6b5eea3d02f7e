import { expect, it } from 'vitest';
import { formatCount, shortName } from './format.js';

it('keeps thousands apart', () => {
  expect(formatCount(8189)).toBe('8,189');
});

it('names controllers and types without what they have in common', () => {
  const names = ['Destroy[VMConfigs.vms.cosi.dev]', 'vms/Hosts.vms.cosi.dev', 'VMController', 'machine events'];
  expect(names.map(shortName)).toEqual(['Destroy[VMConfigs]', 'Hosts', 'VMController', 'machine events']);
});
