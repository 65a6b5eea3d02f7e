import { defineResource, type Pointer } from '@cosi-ts/resource';
import { exclusive, primary, type QueueController, type ReconcileContext } from '@cosi-ts/runtime';

export const Order = defineResource<{ items: number; price: number }>({
  type: 'Orders.shop.example.org',
  namespace: 'shop',
});
export const Invoice = defineResource<{ total: number }>({ type: 'Invoices.shop.example.org', namespace: 'shop' });

/** Writes an invoice for each order, at prices that a shop tells, which is closed at times. */
export class InvoiceController implements QueueController {
  readonly name = 'InvoiceController';
  readonly inputs = [primary(Order.kind)];
  readonly outputs = [exclusive(Invoice)];
  readonly #isOpen: () => boolean;

  constructor(isOpen: () => boolean) {
    this.#isOpen = isOpen;
  }

  async reconcile({ id }: Pointer, { state }: ReconcileContext) {
    const order = await state.find(Order.at(id));
    if (order === undefined || order.metadata.phase === 'tearingDown') {
      if ((await state.destroyIfReady(Invoice.at(id))) && order !== undefined)
        await state.removeFinalizer(Order.at(id));
      return;
    }
    if (!this.#isOpen()) throw new Error('the shop is closed');
    await state.addFinalizer(Order.at(id));
    await state.modify(Invoice.at(id), (draft) => {
      draft.spec.total = order.spec.items * order.spec.price;
    });
  }
}
