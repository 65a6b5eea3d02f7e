import type { StandardSchemaV1 } from '@standard-schema/spec';
import { describe, expect, it } from 'vitest';
import type { InvalidArgumentError } from './errors.js';
import { jsonSpec, schemaSpec } from './json-spec.js';

interface Machine {
  cpus: number;
  tier: string;
}

/** A schema by hand, as a library would give it: with a default, and issues with paths in both of their forms. */
function machineSchema(): StandardSchemaV1<{ cpus: number; tier?: string }, Machine> {
  return {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate(value) {
        const { cpus, tier = 'web', disks = [] } = value as Machine & { disks?: unknown[] };
        const issues: StandardSchemaV1.Issue[] = [];
        if (typeof cpus !== 'number') issues.push({ message: 'must be a number', path: [{ key: 'cpus' }] });
        for (const [i, disk] of disks.entries()) {
          if (typeof disk !== 'string') issues.push({ message: 'must be a string', path: ['disks', i] });
        }
        return issues.length > 0 ? { issues } : { value: { cpus, tier } };
      },
    },
  };
}

const schemaThat = (result: unknown): StandardSchemaV1<object, object> => ({
  '~standard': { version: 1, vendor: 'test', validate: () => result as StandardSchemaV1.Result<object> },
});

function failure(make: () => unknown): InvalidArgumentError {
  try {
    make();
  } catch (error) {
    return error as InvalidArgumentError;
  }
  throw new Error('it was taken');
}

describe('schemaSpec', () => {
  const codec = schemaSpec(machineSchema());

  it('R9: gives what the schema makes of the input, frozen', () => {
    const spec = codec.parse({ cpus: 2 });
    expect(spec).toEqual({ cpus: 2, tier: 'web' });
    expect(Object.isFrozen(spec)).toBe(true);
    expect(codec.parse(spec)).toEqual(spec);
    expect(codec.fromJson({ cpus: 1 })).toEqual({ cpus: 1, tier: 'web' });
  });

  it('R9: what the schema refuses is an invalid argument with all paths in the message and the first in the error', () => {
    const error = failure(() => codec.parse({ cpus: 'two', disks: ['a', 1] } as never));
    expect(error.code).toBe('invalid-argument');
    expect(error.message).toBe('spec.cpus: must be a number; spec.disks[1]: must be a string');
    expect(error.path).toEqual(['cpus']);
  });

  it('R9: issues without a path, with a symbol, or none at all are reported too', () => {
    const refuse = (issues: readonly StandardSchemaV1.Issue[]) =>
      failure(() => schemaSpec(schemaThat({ issues })).parse({})).message;
    expect(refuse([{ message: 'is odd' }])).toBe('spec: is odd');
    expect(refuse([{ message: 'is odd', path: [Symbol('s')] }])).toBe('spec.Symbol(s): is odd');
    expect(refuse([])).toBe('spec: is refused');
  });

  it('R9: a schema must not be asynchronous, and its failure does not float', async () => {
    const rejected = Promise.reject(new Error('late'));
    expect(failure(() => schemaSpec(schemaThat(rejected)).parse({}))).toBeInstanceOf(TypeError);
    expect(failure(() => schemaSpec(schemaThat(Promise.resolve({ value: {} }))).parse({}))).toBeInstanceOf(TypeError);
    await new Promise(setImmediate);
  });

  it('R9: what a schema gives must be JSON-like', () => {
    expect(failure(() => schemaSpec(schemaThat({ value: { at: new Date(0) } })).parse({})).path).toEqual(['at']);
    expect(failure(() => schemaSpec(schemaThat({ value: [] })).parse({})).message).toBe('spec: must be an object');
  });
});

describe('jsonSpec', () => {
  const codec = jsonSpec<{ a?: number; list?: number[] }>();

  it('R8: copies and freezes, and drafts are copies again', () => {
    const input = { list: [1] };
    const spec = codec.parse(input);
    input.list.push(2);
    expect(spec).toEqual({ list: [1] });
    const draft = codec.draft(spec);
    draft.list?.push(3);
    expect(spec).toEqual({ list: [1] });
    expect(codec.parse(draft)).toEqual({ list: [1, 3] });
    expect(codec.blank()).toEqual({});
    expect(codec.blank()).not.toBe(codec.blank());
  });

  it.each([null, [], 'text', 1, undefined])('R9: refuses %j, which is no object', (input) => {
    expect(failure(() => codec.parse(input as never)).code).toBe('invalid-argument');
  });
});
