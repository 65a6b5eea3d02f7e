import { wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { Host, VMConfig } from '../resources/index.js';
import { ApplyConflict, applyManifest } from './apply.js';
import { parseManifests } from './manifest.js';
import { ManifestError } from './manifest-error.js';

const vm = (id: string, more = '', spec = 'cpus: 1, memoryMiB: 512, image: debian-12') =>
  `metadata: { type: VMConfigs.vms.cosi.dev, id: ${id}${more} }\nspec: { ${spec} }\n`;
const host = (id: string) => `metadata: { type: Hosts.vms.cosi.dev, id: ${id} }\nspec: { cpus: 4, memoryMiB: 4096 }\n`;
const parse = (...documents: string[]) => parseManifests([{ name: 'fleet.yaml', text: documents.join('---\n') }]);
const open = () => wrapState(new InMemoryState());

describe('a manifest', () => {
  it('R15: is read document by document, with defaults for what it leaves out', () => {
    const entries = parse(host('host-1'), '# nothing\n', vm('web-1', ', labels: { tier: web, on: true }'));
    expect(entries.map(({ place }) => place)).toEqual([
      { source: 'fleet.yaml', document: 1, line: 1 },
      { source: 'fleet.yaml', document: 3, line: 6 },
    ]);
    const { metadata } = entries[1]?.resource ?? {};
    expect(metadata).toMatchObject({ namespace: 'vms', id: 'web-1', phase: 'running', owner: '', version: undefined });
    expect(metadata?.labels).toEqual({ tier: 'web', on: 'true' });
  });

  it.each([
    [
      'an unknown type',
      'metadata: { type: Disks.vms.cosi.dev, id: a }\nspec: {}\n',
      4,
      '"Disks.vms.cosi.dev" is not known',
    ],
    [
      'a type of controllers',
      'metadata: { type: VMStatuses.vms.cosi.dev, id: a }\nspec: {}\n',
      4,
      'is written by controllers',
    ],
    [
      'a bad spec',
      'metadata:\n  type: VMConfigs.vms.cosi.dev\n  id: a\nspec:\n  memoryMiB: 512\n  cpus: many\n',
      9,
      'cpus',
    ],
    ['a spec nobody can run', vm('a', '', 'cpus: 0, memoryMiB: 512, image: x'), 5, 'cpus: must be an integer from 1'],
    ['a field that there is not', vm('a', '', 'cores: 1'), 5, 'cores'],
    ['no spec', 'metadata: { type: VMConfigs.vms.cosi.dev, id: a }\n', 4, 'a spec'],
    ['no id', 'metadata: { type: VMConfigs.vms.cosi.dev }\nspec: {}\n', 4, 'id'],
    ['no YAML', 'metadata: { type: [\n', 5, ''],
    ['another namespace', vm('a', ', namespace: other'), 4, 'must be in the namespace vms'],
    ['an owner', vm('a', ', owner: me'), 4, 'cannot be given the owner'],
    ['finalizers', vm('a', ', finalizers: [x]'), 4, 'cannot be given finalizers'],
    ['a phase', vm('a', ', phase: tearingDown'), 4, 'apply with prune'],
    ['a pointer that comes twice', host('host-1'), 4, 'comes twice: first in fleet.yaml, document 1, line 1'],
  ])('is refused for %s, with document and line', (_, document, line, reason) => {
    let error: unknown;
    try {
      parse(host('host-1'), document);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ManifestError);
    expect((error as ManifestError).place).toEqual({ source: 'fleet.yaml', document: 2, line });
    expect((error as ManifestError).message).toContain(`fleet.yaml, document 2, line ${line}: `);
    expect((error as ManifestError).reason).toContain(reason);
  });

  it('counts all files as one', () => {
    const sources = ['a.yaml', 'b.yaml'].map((name) => ({ name, text: host('host-1') }));
    expect(() => parseManifests(sources)).toThrow(
      'b.yaml, document 1, line 1: Hosts.vms.cosi.dev "host-1" comes twice: first in a.yaml',
    );
  });
});

describe('applying', () => {
  it('creates, changes, and leaves alone what is so already', async () => {
    const state = open();
    const result = async (...documents: string[]) =>
      (await applyManifest(state, parse(...documents))).applied.map(({ id, result }) => `${id} ${result}`);
    expect(await result(host('host-1'), vm('web-1'))).toEqual(['host-1 created', 'web-1 created']);
    expect(await result(host('host-1'), vm('web-1'))).toEqual(['host-1 unchanged', 'web-1 unchanged']);
    await state.addFinalizer(VMConfig.at('web-1'), 'someone');
    expect(await result(host('host-1'), vm('web-1', ', labels: { a: b }'))).toEqual([
      'host-1 unchanged',
      'web-1 updated',
    ]);
    const { metadata } = await state.get(VMConfig.at('web-1'));
    expect(metadata).toMatchObject({ labels: { a: 'b' } });
    expect([...metadata.finalizers]).toEqual(['someone']);
    expect(await result(vm('web-1', '', 'cpus: 2, memoryMiB: 512, image: debian-12'))).toEqual(['web-1 updated']);
    expect((await state.get(VMConfig.at('web-1'))).metadata.labels).toEqual({});
  });

  it('removes nothing unless it is asked to, and then only of the types that it holds', async () => {
    const state = open();
    await applyManifest(state, parse(host('host-1'), vm('web-1'), vm('web-2'), vm('web-3')));
    expect((await applyManifest(state, parse(vm('web-1')))).pruned).toEqual([]);
    expect(await state.list(VMConfig.kind)).toHaveLength(3);
    await state.addFinalizer(VMConfig.at('web-2'), 'someone');
    const { pruned } = await applyManifest(state, parse(vm('web-1')), { prune: true });
    expect(pruned.map(({ id }) => id)).toEqual(['web-2', 'web-3']);
    const phases = (await state.list(VMConfig.kind)).map(({ metadata }) => metadata.phase);
    expect(phases).toEqual(['running', 'tearingDown', 'tearingDown']);
    expect(await state.list(Host.kind)).toHaveLength(1);
    expect((await applyManifest(state, parse(vm('web-1')), { prune: true })).pruned).toEqual([]);
  });

  it('tells what it would do, and does not', async () => {
    const state = open();
    await applyManifest(state, parse(vm('web-1'), vm('web-2')));
    const documents = parse(vm('web-1'), vm('web-3'), host('host-1'));
    const report = await applyManifest(state, documents, { dryRun: true, prune: true });
    expect(report.dryRun).toBe(true);
    expect(report.applied.map(({ id, result }) => `${id} ${result}`)).toEqual([
      'web-1 unchanged',
      'web-3 created',
      'host-1 created',
    ]);
    expect(report.pruned.map(({ id }) => id)).toEqual(['web-2']);
    expect((await state.list(VMConfig.kind)).map(({ metadata }) => `${metadata.id} ${metadata.phase}`)).toEqual([
      'web-1 running',
      'web-2 running',
    ]);
    expect(await state.list(Host.kind)).toEqual([]);
  });

  it('stops at a conflict, and reports what was applied and what was not', async () => {
    const state = open();
    await applyManifest(state, parse(vm('leaving'), vm('other')));
    await state.addFinalizer(VMConfig.at('leaving'), 'someone');
    await state.teardown(VMConfig.at('leaving'));
    const error = await applyManifest(state, parse(host('host-1'), vm('leaving'), vm('web-1'), vm('web-2')), {
      prune: true,
    }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ApplyConflict);
    expect(error.applied.map(({ id }: { id: string }) => id)).toEqual(['host-1']);
    expect(error.failed.place).toEqual({ source: 'fleet.yaml', document: 2, line: 4 });
    expect(error.left).toBe(2);
    expect(error.message).toContain('fleet.yaml, document 2, line 4: VMConfigs.vms.cosi.dev "leaving"');
    expect((await state.list(VMConfig.kind)).map(({ metadata }) => metadata.id)).toEqual(['leaving', 'other']);
    expect((await state.get(VMConfig.at('other'))).metadata.phase).toBe('running');
  });

  it('applies a document that names a version to that version only', async () => {
    const state = open();
    await applyManifest(state, parse(vm('web-1')));
    await applyManifest(state, parse(vm('web-1', ', version: 1, labels: { a: b }')));
    const stale = applyManifest(state, parse(vm('web-1', ', version: 1, labels: { a: c }')));
    await expect(stale).rejects.toThrow('has version 2, the change was made to version 1');
  });
});
