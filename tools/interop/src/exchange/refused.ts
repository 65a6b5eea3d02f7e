import assert from 'node:assert/strict';
import { type AccessRule, denied, filter, namespaced } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { serveState } from '@cosi-ts/transport';
import type { GoPeer } from '../go-peer.js';
import { directions, type Suite } from '../outcome.js';
import { types } from '../shop.js';
import { runTests, type Test } from '../test-run.js';
import { GoSide } from './go-side.js';
import { OurSide } from './our-side.js';
import { documents, invoices, orders } from './resources.js';
import { type Side, SideError } from './side.js';

/** Everything is allowed with orders, reading with invoices, and nothing with documents. */
const rule: AccessRule = (access) => {
  const { type, verb } = access;
  if (type === documents.type || (type === invoices.type && !verb.readonly)) throw denied(access, 'says the rule');
};

const a = { id: 'a', spec: {} };
const [invoice, document] = [
  { ...invoices, ...a },
  { ...documents, ...a },
];

type Call = readonly [what: string, call: (side: Side) => Promise<unknown>];

const writes: readonly Call[] = [
  ['create', (side) => side.create(invoice)],
  ['update', (side) => side.update({ ...invoice, version: '1' })],
  ['destroy', (side) => side.destroy(invoice)],
  ['teardown', (side) => side.teardown(invoice)],
  ['teardown and destruction', (side) => side.teardownAndDestroy(invoice)],
];
const reads: readonly Call[] = [
  ['get', (side) => side.get(document)],
  ['list', (side) => side.list(documents)],
  ['watch', (side) => side.watch(documents)],
  ['watch of one', (side) => side.watch(document)],
];

/**
 * Checks that each call is refused for what it is. Go's client takes every refusal of a write for an owner conflict; of
 * one that is composed of others, the reading step is what it is told of.
 */
async function refuses(side: Side, calls: readonly Call[], is: readonly string[]): Promise<void> {
  for (const [what, call] of calls) {
    await assert.rejects(call(side), (error: SideError) => {
      assert.ok(error instanceof SideError, String(error));
      assert.deepEqual(error.is, is, `${what} by ${side.name}: ${error.message}`);
      assert.match(error.message, /says the rule/);
      return true;
    });
  }
}

async function onFiltered(peer: GoPeer, body: (go: GoSide, ours: OurSide) => Promise<void>): Promise<void> {
  const state = filter(
    namespaced((name) => new InMemoryState(name)),
    rule,
  );
  await using server = await serveState(state, { address: '127.0.0.1:0', types });
  await using go = new GoSide(peer, server.address);
  await using ours = new OurSide(server.address);
  await body(go, ours);
}

/** Clients of both behind a rule of ours. */
export function refusedSuite(peer: GoPeer): Suite {
  const tests: readonly Test[] = [
    {
      title: 'writes that a rule denies are denied for us, and owner conflicts for Go',
      body: () =>
        onFiltered(peer, async (go, ours) => {
          await refuses(go, writes, ['conflict', 'owner-conflict']);
          await refuses(ours, writes, ['denied']);
          assert.deepEqual(await go.list(invoices), []);
        }),
    },
    {
      title: 'reads that a rule denies are denied',
      body: () =>
        onFiltered(peer, async (go, ours) => {
          await refuses(go, reads, []);
          await refuses(ours, reads, ['denied']);
        }),
    },
    {
      title: 'what the rule allows goes on',
      body: () =>
        onFiltered(peer, async (go, ours) => {
          for (const side of [go, ours]) {
            const order = { ...orders, id: `by ${side.name}`, spec: {} };
            await side.create(order);
            await side.addFinalizer(order, 'f');
            assert.equal(await side.teardown(order), false);
            await side.removeFinalizer(order, 'f');
            await side.teardownAndDestroy(order);
            assert.deepEqual(await side.list(orders), []);
          }
        }),
    },
  ];
  return {
    name: 'refusals of a rule',
    direction: directions.onOurs,
    backend: 'in-memory, filtered',
    run: (onOutcome) => runTests(tests, 1, onOutcome),
  };
}
