// Copyright The COSI for TypeScript Authors. Apache-2.0.

package actor

import (
	"context"
	"strings"

	"github.com/cosi-project/runtime/pkg/resource"
	"github.com/cosi-project/runtime/pkg/state"
)

// watched says what is watched, and how.
type watched struct {
	Namespace         string  `json:"namespace"`
	Type              string  `json:"type"`
	ID                *string `json:"id"`
	Aggregated        bool    `json:"aggregated"`
	BootstrapContents bool    `json:"bootstrapContents"`
	BootstrapBookmark bool    `json:"bootstrapBookmark"`
	TailEvents        int     `json:"tailEvents"`
	Bookmark          []byte  `json:"startFromBookmark"`
	queries
}

// happened is an event as JSON.
type happened struct {
	Type     string     `json:"type"`
	Resource *described `json:"resource,omitempty"`
	Old      *described `json:"old,omitempty"`
	Error    *failure   `json:"error,omitempty"`
	Bookmark []byte     `json:"bookmark,omitempty"`
}

// start begins the watch. The events come in arrays, those of watches that are not aggregated one by one.
func (given watched) start(ctx context.Context, st state.State) (<-chan []state.Event, error) {
	kind := resource.NewMetadata(given.Namespace, given.Type, "", resource.VersionUndefined)
	if given.ID != nil {
		var options []state.WatchOption
		if given.TailEvents > 0 {
			options = append(options, state.WithTailEvents(given.TailEvents))
		}
		if given.Bookmark != nil {
			options = append(options, state.WithStartFromBookmark(given.Bookmark))
		}
		pointer := resource.NewMetadata(given.Namespace, given.Type, *given.ID, resource.VersionUndefined)
		events := make(chan state.Event)

		return oneByOne(ctx, events), st.Watch(ctx, pointer, events, options...)
	}
	options, err := given.kindOptions()
	if err != nil {
		return nil, err
	}
	if given.Aggregated {
		events := make(chan []state.Event)

		return events, st.WatchKindAggregated(ctx, kind, events, options...)
	}
	events := make(chan state.Event)

	return oneByOne(ctx, events), st.WatchKind(ctx, kind, events, options...)
}

func (given watched) kindOptions() ([]state.WatchKindOption, error) {
	options := []state.WatchKindOption{
		state.WithBootstrapContents(given.BootstrapContents),
		state.WithBootstrapBookmark(given.BootstrapBookmark),
	}
	if given.TailEvents > 0 {
		options = append(options, state.WithKindTailEvents(given.TailEvents))
	}
	if given.Bookmark != nil {
		options = append(options, state.WithKindStartFromBookmark(given.Bookmark))
	}
	labels, err := given.labelQueries()
	if err != nil {
		return nil, err
	}
	for _, query := range labels {
		options = append(options, state.WatchWithLabelQuery(query))
	}
	id, err := given.idQuery()
	if err != nil {
		return nil, err
	}
	if id != nil {
		options = append(options, state.WatchWithIDQuery(id...))
	}

	return options, nil
}

func oneByOne(ctx context.Context, events <-chan state.Event) <-chan []state.Event {
	arrays := make(chan []state.Event)
	go func() {
		for {
			select {
			case event := <-events:
				select {
				case arrays <- []state.Event{event}:
				case <-ctx.Done():
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()

	return arrays
}

func describeEvent(event state.Event) (happened, error) {
	result := happened{Type: strings.ToLower(event.Type.String()), Bookmark: event.Bookmark}
	var err error
	if event.Resource != nil {
		if result.Resource, err = describe(event.Resource); err != nil {
			return happened{}, err
		}
	}
	if event.Old != nil {
		if result.Old, err = describe(event.Old); err != nil {
			return happened{}, err
		}
	}
	if event.Error != nil {
		result.Error = failureOf(event.Error)
	}

	return result, nil
}
