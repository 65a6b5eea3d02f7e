import assert from 'node:assert/strict';
import type { OurSide } from '../exchange/our-side.js';
import { orders } from '../exchange/resources.js';
import { eventually } from '../in-time.js';
import { Documents, Invoices, Orders, Parcels, Receipts } from '../shop.js';
import type { WorkStage } from './work-stage.js';

export type WorkScenario = readonly [title: string, body: (stage: WorkStage) => Promise<void>];

/** Looking is work, too: it must not take the time of the controllers. */
const patient = { limitMs: 90_000, pauseMs: 100 };
const ids = Array.from({ length: 15 }, (_, i) => `order-${10 + i}`);

/** Orders in a shop, as a map from their ids to their quantities. */
type Ordered = ReadonlyMap<string, number>;

/** Waits until everything that follows from the orders is there, and nothing else. */
export async function converges(user: OurSide, ordered: Ordered): Promise<void> {
  const wanted = (of: (quantity: number) => number) =>
    [...ordered].map(([id, quantity]) => `${id}: ${of(quantity)}`).toSorted();
  await eventually(async () => {
    const [orderList, invoices, receipts, parcels] = await Promise.all([
      user.state.list(Orders.kind),
      user.state.list(Invoices.kind),
      user.state.list(Receipts.kind),
      user.state.list(Parcels.kind),
    ]);
    assert.deepEqual(
      orderList.map(({ metadata, spec }) => `${metadata.id}: ${spec.quantity}`),
      wanted((quantity) => quantity),
    );
    assert.deepEqual(
      invoices.map(({ metadata, spec }) => `${metadata.id}: ${spec.amount}`),
      wanted((quantity) => 10 * quantity),
    );
    assert.deepEqual(
      receipts.map(({ metadata, spec }) => `${metadata.id}: ${spec.paid}`),
      wanted((quantity) => 10 * quantity),
    );
    assert.deepEqual(
      parcels.map(({ metadata, spec }) => `${metadata.id}: ${spec.pieces}`),
      wanted((quantity) => quantity),
    );
    const { spec } = await user.state.get(Documents.at('tally'));
    const sum = [...ordered.values()].reduce((all, quantity) => all + 10 * quantity, 0);
    assert.deepEqual([spec.count, spec.sum], [ordered.size, sum]);
    for (const { metadata } of [...invoices, ...parcels, ...orderList]) assert.equal(metadata.phase, 'running');
  }, patient);
}

const order = (id: string, quantity: number) => ({ ...orders, id, spec: { customer: 'someone', quantity } });

/** Orders one of each id, by both sides in turn. */
async function orderAll({ both }: WorkStage, quantity: number): Promise<Map<string, number>> {
  for (const [i, id] of ids.entries()) await both[i % 2]?.create(order(id, quantity + i));
  return new Map(ids.map((id, i) => [id, quantity + i]));
}

export const workScenarios: readonly WorkScenario[] = [
  [
    'orders are worked on as they come, change and go',
    async (stage) => {
      await stage.start();
      const ordered = await orderAll(stage, 1);
      await converges(stage.user, ordered);
      for (const [i, id] of ids.slice(0, 8).entries()) {
        await stage.both[i % 2]?.change({ ...orders, id }, { spec: { quantity: 100 + i } });
        ordered.set(id, 100 + i);
      }
      await converges(stage.user, ordered);
      for (const [i, id] of ids.slice(4, 12).entries()) {
        await stage.both[i % 2]?.teardown({ ...orders, id });
        ordered.delete(id);
      }
      await converges(stage.user, ordered);
      // Another life of the same ids.
      for (const id of ids.slice(4, 8)) {
        await stage.both[0].create(order(id, 7));
        ordered.set(id, 7);
      }
      await converges(stage.user, ordered);
      await Promise.all([...ordered.keys()].map((id) => stage.both[1].teardown({ ...orders, id })));
      await converges(stage.user, new Map());
    },
  ],
  [
    'what was there before the controllers is worked on',
    async (stage) => {
      const ordered = await orderAll(stage, 3);
      await stage.both[0].teardown({ ...orders, id: ids[0] as string });
      ordered.delete(ids[0] as string);
      await stage.start();
      await converges(stage.user, ordered);
    },
  ],
  [
    'an output that is held holds its input',
    async (stage) => {
      await stage.start();
      const [id] = ids as [string];
      await stage.both[0].create(order(id, 2));
      await converges(stage.user, new Map([[id, 2]]));
      const receipt = { namespace: orders.namespace, type: Receipts.type, id };
      for (const [holder, other] of [stage.both, stage.both.toReversed()]) {
        await holder?.addFinalizer(receipt, `held by ${holder.name}`);
        await other?.get(receipt);
      }
      await stage.both[1].teardown({ ...orders, id });
      await eventually(async () => {
        assert.equal((await stage.user.state.get(Receipts.at(id))).metadata.phase, 'tearingDown');
        assert.equal((await stage.user.state.get(Invoices.at(id))).metadata.phase, 'tearingDown');
        assert.deepEqual([...(await stage.user.state.get(Orders.at(id))).metadata.finalizers], ['InvoiceController']);
      }, patient);
      for (const side of stage.both) await side.removeFinalizer(receipt, `held by ${side.name}`);
      await converges(stage.user, new Map());
    },
  ],
  [
    'a runtime that comes back goes on where things are',
    async (stage) => {
      await stage.start();
      const ordered = await orderAll(stage, 1);
      await converges(stage.user, ordered);
      for (const [i, workers] of stage.workers.entries()) {
        await workers.stop();
        const [torn, changed, fresh] = [ids[3 * i] as string, ids[3 * i + 1] as string, `late-${i}`];
        await stage.both[0].teardown({ ...orders, id: torn });
        await stage.both[1].change({ ...orders, id: changed }, { spec: { quantity: 50 + i } });
        await stage.both[0].create(order(fresh, 9));
        ordered.delete(torn);
        ordered.set(changed, 50 + i).set(fresh, 9);
        await stage.startAgain(i);
        await converges(stage.user, ordered);
      }
    },
  ],
];
