// Copyright The COSI for TypeScript Authors. Apache-2.0.

package actor

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"go.yaml.in/yaml/v4"

	"cosi-ts.example.org/interop-peer/specs"
	"github.com/cosi-project/runtime/pkg/resource"
	"github.com/cosi-project/runtime/pkg/resource/meta"
	"github.com/cosi-project/runtime/pkg/resource/protobuf"
	"github.com/cosi-project/runtime/pkg/safe"
	"github.com/cosi-project/runtime/pkg/state"
	"github.com/cosi-project/runtime/pkg/state/registry"
)

// call is one operation of a client, with what it needs.
type call struct {
	Op         string    `json:"op"`
	Resource   described `json:"resource"`
	Owner      string    `json:"owner"`
	Phase      string    `json:"expectedPhase"`
	Finalizers []string  `json:"finalizers"`
	YAML       string    `json:"yaml"`
	Times      int       `json:"times"`
	TimeoutMs  int       `json:"timeoutMs"`
	queries
}

func (given call) pointer() resource.Pointer {
	return resource.NewMetadata(given.Resource.Namespace, given.Resource.Type, given.Resource.ID, resource.VersionUndefined)
}

// operations of a client, by name. The answers are what JSON can hold.
var calls = map[string]func(context.Context, state.State, call) (any, error){
	"create": func(ctx context.Context, st state.State, given call) (any, error) {
		made, err := given.Resource.resource()
		if err != nil {
			return nil, err
		}
		if err := st.Create(ctx, made, state.WithCreateOwner(given.Owner)); err != nil {
			return nil, err
		}

		return describe(made)
	},
	"get": func(ctx context.Context, st state.State, given call) (any, error) {
		found, err := st.Get(ctx, given.pointer())
		if err != nil {
			return nil, err
		}

		return describe(found)
	},
	"list": list,
	"update": func(ctx context.Context, st state.State, given call) (any, error) {
		made, err := given.Resource.resource()
		if err != nil {
			return nil, err
		}
		phase, err := given.expectedPhase()
		if err != nil {
			return nil, err
		}
		if err := st.Update(ctx, made, state.WithUpdateOwner(given.Owner), phase); err != nil {
			return nil, err
		}

		return describe(made)
	},
	// Sets the spec and the labels that are given, on whatever is stored.
	"change": func(ctx context.Context, st state.State, given call) (any, error) {
		phase, err := given.expectedPhase()
		if err != nil {
			return nil, err
		}
		changed, err := st.UpdateWithConflicts(ctx, given.pointer(), func(r resource.Resource) error {
			for key, value := range given.Resource.Labels {
				r.Metadata().Labels().Set(key, value)
			}
			if given.Resource.Spec == nil {
				return nil
			}

			return json.Unmarshal(given.Resource.Spec, r.Spec())
		}, state.WithUpdateOwner(given.Owner), phase)
		if err != nil {
			return nil, err
		}

		return describe(changed)
	},
	// Adds one to the quantity of an order, so many times.
	"count": func(ctx context.Context, st state.State, given call) (any, error) {
		for range given.Times {
			_, err := safe.StateUpdateWithConflicts(ctx, st, given.pointer(), func(order *specs.Order) error {
				order.TypedSpec().Value.Quantity++

				return nil
			})
			if err != nil {
				return nil, err
			}
		}

		return true, nil
	},
	"addFinalizer": func(ctx context.Context, st state.State, given call) (any, error) {
		return true, st.AddFinalizer(ctx, given.pointer(), given.Finalizers...)
	},
	"removeFinalizer": func(ctx context.Context, st state.State, given call) (any, error) {
		return true, st.RemoveFinalizer(ctx, given.pointer(), given.Finalizers...)
	},
	"teardown": func(ctx context.Context, st state.State, given call) (any, error) {
		return st.Teardown(ctx, given.pointer(), state.WithTeardownOwner(given.Owner))
	},
	"destroy": func(ctx context.Context, st state.State, given call) (any, error) {
		return true, st.Destroy(ctx, given.pointer(), state.WithDestroyOwner(given.Owner))
	},
	"teardownAndDestroy": func(ctx context.Context, st state.State, given call) (any, error) {
		if given.TimeoutMs > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, time.Duration(given.TimeoutMs)*time.Millisecond)
			defer cancel()
		}

		return true, st.TeardownAndDestroy(ctx, given.pointer(), state.WithTeardownAndDestroyOwner(given.Owner))
	},
	// Registers the definition of the resource's type.
	"registerType": func(ctx context.Context, st state.State, given call) (any, error) {
		made, err := newResource(given.Resource.Type)
		if err != nil {
			return nil, err
		}
		defined, ok := made.(meta.ResourceWithRD)
		if !ok {
			return nil, fmt.Errorf("%s has no definition", given.Resource.Type)
		}

		return true, registry.NewResourceRegistry(st).Register(ctx, defined)
	},
	"registerNamespace": func(ctx context.Context, st state.State, given call) (any, error) {
		return true, registry.NewNamespaceRegistry(st).Register(ctx, given.Resource.Namespace, given.Resource.ID)
	},
	// Reads a document, and asks no server.
	"parse": func(_ context.Context, _ state.State, given call) (any, error) {
		var read protobuf.YAMLResource
		if err := yaml.Unmarshal([]byte(given.YAML), &read); err != nil {
			return nil, err
		}

		return describe(read.Resource())
	},
}

func list(ctx context.Context, st state.State, given call) (any, error) {
	var options []state.ListOption
	labels, err := given.labelQueries()
	if err != nil {
		return nil, err
	}
	for _, query := range labels {
		options = append(options, state.WithLabelQuery(query))
	}
	id, err := given.idQuery()
	if err != nil {
		return nil, err
	}
	if id != nil {
		options = append(options, state.WithIDQuery(id...))
	}
	found, err := st.List(ctx, given.pointer(), options...)
	if err != nil {
		return nil, err
	}
	all := make([]*described, 0, len(found.Items))
	for _, item := range found.Items {
		one, err := describe(item)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}

	return all, nil
}

func (given call) expectedPhase() (state.UpdateOption, error) {
	if given.Phase == "any" {
		return state.WithExpectedPhaseAny(), nil
	}
	if given.Phase == "" {
		return state.WithExpectedPhase(resource.PhaseRunning), nil
	}
	phase, err := resource.ParsePhase(given.Phase)

	return state.WithExpectedPhase(phase), err
}
