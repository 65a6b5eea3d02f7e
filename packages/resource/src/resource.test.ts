import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import type { DeepReadonly } from './deep-readonly.js';
import type { JsonValue } from './frozen-data.js';
import { isResource, Resource } from './resource.js';
import { defineResource } from './resource-type.js';
import type { SpecCodec } from './spec-codec.js';
import type { SpecContent } from './spec-content.js';
import { Timestamp } from './timestamp.js';

interface MachineSpec {
  cpus: number;
  disks: { size: number }[];
}

const Machine = defineResource<MachineSpec>({ type: 'Machines.test', namespace: 'vms' });
const spec = { cpus: 2, disks: [{ size: 10 }] };

/** Bytes that nobody has decoded: what a wire or a store gives. */
class Encoded implements SpecContent {
  decoded = 0;
  constructor(readonly text: string) {}
  valueFor<S>(declaration: { codec: { fromJson(json: JsonValue): S } }): S {
    this.decoded++;
    return declaration.codec.fromJson(JSON.parse(this.text));
  }
  equalsEncoded(other: SpecContent): boolean {
    return other instanceof Encoded && other.text === this.text;
  }
}

describe('resources', () => {
  it('R7: are equal when their metadata and specs are', () => {
    const resource = Machine.new('a', spec, { labels: { tier: 'web' } });
    expect(resource.equals(Machine.new('a', { disks: [{ size: 10 }], cpus: 2 }, { labels: { tier: 'web' } }))).toBe(
      true,
    );
    expect(resource.equals(Machine.new('a', { ...spec, cpus: 3 }, { labels: { tier: 'web' } }))).toBe(false);
    expect(resource.equals(Machine.new('a', spec))).toBe(false);
    const later = resource.metadata.with({ created: new Timestamp(1, 0), updated: new Timestamp(2, 0) });
    expect(resource.equals(resource.withMetadata(later))).toBe(true);
  });

  it('R7: a spec that was made here and one that came encoded are compared by what they say', () => {
    const made = Machine.new('a', spec);
    const came = new Resource(made.metadata, new Encoded('{ "disks": [{"size": 10}], "cpus": 2 }'));
    expect(made.equals(came)).toBe(true);
    expect(came.equals(made)).toBe(true);
    expect(came.equals(new Resource(made.metadata, new Encoded(JSON.stringify(spec))))).toBe(false);
    const other = defineResource<MachineSpec>({ type: Machine.type, namespace: 'vms' });
    expect(made.equals(other.new('a', spec))).toBe(true);
  });

  it('R8: cannot be changed, by types or at run time', () => {
    const input = { cpus: 2, disks: [{ size: 10 }] };
    const resource = Machine.new('a', input);
    input.cpus = 3;
    input.disks.push({ size: 20 });
    expect(resource.spec).toEqual(spec);
    const [disk] = resource.spec.disks;
    expect(() => {
      // @ts-expect-error the spec is read-only
      resource.spec.cpus = 4;
    }).toThrow(TypeError);
    expect(() => {
      // @ts-expect-error and so is what is in it
      resource.spec.disks.push({ size: 1 });
    }).toThrow(TypeError);
    expect(() => {
      if (disk !== undefined) {
        // @ts-expect-error all the way down
        disk.size = 1;
      }
    }).toThrow(TypeError);
    expect(() => {
      // @ts-expect-error a snapshot has one metadata
      resource.metadata = resource.metadata.with({ version: 5n });
    }).toThrow(TypeError);
    expect(() => {
      // @ts-expect-error labels are read-only
      resource.metadata.labels.tier = 'db';
    }).toThrow(TypeError);
    expect(() => Object.assign(resource.content, { value: {} })).toThrow(TypeError);
    expect(() => Object.assign(resource, { extra: 1 })).toThrow(TypeError);
    expect(resource.spec).toEqual(spec);
  });

  it('R8: one snapshot and its spec are shared by all readers', () => {
    const resource = Machine.new('a', spec);
    expect(resource.spec).toBe(resource.spec);
    expect(Machine.from(resource)).toBe(resource);
    expect(resource.withMetadata(resource.metadata.with({ version: 1n })).spec).toBe(resource.spec);
  });

  it('R8: byte arrays in a spec are copied for every reader', () => {
    const bytes = (spec: { bytes: Uint8Array }) => ({ bytes: Uint8Array.from(spec.bytes) });
    const codec: SpecCodec<{ bytes: Uint8Array }> = {
      parse: bytes,
      blank: () => ({ bytes: new Uint8Array() }),
      draft: bytes,
      equals: (a, b) => a.bytes.join() === b.bytes.join(),
      toJson: (spec) => ({ bytes: [...spec.bytes] }),
      fromJson: () => ({ bytes: new Uint8Array() }),
      read: bytes,
    };
    const Blob = defineResource({ type: 'Blobs.test', namespace: 'vms', spec: codec });
    const given = Uint8Array.of(1, 2);
    const resource = Blob.new('a', { bytes: given });
    given[0] = 9;
    const read: DeepReadonly<Uint8Array> = resource.spec.bytes;
    (read as unknown as Uint8Array)[0] = 9;
    expect([...(resource.spec.bytes as unknown as Uint8Array)]).toEqual([1, 2]);
  });

  it('R16: an opaque resource keeps its very content under any metadata', () => {
    const content = new Encoded('not even JSON');
    const resource = new Resource(Machine.new('a', spec).metadata, content);
    const changed = resource.withMetadata(resource.metadata.with({ version: 2n, labels: { tier: 'db' } }));
    expect(changed.content).toBe(content);
    expect(content.decoded).toBe(0);
    expect(resource.equals(new Resource(resource.metadata, new Encoded('not even JSON')))).toBe(true);
  });

  it('R9: a declaration reads an opaque resource when its spec is asked for, and refuses one of another type', () => {
    const content = new Encoded(JSON.stringify(spec));
    const opaque = new Resource(Machine.new('a', spec).metadata, content);
    const typed = Machine.from(opaque);
    expect(content.decoded).toBe(0);
    expect(typed.spec.cpus).toBe(2);
    const Other = defineResource({ type: 'Others.test', namespace: 'vms' });
    expect(() => Other.from(opaque)).toThrow(/Machines\.test\(vms\/a\) is not of type "Others\.test"/);
  });

  it('are told across two copies of the package', async () => {
    vi.resetModules();
    const other = await import('./resource-type.js');
    const resource = other.defineResource({ type: 'Machines.test', namespace: 'vms' }).new('a', spec);
    expect(resource).not.toBeInstanceOf(Resource);
    expect(isResource(resource)).toBe(true);
    expect(Machine.from(resource).spec).toEqual(spec);
    for (const value of [undefined, null, {}, { metadata: {} }, 'a']) expect(isResource(value)).toBe(false);
  });

  it('are shown with their spec where it is understood', () => {
    const resource = Machine.new('a', spec, { owner: 'A' });
    expect(JSON.parse(JSON.stringify(resource))).toMatchObject({ metadata: { id: 'a', owner: 'A' }, spec });
    const opaque = new Resource(resource.metadata, new Encoded('{}'));
    expect(Object.keys(JSON.parse(JSON.stringify(opaque)))).toEqual(['metadata']);
    expect(`${resource}`).toBe('Machines.test(vms/a@undefined)');
  });
});

describe('what is printed of a resource', () => {
  const print = (value: unknown) => inspect(value, { depth: 5, breakLength: 200 });

  it('is its metadata and its spec', () => {
    const Disk = defineResource<{ size: number }>({ type: 'Disks.test', namespace: 'a' });
    expect(print(Disk.new('x', { size: 7 }))).toMatch(
      /^\{\s+metadata: Metadata \{[\s\S]*id: 'x'[\s\S]*spec: \{ size: 7 \}\s+\}$/,
    );
    expect(print(Disk.at('x'))).toContain('declaration: ResourceType Disks.test(a)');
  });

  it('leaves out a spec that is sensitive', () => {
    const Key = defineResource<{ text: string }>({ type: 'Keys.test', namespace: 'a', sensitivity: 'sensitive' });
    expect(print(Key.new('x', { text: 'abracadabra' }))).not.toContain('abracadabra');
  });
});
