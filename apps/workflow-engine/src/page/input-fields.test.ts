import { describe, expect, it } from 'vitest';
import type { InputView } from '../http/workflow-view.js';
import { firstTexts, valuesOf } from './input-fields.js';

const input = (name: string, type: string, more: Partial<InputView> = {}): InputView => ({
  ...{ name, type, description: '', required: true, default: null, options: [] },
  ...more,
});
const withDefault = (name: string, type: string, value: InputView['default'], options: InputView['options'] = []) =>
  input(name, type, { required: false, default: value, options });

describe('the fields of inputs', () => {
  it('begin with the defaults, which come back as they were', () => {
    const inputs = [
      withDefault('who', 'string', 'you'),
      withDefault('count', 'number', 2),
      withDefault('dry', 'boolean', false),
      withDefault('names', 'list', ['a']),
      withDefault('more', 'object', { a: 1 }),
      withDefault('size', 'string', 'm', ['s', 'm']),
    ];
    expect(valuesOf(inputs, firstTexts(inputs))).toEqual({
      values: { who: 'you', count: 2, dry: false, names: ['a'], more: { a: 1 }, size: 'm' },
    });
  });

  it('leaves to its default what was emptied, but for texts, which are empty then', () => {
    const inputs = [withDefault('count', 'number', 2), withDefault('who', 'string', 'you')];
    expect(valuesOf(inputs, { count: ' ', who: '' })).toEqual({ values: { who: '' } });
  });

  it('says of each what is wrong', () => {
    const inputs = [
      input('who', 'string'),
      input('count', 'number'),
      input('names', 'list'),
      input('more', 'object'),
      input('dry', 'boolean'),
    ];
    expect(valuesOf(inputs, { who: '', count: 'two', names: '{}', more: '[]', dry: '1' })).toEqual({
      errors: {
        who: 'It must be given.',
        count: 'It is no number.',
        names: 'It is no list in JSON, like ["a", "b"].',
        more: 'It is no object in JSON, like {"a": 1}.',
        dry: 'It is neither true nor false.',
      },
    });
  });
});
