import type { JsonValue } from '@cosi-ts/resource';
import { expect, it } from 'vitest';
import type { JsonObject } from '../json.js';
import { outputsText } from './outputs-text.js';

function nested(depth: number): JsonValue {
  let value: JsonValue = 1;
  for (let i = 0; i < depth; i++) value = [value];
  return value;
}

it('is JSON', () => {
  expect(outputsText({ a: [1, { b: null }], c: 'x' })).toBe('{"a":[1,{"b":null}],"c":"x"}');
  expect(outputsText({ a: nested(99) })).toContain('[[1]]');
});

it.each([
  ['a number of no JSON', { a: 1n }, 'BigInt'],
  ['no object', [1], 'no object'],
  ['nothing', undefined, 'no object'],
  ['very deep', { a: nested(100) }, 'nested too deeply'],
  ['so deep that nothing can read it', { a: nested(1_000_000) }, 'nested too deeply'],
])('refuses what is %s', (_, outputs, reason) => {
  expect(() => outputsText(outputs as unknown as JsonObject)).toThrow(reason);
});

it('refuses what is within itself', () => {
  const outputs: Record<string, unknown> = {};
  outputs.self = outputs;
  expect(() => outputsText(outputs as JsonObject)).toThrow('nested too deeply');
});
