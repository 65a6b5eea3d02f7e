// Copyright The COSI for TypeScript Authors. Apache-2.0.

// Package specs declares the resource types that both implementations work with.
package specs

import (
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/cosi-project/runtime/pkg/resource"
	"github.com/cosi-project/runtime/pkg/resource/meta"
	"github.com/cosi-project/runtime/pkg/resource/protobuf"
	"github.com/cosi-project/runtime/pkg/resource/typed"
)

// Namespace is where all of them are.
const Namespace = "shop"

// The types, whose specs are protobuf messages, a JSON-like document, and a struct with tags.
const (
	OrderType    = "Orders.interop.cosi.dev"
	InvoiceType  = "Invoices.interop.cosi.dev"
	ReceiptType  = "Receipts.interop.cosi.dev"
	ParcelType   = "Parcels.interop.cosi.dev"
	DocumentType = "Documents.interop.cosi.dev"
	GaugeType    = "Gauges.interop.cosi.dev"
)

type (
	// Order has a message as its spec.
	Order = typed.Resource[protobuf.ResourceSpec[OrderSpec, *OrderSpec], orderExtension]
	// Invoice is made of an order.
	Invoice = typed.Resource[protobuf.ResourceSpec[InvoiceSpec, *InvoiceSpec], invoiceExtension]
	// Receipt is made of an invoice.
	Receipt = typed.Resource[protobuf.ResourceSpec[ReceiptSpec, *ReceiptSpec], receiptExtension]
	// Parcel is made of an order.
	Parcel = typed.Resource[protobuf.ResourceSpec[ParcelSpec, *ParcelSpec], parcelExtension]
	// Document has anything as its spec.
	Document = typed.Resource[protobuf.ResourceSpec[structpb.Struct, *structpb.Struct], documentExtension]
	// Gauge has a struct with tags as its spec.
	Gauge = typed.Resource[TaggedGauge, gaugeExtension]
)

// TaggedGauge is the message GaugeSpec, declared by tags.
type TaggedGauge struct {
	Name   string   `yaml:"name" protobuf:"1"`
	Count  int64    `yaml:"count" protobuf:"2"`
	Lit    bool     `yaml:"lit" protobuf:"3"`
	Tags   []string `yaml:"tags" protobuf:"4"`
	Points []int64  `yaml:"points" protobuf:"5"`
}

// DeepCopy gives a gauge that shares nothing with this one.
func (gauge TaggedGauge) DeepCopy() TaggedGauge {
	gauge.Tags = slices.Clone(gauge.Tags)
	gauge.Points = slices.Clone(gauge.Points)

	return gauge
}

type (
	orderExtension    struct{}
	invoiceExtension  struct{}
	receiptExtension  struct{}
	parcelExtension   struct{}
	documentExtension struct{}
	gaugeExtension    struct{}
)

func (orderExtension) ResourceDefinition() meta.ResourceDefinitionSpec {
	return meta.ResourceDefinitionSpec{
		Type:             OrderType,
		DefaultNamespace: Namespace,
		Aliases:          []resource.Type{"purchase"},
		PrintColumns:     []meta.PrintColumn{{Name: "Customer", JSONPath: "{.customer}"}},
		Sensitivity:      meta.Sensitive,
	}
}

func (invoiceExtension) ResourceDefinition() meta.ResourceDefinitionSpec {
	return definition(InvoiceType)
}

func (receiptExtension) ResourceDefinition() meta.ResourceDefinitionSpec {
	return definition(ReceiptType)
}

func (parcelExtension) ResourceDefinition() meta.ResourceDefinitionSpec {
	return definition(ParcelType)
}

func (documentExtension) ResourceDefinition() meta.ResourceDefinitionSpec {
	return definition(DocumentType)
}

func (gaugeExtension) ResourceDefinition() meta.ResourceDefinitionSpec {
	return definition(GaugeType)
}

func definition(typ resource.Type) meta.ResourceDefinitionSpec {
	return meta.ResourceDefinitionSpec{Type: typ, DefaultNamespace: Namespace}
}

// Register tells the Go module of the types.
func Register() error {
	for _, err := range []error{
		protobuf.RegisterResource(OrderType, &Order{}),
		protobuf.RegisterResource(InvoiceType, &Invoice{}),
		protobuf.RegisterResource(ReceiptType, &Receipt{}),
		protobuf.RegisterResource(ParcelType, &Parcel{}),
		protobuf.RegisterResource(DocumentType, &Document{}),
		protobuf.RegisterDynamic(GaugeType, &Gauge{}),
	} {
		if err != nil {
			return err
		}
	}

	return nil
}
