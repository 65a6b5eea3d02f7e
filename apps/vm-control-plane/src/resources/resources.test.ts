import { InvalidArgumentError, parseTypeName } from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import { Host, VMConfig } from './index.js';
import { vmTypes } from './registry.js';

const good = { cpus: 2, memoryMiB: 512, image: 'debian-12' };

describe('resources of the VM control plane', () => {
  it.each(vmTypes.map(({ type }) => [type] as const))('%s has a name that can be registered', (type) => {
    expect(() => parseTypeName(type)).not.toThrow();
  });

  it('reads a VM as users write it', () => {
    const spec = VMConfig.codec.fromJson({ ...good, hostSelector: { zone: 'a' } });
    expect(spec).toMatchObject({ cpus: 2, memoryMib: 512, image: 'debian-12', hostSelector: { zone: 'a' } });
    expect(VMConfig.codec.toJson(spec)).toEqual({ ...good, hostSelector: { zone: 'a' } });
  });

  it.each([
    ['cpus', { ...good, cpus: 0 }, 'must be an integer from 1 to 1024, not 0'],
    ['cpus', { ...good, cpus: 'two' }, 'expected'],
    ['cpus', { ...good, cpus: 1.5 }, 'expected'],
    ['cpus', { memoryMiB: 512, image: 'x' }, 'must be an integer from 1 to 1024, not 0'],
    ['memoryMiB', { ...good, memoryMiB: 2 ** 40 }, 'int32'],
    ['image', { ...good, image: '' }, 'must name the disk image'],
    ['power', { ...good, power: 'on' }, 'must be running or stopped, not "on"'],
    ['hostSelector', { ...good, hostSelector: { zone: 1 } }, 'expected'],
    ['memory', { ...good, memory: 1 }, 'unknown'],
  ])('names %s when it is wrong', (field, json, problem) => {
    const read = () => VMConfig.codec.fromJson(json as never);
    expect(read).toThrow(InvalidArgumentError);
    expect(read).toThrow(expect.objectContaining({ path: expect.arrayContaining([field]) }));
    expect(read).toThrow(problem);
  });

  it('refuses a host without room', () => {
    expect(() => Host.new('host-1', { cpus: 0, memoryMib: 1024 })).toThrow('cpus: must be an integer from 1');
    expect(() => Host.new('host-1', { cpus: 4, memoryMib: 1 })).toThrow('memoryMiB: must be');
  });

  it('takes what other processes stored as it is', () => {
    const { binary } = VMConfig.codec;
    expect(binary?.decode(new Uint8Array()).cpus).toBe(0);
  });
});
