import { InMemoryState } from '@cosi-ts/state-inmem';
import { testRuntime } from '@cosi-ts/testing';
import { expect, it } from 'vitest';
import { Invoice, InvoiceController, Order } from './invoices.js';

it('writes an invoice when the shop opens, and takes it back with the order', async () => {
  let isOpen = false;
  await using test = testRuntime(new InMemoryState(), [new InvoiceController(() => isOpen)]);

  await test.state.create(Order.new('a-17', { items: 3, price: 5 }));
  await test.clock.advance(60_000); // a minute of failures, with all their backoffs, takes no time
  expect(await test.state.list(Invoice.kind)).toEqual([]);

  isOpen = true;
  await test.untilResource(Invoice.at('a-17'), ({ spec }) => expect(spec.total).toBe(15));

  await test.destroyAndWait(Order.at('a-17'));
  expect(await test.state.list(Invoice.kind)).toEqual([]);
});
