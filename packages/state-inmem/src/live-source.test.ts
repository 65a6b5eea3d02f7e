import { label, type Resource } from '@cosi-ts/resource';
import type { Event, Watch } from '@cosi-ts/state';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InMemoryState } from './in-memory-state.js';
import { Disk, disk, labelled } from './testing/disks.js';
import { LoggedDatabase } from './testing/logged-database.js';
import { take, text } from './testing/watch-reading.js';

/** A watch that is read now and then, and what it should see. */
interface Reader {
  readonly watch: Watch<Event>;
  /** What a change of this resource is for the watch. */
  readonly see: (change: Expected) => string | undefined;
  readonly from: number;
  readonly seen: string[];
}

interface Expected {
  readonly type: string;
  readonly resource: Resource;
  readonly old?: Resource;
}

const web = [label('tier').is('web')];
const isWeb = (resource: Resource) => resource.metadata.labels.tier === 'web';
const named = (type: string, { metadata }: Resource) => `${type} ${metadata.id}@${metadata.version}`;

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      id: fc.constantFrom('a', 'b', 'c'),
      tier: fc.constantFrom('web', 'db'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('destroy' as const), id: fc.constantFrom('a', 'b', 'c') }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('open' as const), what: fc.constantFrom('kind', 'web', 'a', 'b') }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('read' as const), reader: fc.nat(), count: fc.integer({ min: 1, max: 4 }) }),
  },
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** A watcher of one resource has its events from the log, then from memory, then from the log. */
const turningOver: Step[] = [
  { do: 'open', what: 'a' },
  { do: 'write', id: 'a', tier: 'web' },
  { do: 'destroy', id: 'a' },
  { do: 'read', reader: 0, count: 1 },
  { do: 'write', id: 'a', tier: 'web' },
  { do: 'read', reader: 0, count: 2 },
  { do: 'write', id: 'a', tier: 'web' },
  { do: 'destroy', id: 'a' },
  { do: 'write', id: 'a', tier: 'web' },
];

async function openReader(state: InMemoryState, what: string, from: number): Promise<Reader> {
  const seen: string[] = [];
  if (what === 'kind') {
    return { watch: await state.watchKind(Disk.kind), see: ({ type, resource }) => named(type, resource), from, seen };
  }
  if (what === 'web') {
    const see = ({ type, resource, old = resource }: Expected) => {
      if (isWeb(resource) && isWeb(old)) return named(type, resource);
      if (isWeb(resource)) return named('created', resource);
      return isWeb(old) ? named('destroyed', resource) : undefined;
    };
    return { watch: await state.watchKind(Disk.kind, { labels: web }), see, from, seen };
  }
  const watch = await state.watch(Disk.at(what));
  await take(watch, 1);
  const see = ({ type, resource }: Expected) => (resource.metadata.id === what ? named(type, resource) : undefined);
  return { watch, see, from, seen };
}

function due(reader: Reader, changes: readonly Expected[]): string[] {
  return changes.slice(reader.from).flatMap((change) => reader.see(change) ?? []);
}

async function read(reader: Reader, count: number, changes: readonly Expected[]): Promise<void> {
  const left = due(reader, changes).length - reader.seen.length;
  reader.seen.push(...(await take(reader.watch, Math.min(count, left))).map(text));
}

describe('places in the stream of changes', () => {
  it('W8: whatever is read when, from memory or from the log, nothing is missing and nothing comes twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 60 }),
        fc.integer({ min: 1, max: 6 }),
        async (steps, maxEvents) => {
          const store = new LoggedDatabase(1).store('test');
          const state = new InMemoryState('test', { store, history: { maxEvents } });
          const present = new Map<string, Resource>();
          const changes: Expected[] = [];
          const readers: Reader[] = [];
          for (const each of steps) {
            if (each.do === 'open') {
              readers.push(await openReader(state, each.what, changes.length));
            } else if (each.do === 'read') {
              const reader = readers[each.reader % Math.max(1, readers.length)];
              if (reader !== undefined) await read(reader, each.count, changes);
            } else if (each.do === 'destroy') {
              const resource = present.get(each.id);
              if (resource === undefined) continue;
              await state.destroy(Disk.at(each.id));
              present.delete(each.id);
              changes.push({ type: 'destroyed', resource });
            } else {
              const old = present.get(each.id);
              const labels = { tier: each.tier };
              const resource = await (old === undefined
                ? state.create(disk(each.id, { labels }))
                : state.update(labelled(old, labels)));
              present.set(each.id, resource);
              changes.push(old === undefined ? { type: 'created', resource } : { type: 'updated', resource, old });
            }
          }
          for (const reader of readers) {
            await read(reader, changes.length, changes);
            expect(reader.seen).toEqual(due(reader, changes));
          }
          await state.close();
        },
      ),
      { numRuns: 150, examples: [[turningOver, 1]] },
    );
  });
});
