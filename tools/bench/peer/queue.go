package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cosi-project/runtime/pkg/controller"
	"github.com/cosi-project/runtime/pkg/controller/generic/qtransform"
	cosiruntime "github.com/cosi-project/runtime/pkg/controller/runtime"
	"github.com/cosi-project/runtime/pkg/resource"
	"github.com/cosi-project/runtime/pkg/resource/meta"
	"github.com/cosi-project/runtime/pkg/resource/protobuf"
	"github.com/cosi-project/runtime/pkg/resource/typed"
	"github.com/cosi-project/runtime/pkg/state"
	"github.com/cosi-project/runtime/pkg/state/impl/inmem"
	"go.uber.org/zap"
)

const reflectionType = resource.Type("Reflections.bench.cosi.dev")

// What the controller makes of a machine.
type reflection = typed.Resource[machineSpec, reflectionExtension]

type reflectionExtension struct{}

func (reflectionExtension) ResourceDefinition() meta.ResourceDefinitionSpec {
	return meta.ResourceDefinitionSpec{Type: reflectionType, DefaultNamespace: namespace}
}

func newReflection(id string) *reflection {
	return typed.NewResource[machineSpec, reflectionExtension](
		resource.NewMetadata(namespace, reflectionType, id, resource.VersionUndefined),
		protobuf.NewResourceSpec(spec(0)),
	)
}

// reflecting runs a controller that copies each machine, until the function has returned.
func reflecting(resources, concurrency int, use func(ctx context.Context, st state.State, outputs chan state.Event)) {
	ctx, stop := context.WithCancel(context.Background())
	// Nothing overruns: what is measured is the queue.
	history := resources*4 + 1_000_000
	st := state.WrapCore(inmem.NewStateWithOptions(inmem.WithHistoryMaxCapacity(history))(namespace))

	for n := range resources {
		check(st.Create(ctx, newMachine(fmt.Sprintf("machine-%d", n), n)))
	}

	outputs := make(chan state.Event, 1024)
	check(st.WatchKind(ctx, newReflection("").Metadata(), outputs))

	rt := must(cosiruntime.NewRuntime(st, zap.NewNop()))
	check(rt.RegisterQController(qtransform.NewQController(
		qtransform.Settings[*machine, *reflection]{
			Name:              "Reflector",
			MapMetadataFunc:   func(in *machine) *reflection { return newReflection(in.Metadata().ID()) },
			UnmapMetadataFunc: func(out *reflection) *machine { return newMachine(out.Metadata().ID(), 0) },
			TransformFunc: func(_ context.Context, _ controller.Reader, _ *zap.Logger, in *machine, out *reflection) error {
				out.TypedSpec().Value = in.TypedSpec().Value

				return nil
			},
		},
		qtransform.WithConcurrency(uint(concurrency)),
	)))

	var wait sync.WaitGroup

	wait.Go(func() { check(rt.Run(ctx)) })
	use(ctx, st, outputs)
	stop()
	wait.Wait()
}

func queueThrough(resources, concurrency int) any {
	begin := time.Now()

	var took time.Duration

	reflecting(resources, concurrency, func(_ context.Context, _ state.State, outputs chan state.Event) {
		begin = time.Now()

		for seen := 0; seen < resources; {
			if event := <-outputs; event.Type == state.Created {
				seen++
			}
		}

		took = time.Since(begin)
	})

	return map[string]float64{"perSecond": float64(resources) / took.Seconds()}
}

// queueLatency creates machines at a rate, and measures how long it takes until each has its output,
// after a second of warming up.
func queueLatency(backlog, concurrency, perSecond int, seconds float64) any {
	var latencies []float64

	reflecting(backlog, concurrency, func(ctx context.Context, st state.State, outputs chan state.Event) {
		count := int(float64(perSecond) * (1 + seconds))
		begun := make(map[string]time.Time, count)

		var lock sync.Mutex

		go func() {
			first := time.Now()

			for n := range count {
				time.Sleep(time.Until(first.Add(time.Duration(float64(n) / float64(perSecond) * float64(time.Second)))))

				id := fmt.Sprintf("fresh-%d", n)

				lock.Lock()
				begun[id] = time.Now()
				lock.Unlock()

				check(st.Create(ctx, newMachine(id, n)))
			}
		}()

		for len(latencies) < count {
			event := <-outputs
			if event.Type != state.Created {
				continue
			}

			lock.Lock()
			at, ok := begun[event.Resource.Metadata().ID()]
			lock.Unlock()

			if ok {
				latencies = append(latencies, float64(time.Since(at).Microseconds())/1000)
			}
		}
	})

	latencies = latencies[perSecond:]
	slices.Sort(latencies)

	return map[string]float64{
		"medianMs": latencies[len(latencies)/2],
		"p99Ms":    latencies[len(latencies)*99/100],
	}
}
