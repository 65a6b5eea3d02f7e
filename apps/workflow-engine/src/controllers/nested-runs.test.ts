import { expect, it } from 'vitest';
import { NestedRuns } from './nested-runs.js';

it('are counted by their root until they are over', () => {
  const runs = new NestedRuns(2);
  expect([runs.admit('a.1', 'a'), runs.admit('a.2', 'a'), runs.admit('a.3', 'a')]).toEqual([true, true, false]);
  expect(runs.admit('b.1', 'b')).toBe(true);
  expect(runs.admit('a.1', 'a')).toBe(true);
  runs.over('a.2');
  runs.over('a.2');
  runs.over('nobody');
  // Each that was refused ends another one, which would make room for it.
  expect([runs.admit('a.3', 'a'), runs.admit('a.4', 'a'), runs.admit('a.1', 'a')]).toEqual([false, false, true]);
  runs.over('a.1');
  expect([runs.admit('a.3', 'a'), runs.admit('a.4', 'a'), runs.admit('a.5', 'a')]).toEqual([true, true, false]);
});

it('that are there are counted however many they are', () => {
  const runs = new NestedRuns(1);
  for (const id of ['a.1', 'a.2', 'a.3']) runs.found(id, 'a');
  for (const id of ['a.1', 'a.2']) runs.over(id);
  expect(runs.admit('a.4', 'a')).toBe(false);
  runs.over('a.3');
  expect(runs.admit('a.4', 'a')).toBe(true);
});
