import { DeclaredContent, defineResource, Metadata, type Pointer, Resource, Timestamp } from '@cosi-ts/resource';
import { type CoreState, canClose } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { connectState, serveState } from '@cosi-ts/transport';
import { describe, expect, it } from 'vitest';
import { FallibleStore } from './fallible-store.js';

const Items = defineResource<{ value: number }>({ type: 'Items.runs.cosi.dev', namespace: 'runs' });

/** A resource as a peer may have stored it. */
function stored(pointer: Pointer, version = 1n, time = new Timestamp(1_700_000_000, 123_456_789)): Resource {
  const metadata = new Metadata({ ...pointer, version, created: time, updated: time });
  return new Resource(metadata, new DeclaredContent(Items as never, { value: 1 }));
}

/** Runs the test on a state with these resources, at hand and through a server. */
async function eachWay(resources: readonly Resource[], test: (state: CoreState) => Promise<void>): Promise<void> {
  const open = () => {
    const store = new FallibleStore();
    for (const resource of resources) store.put(resource);
    return new InMemoryState({ store });
  };
  const local = open();
  await test(local);
  await local.close();

  const served = open();
  const server = await serveState(served, { address: '127.0.0.1:0' });
  const client = connectState(server.url);
  await test(client);
  if (canClose(client)) await client.close();
  await server.close();
  await served.close();
}

describe('resources that peers have stored', () => {
  const { namespace, type } = Items.kind;
  const strange: readonly [what: string, pointer: Pointer][] = [
    ['an empty id', { namespace, type, id: '' }],
    ['an empty namespace', { namespace: '', type, id: 'a' }],
    ['NUL in the id', { namespace, type, id: 'a\0b' }],
    ['an id of 3000 bytes', { namespace, type, id: 'x'.repeat(3000) }],
    ['a type of 3000 bytes', { namespace, type: 'T'.repeat(3000), id: 'a' }],
  ];

  it.each(strange)('S17: one with %s is loaded, passed through, updated and destroyed', async (_, pointer) => {
    await eachWay([stored(pointer)], async (state) => {
      const read = await state.get(pointer);
      const { namespace, type, id } = read.metadata;
      expect({ namespace, type, id }).toEqual(pointer);
      expect((await state.list(pointer)).map((resource) => resource.metadata.id)).toEqual([pointer.id]);
      const watch = await state.watchKind(pointer, { bootstrapContents: true });
      expect((await watch.next()).value).toMatchObject({ type: 'created', resource: { metadata: { id: pointer.id } } });
      const updated = await state.update(read);
      expect(updated.metadata.version).toBe(2n);
      await state.destroy(pointer);
      await expect(state.get(pointer)).rejects.toMatchObject({ code: 'not-found' });
      await watch.close();
    });
  });

  it('R2: versions past 2^53 are read, compared and counted exactly', async () => {
    const version = 2n ** 60n + 1n;
    await eachWay([stored(Items.at('a'), version)], async (state) => {
      const read = await state.get(Items.at('a'));
      expect(read.metadata.version).toBe(version);
      const near = read.withMetadata(read.metadata.with({ version: version - 1n }));
      await expect(state.update(near)).rejects.toMatchObject({ code: 'version-conflict' });
      expect((await state.update(read)).metadata.version).toBe(version + 1n);
    });
  });

  it('R1: nanoseconds and years before 1970 are kept', async () => {
    const time = Timestamp.parse('1815-12-10T01:02:03.123456789Z');
    await eachWay([stored(Items.at('a'), 1n, time)], async (state) => {
      const { created, updated } = (await state.get(Items.at('a'))).metadata;
      expect([created.toString(), updated.toString()]).toEqual(Array(2).fill('1815-12-10T01:02:03.123456789Z'));
      expect((await state.update(await state.get(Items.at('a')))).metadata.created.equals(time)).toBe(true);
    });
  });

  it('R1: times that are set come after the newest that was found', async () => {
    const future = Timestamp.parse('2999-01-01T00:00:00Z');
    await eachWay([stored(Items.at('a'), 1n, future)], async (state) => {
      const created = await state.create(Items.new('b', { value: 1 }));
      expect(created.metadata.created.compare(future)).toBeGreaterThan(0);
    });
  });
});
