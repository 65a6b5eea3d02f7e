import { defineResource, UnavailableError } from '@cosi-ts/resource';
import { createWatch, type Event, VirtualClock, type Watch } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { middle } from '../../testdata/watch-run.js';
import { BootstrapComparison } from './bootstrap-comparison.js';
import { EventArrays } from './event-arrays.js';
import type { EventStream, OpenStream } from './event-stream.js';
import { KindProgress } from './kind-progress.js';
import type { Progress } from './progress.js';
import { ResumingWatch } from './resuming-watch.js';
import type { Start } from './start.js';

const Thing = defineResource<{ n: number }>({ type: 'Things.test', namespace: 'a' });

/** A stream of a state that breaks after so many messages. */
class BreakingStream implements EventStream {
  readonly #watch: Watch<readonly Event[]>;
  #left: number;

  constructor(watch: Watch<readonly Event[]>, messages: number) {
    this.#watch = watch;
    this.#left = messages;
  }

  async next(): Promise<readonly Event[]> {
    if (this.#left-- > 0) return (await this.#watch.next()).value ?? [];
    await this.#watch.close();
    throw new UnavailableError('broken');
  }

  close(): void {
    void this.#watch.close();
  }
}

const step = fc.oneof(
  fc.record({ do: fc.constant('write' as const), id: fc.integer({ min: 0, max: 6 }) }),
  fc.record({ do: fc.constant('destroy' as const), id: fc.integer({ min: 0, max: 6 }) }),
  fc.record({ do: fc.constant('read' as const), id: fc.constant(0) }),
);

async function apply(core: InMemoryState, id: string, isWrite: boolean): Promise<void> {
  const [present] = await core.list(Thing.kind, { id: `^${id}$` });
  if (!isWrite) {
    if (present !== undefined) await core.destroy(present.metadata);
  } else if (present === undefined) {
    await core.create(Thing.new(id, { n: 0 }));
  } else {
    await core.update(present);
  }
}

describe('a watch whose streams break again and again', () => {
  const shapes: readonly [string, boolean, (asked: Start) => Progress<Event | readonly Event[]>][] = [
    ['single', false, (asked) => new KindProgress<Event>(asked, new BootstrapComparison())],
    ['aggregated', true, (asked) => new KindProgress<readonly Event[]>(asked, new EventArrays(true))],
  ];

  it.each(shapes)(
    'N4: %s events bring the consumer to what is there, each change once',
    async (_name, aggregated, progressOf) => {
      const lengths = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 30 });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40 }), lengths, async (steps, lengths) => {
          const core = new InMemoryState();
          for (const id of [1, 3, 5]) await core.create(Thing.new(`x${id}`, { n: 0 }));
          const clock = new VirtualClock();
          let attempt = 0;
          const open: OpenStream = async ({ bookmark, bootstrap, noop }) => {
            const messages = lengths[attempt++] ?? 1000;
            const options = { startFromBookmark: bookmark, bootstrapContents: bootstrap, bootstrapBookmark: noop };
            const watch = await core.watchKind(Thing.kind, options);
            const arrays = createWatch<readonly Event[]>({
              pull: async () => [(await watch.next()).value as Event],
              close: () => watch.close(),
            });
            return new BreakingStream(arrays, messages);
          };
          const asked: Start = { bookmark: undefined, bootstrap: true, noop: false, tailEvents: 0 };
          const stream = await open({ ...asked, noop: true }, aggregated, new AbortController().signal);
          const watch = createWatch(
            new ResumingWatch(
              { stream, atBookmark: false, aggregated },
              progressOf(asked),
              Thing.kind,
              open,
              undefined,
              {
                resume: true,
                resumeBackoff: {},
                clock,
                random: middle,
                logger: { warn() {}, error() {} },
                maxSilenceMs: undefined,
              },
              () => {},
            ),
          );
          const view = new Map<string, bigint | undefined>();
          let bootstrapped = 0;
          const see = (event: Event) => {
            if (event.type === 'errored' || event.type === 'noop') throw new Error(`an unexpected ${event.type}`);
            if (event.type === 'bootstrapped') {
              bootstrapped++;
              return;
            }
            const { id, version } = event.resource.metadata;
            expect(view.has(id), `${event.type} ${id}`).toBe(event.type !== 'created');
            if (event.type === 'updated' && bootstrapped > 0) expect(version).toBe((view.get(id) ?? 0n) + 1n);
            if (event.type === 'destroyed') view.delete(id);
            else view.set(id, version);
          };
          let pending: Promise<void> | undefined;
          const read = async () => {
            const { value } = await watch.next();
            if (value === undefined) throw new Error('the watch ended');
            for (const event of Array.isArray(value) ? (value as readonly Event[]) : [value as Event]) see(event);
          };
          for (const each of [...steps, ...Array<(typeof steps)[number]>(60).fill({ do: 'read', id: 0 })]) {
            if (each.do !== 'read') await apply(core, `x${each.id}`, each.do === 'write');
            else {
              pending ??= read().finally(() => {
                pending = undefined;
              });
              await clock.advance(100_000);
            }
          }
          const present = (await core.list(Thing.kind)).map(({ metadata }) => [metadata.id, metadata.version] as const);
          expect([...view].sort(([a], [b]) => (a < b ? -1 : 1))).toEqual(present);
          expect(bootstrapped).toBe(1);
          await watch.close();
          await pending?.catch(() => {});
        }),
        { numRuns: 60 },
      );
    },
  );
});
