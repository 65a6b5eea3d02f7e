// Copyright The COSI for TypeScript Authors. Apache-2.0.

package actor

import (
	"encoding/json"
	"fmt"
	"time"

	"go.yaml.in/yaml/v4"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"cosi-ts.example.org/interop-peer/specs"
	"github.com/cosi-project/runtime/pkg/resource"
	"github.com/cosi-project/runtime/pkg/resource/protobuf"
)

// described is a resource as plain JSON.
type described struct {
	Namespace   string            `json:"namespace"`
	Type        string            `json:"type"`
	ID          string            `json:"id"`
	Version     string            `json:"version"`
	Owner       string            `json:"owner"`
	Phase       string            `json:"phase"`
	Created     string            `json:"created"`
	Updated     string            `json:"updated"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	Finalizers  []string          `json:"finalizers"`
	// In protobuf's JSON form; absent where the type is not known here.
	Spec json.RawMessage `json:"spec,omitempty"`
	// The bytes of the spec.
	Bytes []byte `json:"bytes"`
	// The whole resource; empty when it has no YAML.
	YAML string `json:"yaml"`
}

func describe(r resource.Resource) (*described, error) {
	metadata := r.Metadata()
	result := &described{
		Namespace:   metadata.Namespace(),
		Type:        metadata.Type(),
		ID:          metadata.ID(),
		Version:     metadata.Version().String(),
		Owner:       metadata.Owner(),
		Phase:       metadata.Phase().String(),
		Created:     metadata.Created().UTC().Format(time.RFC3339Nano),
		Updated:     metadata.Updated().UTC().Format(time.RFC3339Nano),
		Labels:      metadata.Labels().Raw(),
		Annotations: metadata.Annotations().Raw(),
		Finalizers:  *metadata.Finalizers(),
	}
	encoded, err := protobuf.FromResource(r)
	if err != nil {
		return nil, err
	}
	wire, err := encoded.Marshal()
	if err != nil {
		return nil, err
	}
	result.Bytes = wire.GetSpec().GetProtoSpec()
	if resource.IsTombstone(r) {
		return result, nil
	}
	if result.Spec, err = specJSON(r); err != nil {
		return nil, err
	}
	if wire.GetSpec().GetYamlSpec() != "" {
		result.YAML, err = printed(r)
	}

	return result, err
}

func printed(r resource.Resource) (string, error) {
	whole, err := resource.MarshalYAML(r)
	if err != nil {
		return "", err
	}
	text, err := yaml.Marshal(whole)

	return string(text), err
}

func specJSON(r resource.Resource) (json.RawMessage, error) {
	if _, opaque := r.(*protobuf.Resource); opaque {
		return nil, nil
	}
	if message, ok := r.Spec().(interface{ GetValue() proto.Message }); ok {
		return protojson.Marshal(message.GetValue())
	}

	return json.Marshal(r.Spec())
}

// resource makes of the description what the Go module works with.
func (given described) resource() (resource.Resource, error) {
	made, err := newResource(given.Type)
	if err != nil {
		return nil, err
	}
	version := resource.VersionUndefined
	if given.Version != "" {
		if version, err = resource.ParseVersion(given.Version); err != nil {
			return nil, err
		}
	}
	metadata := resource.NewMetadata(given.Namespace, given.Type, given.ID, version)
	if given.Owner != "" {
		if err := metadata.SetOwner(given.Owner); err != nil {
			return nil, err
		}
	}
	if given.Phase != "" {
		phase, err := resource.ParsePhase(given.Phase)
		if err != nil {
			return nil, err
		}
		metadata.SetPhase(phase)
	}
	for key, value := range given.Labels {
		metadata.Labels().Set(key, value)
	}
	for key, value := range given.Annotations {
		metadata.Annotations().Set(key, value)
	}
	for _, finalizer := range given.Finalizers {
		metadata.Finalizers().Add(finalizer)
	}
	*made.Metadata() = metadata
	if given.Spec == nil {
		return made, nil
	}
	if err := json.Unmarshal(given.Spec, made.Spec()); err != nil {
		return nil, fmt.Errorf("the spec of a %s: %w", given.Type, err)
	}

	return made, nil
}

func newResource(typ resource.Type) (resource.Resource, error) {
	if typ == specs.GaugeType {
		return &specs.Gauge{}, nil
	}

	return protobuf.CreateResource(typ)
}
