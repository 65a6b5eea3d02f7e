// Copyright The COSI for TypeScript Authors. Apache-2.0.

package actor

import (
	"context"
	"fmt"

	"github.com/siderolabs/gen/optional"
	"go.uber.org/zap"
	"google.golang.org/protobuf/types/known/structpb"

	"cosi-ts.example.org/interop-peer/specs"
	"github.com/cosi-project/runtime/pkg/controller"
	"github.com/cosi-project/runtime/pkg/controller/generic/destroy"
	"github.com/cosi-project/runtime/pkg/controller/generic/qtransform"
	"github.com/cosi-project/runtime/pkg/controller/generic/transform"
	"github.com/cosi-project/runtime/pkg/controller/runtime"
	"github.com/cosi-project/runtime/pkg/resource"
	"github.com/cosi-project/runtime/pkg/safe"
)

// controllers that a runtime can be given, by name. The other side has the same ones.
var controllers = map[string]func(*runtime.Runtime) error{
	"invoices":      registerInvoices,
	"receipts":      registerReceipts,
	"parcels":       registerParcels,
	"tally":         registerTally,
	"destroyOrders": registerDestroyOrders,
}

func metadataOf(r resource.Resource, typ resource.Type) resource.Metadata {
	return resource.NewMetadata(specs.Namespace, typ, r.Metadata().ID(), resource.VersionUndefined)
}

func newOrder(metadata resource.Metadata) *specs.Order {
	var order specs.Order
	order.TypedSpec().Value = &specs.OrderSpec{}
	*order.Metadata() = metadata

	return &order
}

func newInvoice(metadata resource.Metadata) *specs.Invoice {
	var invoice specs.Invoice
	invoice.TypedSpec().Value = &specs.InvoiceSpec{}
	*invoice.Metadata() = metadata

	return &invoice
}

func newReceipt(metadata resource.Metadata) *specs.Receipt {
	var receipt specs.Receipt
	receipt.TypedSpec().Value = &specs.ReceiptSpec{}
	*receipt.Metadata() = metadata

	return &receipt
}

func newParcel(metadata resource.Metadata) *specs.Parcel {
	var parcel specs.Parcel
	parcel.TypedSpec().Value = &specs.ParcelSpec{}
	*parcel.Metadata() = metadata

	return &parcel
}

// An invoice of ten for each piece, by a queue controller.
func registerInvoices(engine *runtime.Runtime) error {
	return engine.RegisterQController(qtransform.NewQController(
		qtransform.Settings[*specs.Order, *specs.Invoice]{
			Name: "InvoiceController",
			MapMetadataFunc: func(order *specs.Order) *specs.Invoice {
				return newInvoice(metadataOf(order, specs.InvoiceType))
			},
			UnmapMetadataFunc: func(invoice *specs.Invoice) *specs.Order {
				return newOrder(metadataOf(invoice, specs.OrderType))
			},
			TransformFunc: func(_ context.Context, _ controller.Reader, _ *zap.Logger, order *specs.Order, invoice *specs.Invoice) error {
				invoice.TypedSpec().Value.Customer = order.TypedSpec().Value.GetCustomer()
				invoice.TypedSpec().Value.Amount = 10 * order.TypedSpec().Value.GetQuantity()

				return nil
			},
		},
		qtransform.WithConcurrency(4),
	))
}

// A receipt of all that is asked for, by a queue controller.
func registerReceipts(engine *runtime.Runtime) error {
	return engine.RegisterQController(qtransform.NewQController(
		qtransform.Settings[*specs.Invoice, *specs.Receipt]{
			Name: "ReceiptController",
			MapMetadataFunc: func(invoice *specs.Invoice) *specs.Receipt {
				return newReceipt(metadataOf(invoice, specs.ReceiptType))
			},
			UnmapMetadataFunc: func(receipt *specs.Receipt) *specs.Invoice {
				return newInvoice(metadataOf(receipt, specs.InvoiceType))
			},
			TransformFunc: func(_ context.Context, _ controller.Reader, _ *zap.Logger, invoice *specs.Invoice, receipt *specs.Receipt) error {
				receipt.TypedSpec().Value.Customer = invoice.TypedSpec().Value.GetCustomer()
				receipt.TypedSpec().Value.Paid = invoice.TypedSpec().Value.GetAmount()

				return nil
			},
		},
		qtransform.WithConcurrency(4),
	))
}

// A parcel with so many pieces, by a controller that goes through all orders each time.
func registerParcels(engine *runtime.Runtime) error {
	return engine.RegisterController(transform.NewController(
		transform.Settings[*specs.Order, *specs.Parcel]{
			Name: "ParcelController",
			MapMetadataFunc: func(order *specs.Order) *specs.Parcel {
				return newParcel(metadataOf(order, specs.ParcelType))
			},
			TransformFunc: func(_ context.Context, _ controller.Reader, _ *zap.Logger, order *specs.Order, parcel *specs.Parcel) error {
				parcel.TypedSpec().Value.Customer = order.TypedSpec().Value.GetCustomer()
				parcel.TypedSpec().Value.Pieces = order.TypedSpec().Value.GetQuantity()

				return nil
			},
			FinalizerRemovalFunc: func(context.Context, controller.Reader, *zap.Logger, *specs.Order) error {
				return nil
			},
		},
		transform.WithInputFinalizers(),
	))
}

func registerDestroyOrders(engine *runtime.Runtime) error {
	return engine.RegisterQController(destroy.NewController[*specs.Order](optional.Some[uint](4)))
}

// tally writes one document that says how many receipts there are, and what they come to.
type tally struct{}

func registerTally(engine *runtime.Runtime) error {
	return engine.RegisterController(tally{})
}

func (tally) Name() string { return "TallyController" }

func (tally) Inputs() []controller.Input {
	return []controller.Input{
		{Namespace: specs.Namespace, Type: specs.ReceiptType, Kind: controller.InputWeak},
	}
}

func (tally) Outputs() []controller.Output {
	return []controller.Output{{Type: specs.DocumentType, Kind: controller.OutputExclusive}}
}

func (tally) Run(ctx context.Context, r controller.Runtime, _ *zap.Logger) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.EventCh():
		}
		receipts, err := safe.ReaderListAll[*specs.Receipt](ctx, r)
		if err != nil {
			return fmt.Errorf("the receipts: %w", err)
		}
		var count, sum float64
		for receipt := range receipts.All() {
			count++
			sum += float64(receipt.TypedSpec().Value.GetPaid())
		}
		document, err := newResource(specs.DocumentType)
		if err != nil {
			return err
		}
		*document.Metadata() = resource.NewMetadata(specs.Namespace, specs.DocumentType, "tally", resource.VersionUndefined)
		if err := safe.WriterModify(ctx, r, document.(*specs.Document), func(document *specs.Document) error {
			document.TypedSpec().Value = tallyOf(count, sum)

			return nil
		}); err != nil {
			return fmt.Errorf("the tally: %w", err)
		}
	}
}

func tallyOf(count, sum float64) *structpb.Struct {
	return &structpb.Struct{Fields: map[string]*structpb.Value{
		"count": structpb.NewNumberValue(count),
		"sum":   structpb.NewNumberValue(sum),
	}}
}
