import { describe, expect, it } from 'vitest';
import { Draft, TypedDraft } from './draft.js';
import { checkedJsonSpec } from './json-spec.js';
import { Resource } from './resource.js';
import { defineResource } from './resource-type.js';
import type { SpecContent } from './spec-content.js';
import { invalidSpec } from './spec-path.js';

interface MachineSpec {
  cpus: number;
  disks: { size: number }[];
}

const Machine = defineResource({
  type: 'Machines.test',
  namespace: 'vms',
  spec: checkedJsonSpec<MachineSpec>((input) => {
    const spec = input as MachineSpec;
    if (typeof spec.cpus !== 'number') throw invalidSpec(['cpus'], 'must be a number');
    return spec;
  }),
});

const base = Machine.new(
  'a',
  { cpus: 2, disks: [{ size: 10 }] },
  { labels: { tier: 'web' }, annotations: { note: 'x' }, finalizers: ['a', 'b'] },
);

describe('drafts', () => {
  it('R8: a draft changes in place, and the snapshot it began with stays as it was', () => {
    const draft = new TypedDraft(base);
    draft.spec.cpus = 4;
    draft.spec.disks.push({ size: 20 });
    draft.metadata.labels.tier = 'db';
    draft.metadata.labels.zone = 'a';
    delete draft.metadata.annotations.note;
    draft.metadata.finalizers.remove('a');
    draft.metadata.phase = 'tearingDown';
    const changed = draft.finish();
    expect(changed.spec).toEqual({ cpus: 4, disks: [{ size: 10 }, { size: 20 }] });
    expect(changed.metadata).toMatchObject({
      labels: { tier: 'db', zone: 'a' },
      annotations: {},
      finalizers: ['b'],
      phase: 'tearingDown',
    });
    expect(base.spec).toEqual({ cpus: 2, disks: [{ size: 10 }] });
    expect(base.metadata).toMatchObject({
      labels: { tier: 'web' },
      annotations: { note: 'x' },
      finalizers: ['a', 'b'],
    });
  });

  it('R8: what is done to a draft after its end does not show in the snapshot that it gave', () => {
    const draft = new TypedDraft(base);
    draft.spec.cpus = 4;
    draft.metadata.labels.tier = 'db';
    const changed = draft.finish();
    draft.spec.cpus = 5;
    draft.metadata.labels.tier = 'cache';
    draft.metadata.finalizers.clear();
    expect(changed.spec.cpus).toBe(4);
    expect(changed.metadata.labels.tier).toBe('db');
    expect(changed.metadata.finalizers).toEqual(['a', 'b']);
  });

  it('S8: a draft that ends as it began gives the very snapshot it began with', () => {
    const untouched = new TypedDraft(base);
    expect(untouched.finish()).toBe(base);
    const restored = new TypedDraft(base);
    restored.spec.cpus = 9;
    restored.spec.cpus = 2;
    restored.spec = { disks: [{ size: 10 }], cpus: 2 };
    restored.metadata.labels = { tier: 'web' };
    restored.metadata.annotations.note = 'y';
    restored.metadata.annotations.note = 'x';
    restored.metadata.finalizers.remove('a');
    restored.metadata.finalizers.add('a');
    expect(restored.finish()).toBe(base);
  });

  it('R8: a change of metadata alone keeps the content, and of the spec alone the metadata', () => {
    const one = new TypedDraft(base);
    one.metadata.labels.tier = 'db';
    expect(one.finish().content).toBe(base.content);
    const two = new TypedDraft(base);
    two.spec.cpus = 3;
    expect(two.finish().metadata).toBe(base.metadata);
  });

  it('R8: collections that are put into a draft are copied', () => {
    const draft = new TypedDraft(base);
    const labels = { tier: 'db' };
    const spec = { cpus: 8, disks: [] as { size: number }[] };
    draft.metadata.labels = labels;
    draft.spec = spec;
    const changed = draft.finish();
    labels.tier = 'cache';
    spec.disks.push({ size: 1 });
    expect(changed.metadata.labels.tier).toBe('db');
    expect(changed.spec.disks).toEqual([]);
  });

  it('R4: the owner can be set once in a draft too', () => {
    const draft = new TypedDraft(base);
    draft.metadata.owner = 'A';
    draft.metadata.owner = 'A';
    expect(() => {
      draft.metadata.owner = 'B';
    }).toThrow(/owned by "A"/);
    expect(draft.finish().metadata.owner).toBe('A');
  });

  it('R3: a phase that is none is refused at the end', () => {
    const draft = new TypedDraft(base);
    draft.metadata.phase = 'walking' as 'running';
    expect(() => draft.finish()).toThrow('"walking"');
  });

  it('R9: a spec that is none is refused at the end, with its path', () => {
    const draft = new TypedDraft(base);
    draft.spec.cpus = 'two' as never;
    expect(() => draft.finish()).toThrow(expect.objectContaining({ code: 'invalid-argument', path: ['cpus'] }));
  });

  it('R8: what identifies a resource cannot be changed', () => {
    const { metadata } = new TypedDraft(base);
    for (const key of ['namespace', 'type', 'id', 'version', 'created', 'updated']) {
      expect(() => Object.assign(metadata, { [key]: 'other' })).toThrow(TypeError);
    }
    expect([metadata.namespace, metadata.type, metadata.id, metadata.version]).toEqual([
      'vms',
      'Machines.test',
      'a',
      undefined,
    ]);
    expect([metadata.created, metadata.updated]).toEqual([base.metadata.created, base.metadata.updated]);
  });

  it('R8: labels and annotations of a draft hold their own keys only', () => {
    const draft = new TypedDraft(base);
    expect(draft.metadata.labels.constructor).toBeUndefined();
    const key = '__proto__';
    draft.metadata.labels[key] = 'x';
    expect(Object.keys(draft.finish().metadata.labels)).toEqual(['tier', key]);
  });

  it('S9: a blank draft is filled in, and refused when it is not', () => {
    const draft = TypedDraft.blank(Machine.at('new', 'other'));
    expect(() => draft.finish()).toThrow(/spec\.cpus/);
    draft.spec.cpus = 1;
    draft.spec.disks = [];
    draft.metadata.labels.tier = 'web';
    const made = draft.finish();
    expect(made.spec).toEqual({ cpus: 1, disks: [] });
    expect(Object.isFrozen(made.spec)).toBe(true);
    expect(made.metadata).toMatchObject({ namespace: 'other', id: 'new', version: undefined, labels: { tier: 'web' } });
  });

  it('R16: a draft of an opaque resource changes its metadata and never touches its spec', () => {
    const content: SpecContent = {
      valueFor: () => {
        throw new Error('it was read');
      },
      equalsEncoded: () => {
        throw new Error('it was compared');
      },
    };
    const opaque = new Resource(base.metadata, content);
    expect(new Draft(opaque).finish()).toBe(opaque);
    const draft = new Draft(opaque);
    draft.metadata.finalizers.add('c');
    const changed = draft.finish();
    expect(changed.content).toBe(content);
    expect(changed.metadata.finalizers).toEqual(['a', 'b', 'c']);
    const typed = new TypedDraft(Machine.from(opaque));
    typed.metadata.labels.tier = 'db';
    expect(typed.finish().content).toBe(content);
  });
});
