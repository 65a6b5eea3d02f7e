import { type Controller, destroy, exclusive, qtransform, type Runtime, transform, weak } from '@cosi-ts/runtime';
import { Documents, Invoices, Orders, Parcels, Receipts } from '../shop.js';

/** An invoice of ten for each piece. */
const invoices = () =>
  qtransform({
    name: 'InvoiceController',
    input: Orders.kind,
    output: Invoices.kind,
    concurrency: 4,
    transform(draft, { spec }) {
      draft.spec.customer = spec.customer;
      draft.spec.amount = 10 * spec.quantity;
    },
  });

/** A receipt of all that is asked for. */
const receipts = () =>
  qtransform({
    name: 'ReceiptController',
    input: Invoices.kind,
    output: Receipts.kind,
    concurrency: 4,
    transform(draft, { spec }) {
      draft.spec.customer = spec.customer;
      draft.spec.paid = spec.amount;
    },
  });

/** A parcel with so many pieces, by a controller that goes through all orders each time. */
const parcels = () =>
  transform({
    name: 'ParcelController',
    input: Orders.kind,
    output: Parcels.kind,
    inputFinalizers: true,
    transform(draft, { spec }) {
      draft.spec.customer = spec.customer;
      draft.spec.pieces = spec.quantity;
    },
  });

/** One document that says how many receipts there are, and what they come to. */
const tally = (): Controller => ({
  name: 'TallyController',
  inputs: [weak(Receipts.kind)],
  outputs: [exclusive(Documents)],
  async run({ events, state }) {
    for await (const _ of events) {
      const all = await state.list(Receipts.kind);
      await state.modify(Documents.at('tally'), (draft) => {
        draft.spec = { count: all.length, sum: all.reduce((sum, { spec }) => sum + spec.paid, 0) };
      });
    }
  },
});

/** Ways to register controllers, by name. Go's program has the same ones. */
export const ourControllers = {
  invoices: (runtime: Runtime) => runtime.register(invoices()),
  receipts: (runtime: Runtime) => runtime.register(receipts()),
  parcels: (runtime: Runtime) => runtime.register(parcels()),
  tally: (runtime: Runtime) => runtime.register(tally()),
  destroyOrders: (runtime: Runtime) => runtime.register(destroy(Orders.kind, { concurrency: 4 })),
};

export type ControllerName = keyof typeof ourControllers;

export const controllerNames = Object.keys(ourControllers) as ControllerName[];
