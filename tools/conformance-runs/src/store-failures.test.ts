import { defineResource, type Resource } from '@cosi-ts/resource';
import type { Event, Watch } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { FallibleStore, StoreFailure } from './fallible-store.js';

const Items = defineResource<{ value: number }>({ type: 'Items.runs.cosi.dev', namespace: 'runs' });

let state: InMemoryState;
let store: FallibleStore;

function setUp(): void {
  store = new FallibleStore();
  state = new InMemoryState({ store });
}

afterEach(() => state.close());

const text = (resource: Resource) => `${resource}: ${Items.from(resource).spec.value}`;

/** What memory and the store hold, which must be the same. */
async function held(): Promise<string[]> {
  const inMemory = (await state.list(Items.kind)).map(text);
  expect(store.resources.map(text).toSorted()).toEqual(inMemory.toSorted());
  return inMemory;
}

/** Reads all that the watch has to give, up to an event about a resource that is made for that. */
async function seenBy(watch: Watch<Event>): Promise<string[]> {
  const marker = await state.create(Items.new('~marker', { value: 0 }));
  const seen: string[] = [];
  for await (const event of watch) {
    if (event.type === 'errored') throw event.error;
    if (event.resource.metadata.id === marker.metadata.id) break;
    seen.push(`${event.type} ${text(event.resource)}`);
  }
  await state.destroy(Items.at('~marker'));
  return seen;
}

describe('a store that fails', () => {
  const writes: readonly [name: string, write: (stored: Resource) => Promise<unknown>][] = [
    ['create', () => state.create(Items.new('b', { value: 1 }))],
    ['update', (stored) => state.update(Items.new('a', { value: 2 }).withMetadata(stored.metadata))],
    ['destroy', () => state.destroy(Items.at('a'))],
  ];

  it.each(writes)('P1: a %s that fails leaves memory, store and watchers as they were', async (_, write) => {
    setUp();
    const stored = await state.create(Items.new('a', { value: 1 }));
    const before = await held();
    const watch = await state.watchKind(Items.kind);
    store.failsWrite = (count) => count === 2;
    await expect(write(stored)).rejects.toBeInstanceOf(StoreFailure);
    expect(await held()).toEqual(before);
    expect(await state.get(Items.at('a'))).toBe(stored);
    expect(await seenBy(watch)).toEqual([]);
  });

  it.each(writes)('P1: after a %s that failed the next one succeeds as if nothing had happened', async (_, write) => {
    setUp();
    const stored = await state.create(Items.new('a', { value: 1 }));
    const watch = await state.watchKind(Items.kind);
    store.failsWrite = (count) => count === 2;
    await expect(write(stored)).rejects.toBeInstanceOf(StoreFailure);
    await write(stored);
    await held();
    expect(await seenBy(watch)).toHaveLength(1);
  });

  it('P1: writes to one resource that wait for one that fails are made', async () => {
    setUp();
    const stored = await state.create(Items.new('a', { value: 1 }));
    const watch = await state.watchKind(Items.kind);
    store.failsWrite = (count) => count === 2;
    const update = (value: number) => state.update(Items.new('a', { value }).withMetadata(stored.metadata));
    const [first, second, third] = await Promise.allSettled([update(2), update(3), update(4)]);
    expect(first).toMatchObject({ status: 'rejected', reason: expect.any(StoreFailure) });
    expect(second).toMatchObject({ status: 'fulfilled' });
    expect(third).toMatchObject({ status: 'rejected', reason: { code: 'version-conflict' } });
    expect(await held()).toEqual(['Items.runs.cosi.dev(runs/a@2): 3']);
    expect(await seenBy(watch)).toEqual(['updated Items.runs.cosi.dev(runs/a@2): 3']);
  });

  it('P1: a load that fails fails who waits for it, and the next call loads again', async () => {
    setUp();
    store.put(Items.new('a', { value: 1 }).withMetadata(Items.new('a', { value: 1 }).metadata.with({ version: 3n })));
    store.failsLoad = (count) => count === 1;
    const calls = [state.list(Items.kind), state.get(Items.at('a')), state.create(Items.new('b', { value: 1 }))];
    for (const call of await Promise.allSettled(calls)) {
      expect(call).toMatchObject({ status: 'rejected', reason: expect.any(StoreFailure) });
    }
    expect(await held()).toEqual(['Items.runs.cosi.dev(runs/a@3): 1']);
    expect(store.loads).toBe(2);
  });

  it('P1, S1: an abort while the store writes has the full effect or none', async () => {
    for (let turns = 0; turns < 8; turns++) {
      setUp();
      await state.create(Items.new('a', { value: 1 }));
      const watch = await state.watchKind(Items.kind);
      const abort = new AbortController();
      const creating = state.create(Items.new('b', { value: 1 }), { signal: abort.signal }).catch((error) => error);
      for (let i = 0; i < turns; i++) await undefined;
      abort.abort(new Error('enough'));
      await creating;
      const created = (await held()).length === 2;
      expect(await seenBy(watch)).toHaveLength(created ? 1 : 0);
      await state.close();
    }
  });

  it('P1: memory, store and watchers agree whatever fails among many writes', async () => {
    const command = fc.record({
      op: fc.constantFrom('create', 'update', 'destroy'),
      id: fc.constantFrom('a', 'b', 'c'),
      value: fc.nat({ max: 9 }),
      fails: fc.boolean(),
      awaited: fc.boolean(),
    });
    const property = fc.asyncProperty(fc.array(command, { maxLength: 40, size: 'max' }), async (commands) => {
      setUp();
      const watch = await state.watchKind(Items.kind);
      store.failsWrite = (count) => commands[count % Math.max(1, commands.length)]?.fails === true;
      const running: Promise<unknown>[] = [];
      for (const { op, id, value, awaited } of commands) {
        const item = Items.new(id, { value });
        const run = async () => {
          if (op === 'create') return state.create(item);
          if (op === 'destroy') return state.destroy(Items.at(id));
          const { metadata } = await state.get(Items.at(id));
          return state.update(item.withMetadata(metadata));
        };
        const settled = run().catch(() => undefined);
        running.push(settled);
        if (awaited) await settled;
      }
      await Promise.all(running);
      store.failsWrite = () => false;
      const inMemory = await held();
      const seen = new Map<string, string>();
      for (const event of await seenBy(watch)) {
        const [type, resource = ''] = [event.slice(0, event.indexOf(' ')), event.slice(event.indexOf(' ') + 1)];
        const id = /\/(.)@/.exec(resource)?.[1] ?? '';
        if (type === 'destroyed') seen.delete(id);
        else seen.set(id, resource);
      }
      expect([...seen.values()].toSorted()).toEqual(inMemory);
      await state.close();
    });
    await fc.assert(property, { numRuns: 100 });
  });
});
