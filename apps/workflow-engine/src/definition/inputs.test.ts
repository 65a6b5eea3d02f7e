import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.js';
import { resolveInputs } from './inputs.js';
import { parseDefinition } from './parse-definition.js';

const { definition } = parseDefinition(`
name: demo
inputs:
  target: { type: string, description: Where to. }
  size: { default: m, options: [s, m, l] }
  count: { default: 3 }
  dryRun: { type: boolean, default: false }
  names: { type: list, default: [a] }
  more: { type: object, default: {} }
steps:
  build:
    run: make
`);
if (definition === undefined) throw new Error('the definition is broken');
const { inputs } = definition;

const defaults = { size: 'm', count: 3, dryRun: false, names: ['a'], more: {} };

describe('the inputs of a run', () => {
  it('are those that were given, and the defaults of the others', () => {
    expect(resolveInputs({ inputs }, { target: 'x', count: 0, names: [] })).toEqual({
      inputs: { target: 'x', ...defaults, count: 0, names: [] },
    });
  });

  it('that are null count as not given', () => {
    expect(resolveInputs({ inputs }, { target: 'x', count: null })).toEqual({ inputs: { target: 'x', ...defaults } });
  });

  it.each<[JsonObject, [string, string][]]>([
    [{}, [['target', 'the input target must be given, as a string: Where to.']]],
    [
      { target: 1, size: 'xl', count: '3', dryRun: 'no', names: {}, more: [] },
      [
        ['target', 'this must be a string, not 1'],
        ['size', 'this must be one of "s", "m", "l", not "xl"; did you mean l?'],
        ['count', 'this must be a number, not "3"'],
        ['dryRun', 'this must be a boolean, not "no"'],
        ['names', 'this must be a list, not {}'],
        ['more', 'this must be an object, not []'],
      ],
    ],
    [{ target: 'x', cuont: 1 }, [['cuont', 'there is no input cuont; did you mean count?']]],
    [
      { target: 'x', colour: 1 },
      [['colour', 'there is no input colour; there are target, size, count, dryRun, names, more']],
    ],
    [
      { target: 'x', constructor: 1 },
      [['constructor', 'there is no input constructor; there are target, size, count, dryRun, names, more']],
    ],
  ])('%j are refused', (given, problems) => {
    expect(resolveInputs({ inputs }, given)).toEqual({
      problems: problems.map(([input, message]) => ({ input, message })),
    });
  });

  it('of a workflow without any are none', () => {
    expect(resolveInputs({ inputs: new Map() }, {})).toEqual({ inputs: {} });
    expect(resolveInputs({ inputs: new Map() }, { a: 1 })).toEqual({
      problems: [{ input: 'a', message: 'there is no input a; the workflow takes none' }],
    });
  });
});
