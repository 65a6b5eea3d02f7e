import { messageSpec } from '@cosi-ts/proto';
import { createTypeRegistry, defineResource, NamespaceType } from '@cosi-ts/resource';
import {
  GaugeSpecSchema,
  InvoiceSpecSchema,
  OrderSpecSchema,
  ParcelSpecSchema,
  ReceiptSpecSchema,
} from './gen/cosi/interop/shop_pb.js';

// The resource types that both implementations work with. Go declares the same ones in peer/specs.
const namespace = 'shop';

export const Orders = defineResource({
  type: 'Orders.interop.cosi.dev',
  namespace,
  spec: messageSpec(OrderSpecSchema),
  aliases: ['purchase'],
  printColumns: [{ name: 'Customer', jsonPath: '{.customer}' }],
  sensitivity: 'sensitive',
});
export const Invoices = defineResource({
  type: 'Invoices.interop.cosi.dev',
  namespace,
  spec: messageSpec(InvoiceSpecSchema),
});
export const Receipts = defineResource({
  type: 'Receipts.interop.cosi.dev',
  namespace,
  spec: messageSpec(ReceiptSpecSchema),
});
export const Parcels = defineResource({
  type: 'Parcels.interop.cosi.dev',
  namespace,
  spec: messageSpec(ParcelSpecSchema),
});
export const Documents = defineResource<Record<string, unknown>>({
  type: 'Documents.interop.cosi.dev',
  namespace,
});
const Gauges = defineResource({
  type: 'Gauges.interop.cosi.dev',
  namespace,
  spec: messageSpec(GaugeSpecSchema),
});

export const types = createTypeRegistry([Orders, Invoices, Receipts, Parcels, Documents, Gauges, NamespaceType]);
