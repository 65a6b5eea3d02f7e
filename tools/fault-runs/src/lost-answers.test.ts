import { openFaultProxy } from '@cosi-ts/faults';
import { defineResource, isOutcomeUnknown, type Resource } from '@cosi-ts/resource';
import { exclusive, Runtime, weak } from '@cosi-ts/runtime';
import { type CoreState, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { connectState, serveState } from '@cosi-ts/transport';
import { describe, expect, it, onTestFinished } from 'vitest';

const Part = defineResource<{ value: number }>({ type: 'Parts.test', namespace: 'test' });
const Sum = defineResource<{ value: number }>({ type: 'Sums.test', namespace: 'test' });

const patient = { waitForReadyMs: 60_000, resumeBackoff: { initialMs: 5, maxMs: 20 } };
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => quiet };

/** Where the connection breaks: when the write was made, before it is made, or before it is made all the same. */
type Break = 'made' | 'lost' | 'late';

/** A state behind a server and a proxy that breaks the connection when a sum is written. */
async function breaking() {
  const inner = new InMemoryState();
  const breaks: Break[] = [];
  let arrived: () => void = () => undefined;
  const writing = async (write: () => Promise<Resource>): Promise<Resource> => {
    arrived();
    const next = breaks.shift();
    if (next === undefined) return write();
    if (next === 'made') {
      const made = await write();
      proxy.cut();
      return made;
    }
    const another = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    proxy.cut();
    if (next === 'lost') throw new Error('nobody hears this');
    await another;
    return write();
  };
  const core: CoreState = {
    get: inner.get.bind(inner),
    list: inner.list.bind(inner),
    watch: inner.watch.bind(inner),
    watchKind: inner.watchKind.bind(inner),
    watchKindAggregated: inner.watchKindAggregated.bind(inner),
    destroy: inner.destroy.bind(inner),
    // A server that goes on with what nobody waits for any more.
    create: (resource, options) => writing(() => inner.create(resource, { ...options, signal: undefined })),
    update: (resource, options) => writing(() => inner.update(resource, { ...options, signal: undefined })),
  };
  const server = await serveState(core, { address: '127.0.0.1:0' });
  const proxy = await openFaultProxy(server.url);
  const client = connectState(proxy.url, patient);
  onTestFinished(async () => {
    await client.close();
    await proxy.close();
    await server.close();
  });
  return { state: wrapState(inner), breaks, client, proxy };
}

describe('a connection that breaks when a write is under way', () => {
  it.each<Break>(['made', 'lost', 'late'])('C5: starts no controller again: it is %s', async (kind) => {
    const { state, breaks, client, proxy } = await breaking();
    const runtime = new Runtime(client, { logger: quiet, backoff: { initialMs: 5, maxMs: 50 } });
    runtime.register({
      name: 'Summer',
      inputs: [weak(Part.kind)],
      outputs: [exclusive(Sum)],
      async run({ events, state }) {
        for await (const _ of events) {
          const parts = await state.list(Part.kind);
          await state.modify(Sum.at('all'), (draft) => {
            draft.spec.value = parts.reduce((sum, { spec }) => sum + spec.value, 0);
          });
        }
      },
    });
    breaks.push(kind);
    const running = runtime.run();
    for (let i = 1; i <= 5; i++) {
      const sum = await state.watchFor(Sum.at('all'), {
        events: ['created', 'updated'],
        matches: ({ spec }) => spec.value === i - 1,
      });
      // Each is written once.
      expect(sum.metadata.version).toBe(BigInt(i));
      breaks.push(kind);
      await state.create(Part.new(`p${i}`, { value: 1 }));
    }
    await state.watchFor(Sum.at('all'), { events: ['created', 'updated'], matches: ({ spec }) => spec.value === 5 });
    expect(runtime.report().controllers).toMatchObject([{ restarts: 0, counts: { failed: 0 }, status: 'running' }]);
    expect(proxy.accepted).toBeGreaterThan(5);
    await runtime.close();
    await running;
  });

  it('S7: is told to who is no controller', async () => {
    const { breaks, client, state } = await breaking();
    breaks.push('made');
    const error = await client.create(Sum.new('all', { value: 1 })).catch((error: unknown) => error);
    expect(error).toSatisfy(isOutcomeUnknown);
    expect((await state.get(Sum.at('all'))).spec.value).toBe(1);
  });
});
