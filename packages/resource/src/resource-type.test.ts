import type { StandardSchemaV1 } from '@standard-schema/spec';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { TypedKind, TypedPointer } from './pointer.js';
import { defineResource } from './resource-type.js';
import type { SpecCodec } from './spec-codec.js';

interface Power {
  power: 'on' | 'off';
}

const schema: StandardSchemaV1<{ power?: 'on' | 'off' }, Power> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: { power: 'off', ...(value as object) } }) },
};

describe('defineResource', () => {
  const VM = defineResource({
    type: 'VMs.test',
    namespace: 'vms',
    spec: schema,
    aliases: ['vm'],
    printColumns: [{ name: 'Power', jsonPath: '{.power}' }],
    sensitivity: 'sensitive',
  });

  it('R9: one declaration gives typed pointers, kinds and resources, without a cast', () => {
    expectTypeOf(VM.at('a')).toEqualTypeOf<TypedPointer<Power>>();
    expectTypeOf(VM.kind).toEqualTypeOf<TypedKind<Power>>();
    const resource = VM.new('a', {});
    expectTypeOf(resource.spec.power).toEqualTypeOf<'on' | 'off'>();
    expect(resource.spec).toEqual({ power: 'off' });
    expect(resource.metadata).toMatchObject({ namespace: 'vms', type: 'VMs.test', id: 'a', version: undefined });
    expect(VM.at('a')).toEqual({ namespace: 'vms', type: 'VMs.test', id: 'a', declaration: VM });
    expect(VM.at('a', 'other').namespace).toBe('other');
    expect(VM.kind).toEqual({ namespace: 'vms', type: 'VMs.test', declaration: VM });
    expect(VM.in('other').namespace).toBe('other');
  });

  it('R9: metadata can be given to a new resource, but not its type and id', () => {
    const given = { namespace: 'other', labels: { a: 'b' }, type: 'X', id: 'y' } as object;
    expect(VM.new('a', { power: 'on' }, given).metadata).toMatchObject({
      namespace: 'other',
      type: 'VMs.test',
      id: 'a',
      labels: { a: 'b' },
    });
  });

  it('R9: the spec may be a schema, a codec, or a bare type', () => {
    const codec: SpecCodec<Power> = {
      ...VM.codec,
      parse: () => Object.freeze({ power: 'on' }),
    };
    expect(defineResource({ type: 'A.test', namespace: 'n', spec: codec }).new('a', { power: 'off' }).spec.power).toBe(
      'on',
    );
    const Bare = defineResource<{ cpus: number }>({ type: 'B.test', namespace: 'n' });
    expectTypeOf(Bare.new('a', { cpus: 1 }).spec.cpus).toEqualTypeOf<number>();
    expect(Bare.new('a', { cpus: 1 }).spec).toEqual({ cpus: 1 });
    // arktype's schemas are functions.
    const callable = Object.assign(() => undefined, schema) as typeof schema;
    expect(defineResource({ type: 'C.test', namespace: 'n', spec: callable }).new('a', {}).spec.power).toBe('off');
  });

  it('R9: a declaration has defaults, and cannot be changed, by its maker neither', () => {
    const aliases = ['vm'];
    const column = { name: 'Power', jsonPath: '{.power}' };
    const made = defineResource({ type: 'VMs.test', namespace: 'vms', aliases, printColumns: [column] });
    aliases.push('other');
    column.name = 'Other';
    expect(made.aliases).toEqual(['vm']);
    expect(made.printColumns).toEqual([{ name: 'Power', jsonPath: '{.power}' }]);
    expect([made.sensitivity, made.skipAutomaticAliases]).toEqual(['non-sensitive', false]);
    expect(() => Object.assign(made, { type: 'Other' })).toThrow(TypeError);
    expect(() => Object.assign(made.kind, { type: 'Other' })).toThrow(TypeError);
    expect(() => Object.assign(made.at('a'), { id: 'b' })).toThrow(TypeError);
  });

  it('R10: any name is a type, but none is not', () => {
    expect(defineResource({ type: 'os/path', namespace: '' }).type).toBe('os/path');
    expect(() => defineResource({ type: '', namespace: 'n' })).toThrow(TypeError);
    expect(() => defineResource({ type: 'a' } as never)).toThrow(TypeError);
  });
});
