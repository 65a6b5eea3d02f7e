// Copyright The COSI for TypeScript Authors. Apache-2.0.

// Package stored is the Go implementation's side of the stored formats.
package stored

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"github.com/cosi-project/runtime/pkg/keystorage"
	"github.com/cosi-project/runtime/pkg/resource"
	"github.com/cosi-project/runtime/pkg/resource/meta"
	"github.com/cosi-project/runtime/pkg/state/impl/store"
	"github.com/cosi-project/runtime/pkg/state/impl/store/compression"
	"github.com/cosi-project/runtime/pkg/state/impl/store/encryption"
)

type stackOptions struct {
	Layers  []string `json:"layers"`
	MinSize int      `json:"minSize"`
	Key     string   `json:"key"`
}

type record struct {
	stackOptions
	Bytes string `json:"bytes"`
}

type request struct {
	Read    []record       `json:"read"`
	Write   []stackOptions `json:"write"`
	Open    []openRequest  `json:"open"`
	NewBlob *newBlob       `json:"newBlob"`
}

type openRequest struct {
	Blob       string `json:"blob"`
	Slot       string `json:"slot"`
	PrivateKey string `json:"privateKey"`
}

type newBlob struct {
	MasterKey  string            `json:"masterKey"`
	PublicKeys map[string]string `json:"publicKeys"`
	First      string            `json:"first"`
	PrivateKey string            `json:"privateKey"`
}

type answer struct {
	// The resources of Read as the peer's own protobuf records, or what it said against them.
	Read []outcome `json:"read"`
	// What it wrote, and the same resource as a plain protobuf record.
	Written []writtenRecord `json:"written"`
	// Master keys in hexadecimal, or what it said against the blob.
	Opened []outcome `json:"opened"`
	Blob   string    `json:"blob"`
}

type outcome struct {
	Value string `json:"value"`
	Error string `json:"error,omitempty"`
}

type writtenRecord struct {
	Bytes string `json:"bytes"`
	Plain string `json:"plain"`
}

// Answer reads one JSON request, does with the Go module what is asked, and writes one JSON document: the records it was
// given, as it read them; records that it wrote; the master keys that it got out of key storage blobs; a blob that it
// made.
func Answer(input io.Reader, output io.Writer) error {
	var asked request
	if err := json.NewDecoder(input).Decode(&asked); err != nil {
		return fmt.Errorf("the request: %w", err)
	}
	var given answer
	for _, each := range asked.Read {
		value, err := readRecord(each)
		given.Read = append(given.Read, outcomeOf(value, err))
	}
	for _, each := range asked.Write {
		written, err := writeRecord(each)
		if err != nil {
			return err
		}
		given.Written = append(given.Written, written)
	}
	for _, each := range asked.Open {
		value, err := openBlob(each)
		given.Opened = append(given.Opened, outcomeOf(value, err))
	}
	if asked.NewBlob != nil {
		blob, err := makeBlob(*asked.NewBlob)
		if err != nil {
			return err
		}
		given.Blob = blob
	}
	return json.NewEncoder(output).Encode(given)
}

func outcomeOf(value string, err error) outcome {
	if err != nil {
		return outcome{Error: err.Error()}
	}
	return outcome{Value: value}
}

func stack(options stackOptions) (store.Marshaler, error) {
	key, err := hex.DecodeString(options.Key)
	if err != nil {
		return nil, err
	}
	var marshaler store.Marshaler
	for _, layer := range options.Layers {
		switch layer {
		case "protobuf":
			marshaler = store.ProtobufMarshaler{}
		case "zstd":
			marshaler = compression.NewMarshaler(marshaler, compression.ZStd(), options.MinSize)
		case "aes-gcm":
			provider := encryption.KeyProviderFunc(func() ([]byte, error) { return key, nil })
			marshaler = encryption.NewMarshaler(marshaler, encryption.NewCipher(provider))
		default:
			return nil, fmt.Errorf("unknown layer %q", layer)
		}
	}
	return marshaler, nil
}

func plain(r resource.Resource) (string, error) {
	bytes, err := store.ProtobufMarshaler{}.MarshalResource(r)
	return base64.StdEncoding.EncodeToString(bytes), err
}

func readRecord(given record) (string, error) {
	marshaler, err := stack(given.stackOptions)
	if err != nil {
		return "", err
	}
	bytes, err := base64.StdEncoding.DecodeString(given.Bytes)
	if err != nil {
		return "", err
	}
	r, err := marshaler.UnmarshalResource(bytes)
	if err != nil {
		return "", err
	}
	return plain(r)
}

func writeRecord(options stackOptions) (writtenRecord, error) {
	marshaler, err := stack(options)
	if err != nil {
		return writtenRecord{}, err
	}
	namespace := meta.NewNamespace("written-by-go", meta.NamespaceSpec{Description: "lorem ipsum dolor sit amet, lorem ipsum dolor sit amet"})
	namespace.Metadata().Labels().Set("peer", "go")
	namespace.Metadata().Finalizers().Add("holder")
	bytes, err := marshaler.MarshalResource(namespace)
	if err != nil {
		return writtenRecord{}, err
	}
	same, err := plain(namespace)
	return writtenRecord{Bytes: base64.StdEncoding.EncodeToString(bytes), Plain: same}, err
}

func openBlob(given openRequest) (string, error) {
	blob, err := base64.StdEncoding.DecodeString(given.Blob)
	if err != nil {
		return "", err
	}
	var storage keystorage.KeyStorage
	if err := storage.UnmarshalBinary(blob); err != nil {
		return "", err
	}
	key, err := storage.GetMasterKey(given.Slot, given.PrivateKey)
	return hex.EncodeToString(key), err
}

func makeBlob(given newBlob) (string, error) {
	masterKey, err := hex.DecodeString(given.MasterKey)
	if err != nil {
		return "", err
	}
	var storage keystorage.KeyStorage
	if err := storage.Initialize(masterKey, given.First, given.PublicKeys[given.First]); err != nil {
		return "", err
	}
	for slot, publicKey := range given.PublicKeys {
		if slot == given.First {
			continue
		}
		if err := storage.AddKeySlot(slot, publicKey, given.First, given.PrivateKey); err != nil {
			return "", err
		}
	}
	blob, err := storage.MarshalBinary()
	return base64.StdEncoding.EncodeToString(blob), err
}
