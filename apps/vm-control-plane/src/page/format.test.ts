import { expect, it } from 'vitest';
import { formatLabels, formatMemory, parseLabels } from './format.js';

it('prints memory in the unit that suits it', () => {
  expect([0, 512, 1024, 1536, 65_536, 1_048_576, 1_572_864].map(formatMemory)).toEqual([
    '0 MiB',
    '512 MiB',
    '1 GiB',
    '1.5 GiB',
    '64 GiB',
    '1 TiB',
    '1.5 TiB',
  ]);
});

it('reads the labels that it prints', () => {
  const labels = { zone: 'a', disk: 'ssd', empty: '' };
  expect(formatLabels(labels)).toBe('zone=a, disk=ssd, empty=');
  expect(parseLabels(formatLabels(labels))).toEqual(labels);
  expect(parseLabels('')).toEqual({});
  expect(parseLabels('zone')).toBeUndefined();
  expect(parseLabels('=a')).toBeUndefined();
});
