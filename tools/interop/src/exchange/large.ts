import assert from 'node:assert/strict';
import { isResourceExhausted } from '@cosi-ts/resource';
import { type GoPeer, goBackends } from '../go-peer.js';
import { type ServedState, serveOurs } from '../our-servers.js';
import { directions, type Suite } from '../outcome.js';
import { runTests, type Test } from '../test-run.js';
import { GoSide } from './go-side.js';
import { OurSide } from './our-side.js';
import { orders } from './resources.js';
import { PlainReader, type Side, textOf } from './side.js';

/** Fewer events than a Go server keeps, in more bytes than a message may have that Go takes. */
const [many, noteBytes] = [60, 100_000] as const;

const large = (i: number, bytes: number) => ({
  ...orders,
  id: `order-${100 + i}`,
  spec: { customer: 'x'.repeat(bytes) },
});

async function fill(side: Side): Promise<void> {
  for (let i = 0; i < many; i++) await side.create(large(i, noteBytes));
}

/** Whoever reads when all is over still gets every event. */
async function fallsBehind(watcher: Side, writer: Side): Promise<void> {
  const reader = new PlainReader(await watcher.watch({ ...orders, aggregated: true, bootstrapBookmark: true }));
  try {
    assert.equal((await reader.next()).type, 'noop');
    await fill(writer);
    const events = await reader.take(many);
    assert.deepEqual(
      events.map(textOf),
      Array.from({ length: many }, (_, i) => `created order-${100 + i}@1`),
    );
    await writer.destroy(large(0, 0));
    assert.equal(textOf(await reader.next()), 'destroyed order-100@1');
  } finally {
    await reader.close();
  }
}

/** An update and what was before it do not go into one message, with the YAML of both. */
async function losesOld(watcher: Side, writer: Side): Promise<void> {
  const bytes = 1.5 * 1024 * 1024;
  await writer.create(large(0, bytes));
  const reader = new PlainReader(await watcher.watch({ ...orders, aggregated: true }));
  try {
    await writer.change(large(0, bytes), { labels: { changed: 'yes' } });
    const { type, resource, old } = await reader.next();
    assert.deepEqual([type, resource?.labels, old], ['updated', { changed: 'yes' }, undefined]);
    assert.deepEqual(resource?.spec, large(0, bytes).spec);
  } finally {
    await reader.close();
  }
}

async function listsAll(reader: Side, writer: Side): Promise<void> {
  await fill(writer);
  const all = await reader.list(orders);
  assert.equal(all.length, many);
  for (const { spec } of all) assert.equal((spec as { customer: string }).customer.length, noteBytes);
}

interface Sides {
  readonly server: ServedState;
  readonly go: GoSide;
  readonly ours: OurSide;
}

type LargeTest = readonly [title: string, body: (sides: Sides) => Promise<void>];

const onOurs: readonly LargeTest[] = [
  ['a Go client that falls behind by megabytes catches up', ({ go, ours }) => fallsBehind(go, ours)],
  ['our client that falls behind by megabytes catches up', ({ go, ours }) => fallsBehind(ours, go)],
  ['a Go client gets a large update without what was before', ({ go, ours }) => losesOld(go, ours)],
  ['a Go client lists more than a message holds', ({ go, ours }) => listsAll(go, ours)],
];

const onGo: readonly LargeTest[] = [
  ['our client that falls behind by megabytes catches up', ({ go, ours }) => fallsBehind(ours, go)],
  [
    'our client catches up also when the messages are too large for it',
    async ({ server, go }) => {
      const broke: unknown[] = [];
      const logger = { warn: ({ err }: { err?: unknown }) => broke.push(err), error: () => undefined };
      await using narrow = new OurSide(server.address, { maxMessageBytes: 1024 * 1024, logger });
      await fallsBehind(narrow, go);
      assert.ok(broke.some(isResourceExhausted), `a message must have been too large: ${broke}`);
    },
  ],
  ['our client lists more than a message holds', ({ go, ours }) => listsAll(ours, go)],
];

/** Large resources, on servers of both. */
export function largeSuites(peer: GoPeer): readonly Suite[] {
  const suite = (
    direction: string,
    backend: string,
    serve: () => Promise<ServedState>,
    tests: readonly LargeTest[],
  ): Suite => ({
    name: 'large resources',
    direction,
    backend,
    run: (onOutcome) =>
      runTests(
        tests.map((test) => onSides(peer, serve, test)),
        1,
        onOutcome,
      ),
  });
  return [
    ...(['in-memory', 'LevelDB'] as const).map((backend) =>
      suite(directions.onOurs, backend, () => serveOurs(backend), onOurs),
    ),
    ...goBackends.map((backend) => suite(directions.onGo, backend, () => peer.serve(backend), onGo)),
  ];
}

function onSides(peer: GoPeer, serve: () => Promise<ServedState>, [title, body]: LargeTest): Test {
  return {
    title,
    body: async () => {
      await using server = await serve();
      await using go = new GoSide(peer, server.address);
      await using ours = new OurSide(server.address);
      await body({ server, go, ours });
    },
  };
}
