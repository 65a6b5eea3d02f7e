package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"math"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cosi-project/runtime/api/v1alpha1"
	"github.com/cosi-project/runtime/pkg/resource"
	"github.com/cosi-project/runtime/pkg/state"
	"github.com/cosi-project/runtime/pkg/state/impl/inmem"
	"github.com/cosi-project/runtime/pkg/state/protobuf/client"
	"github.com/cosi-project/runtime/pkg/state/protobuf/server"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Large enough that no watch of the benchmarks falls out of it.
const historyCapacity = 1 << 18

func inMemory() state.State {
	return state.WrapCore(inmem.NewStateWithOptions(
		inmem.WithHistoryMaxCapacity(historyCapacity),
		inmem.WithHistoryInitialCapacity(historyCapacity),
	)(namespace))
}

var kind = resource.NewMetadata(namespace, machineType, "", resource.VersionUndefined)

func at(id string) resource.Metadata {
	return resource.NewMetadata(namespace, machineType, id, resource.VersionUndefined)
}

// serve serves a state in memory, prints where, and does what it is told by lines: "fill N", "burst N".
func serve() {
	st := inMemory()
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	grpcServer := grpc.NewServer()
	v1alpha1.RegisterStateServer(grpcServer, server.NewState(st))

	go func() { check(grpcServer.Serve(listener)) }()

	fmt.Println(listener.Addr().String())

	for input := bufio.NewScanner(os.Stdin); input.Scan(); {
		words := strings.Fields(input.Text())
		count := must(strconv.Atoi(words[1]))

		switch words[0] {
		case "fill":
			for n := range count {
				check(st.Create(context.Background(), newMachine(fmt.Sprintf("machine-%d", n), n)))
			}
		case "burst":
			burst(st, count)
		default:
			log.Fatalf("there is no command %q", words[0])
		}

		fmt.Println("done")
	}
}

const updatedMachines = 64

// burst updates the first of the machines, one after the other.
func burst(st state.State, count int) {
	burstOf(st, count, spec)
}

func burstOf(st state.State, count int, spec func(n int) *v1alpha1.Metadata) {
	ctx := context.Background()
	current := make([]*machine, updatedMachines)

	for i := range current {
		got := must(st.Get(ctx, at(fmt.Sprintf("machine-%d", i))))
		current[i] = got.(*machine) //nolint:forcetypeassert
	}

	for n := range count {
		next := current[n%updatedMachines]
		next.TypedSpec().Value = spec(n)
		check(st.Update(ctx, next))
	}
}

func connect(address string) state.State {
	conn := must(grpc.NewClient(
		address,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		// An aggregated watch that falls behind is sent messages far beyond the default.
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)),
	))

	return state.WrapCore(client.NewAdapter(v1alpha1.NewStateClient(conn)))
}

func calls(address string, callers int, seconds float64) any {
	ctx := context.Background()
	st := connect(address)

	get := measure(callers, seconds, func(caller, _ int) {
		must(st.Get(ctx, at(fmt.Sprintf("machine-%d", caller))))
	})

	mine := make([]*machine, callers)
	for i := range mine {
		mine[i] = must(st.Get(ctx, at(fmt.Sprintf("machine-%d", i)))).(*machine) //nolint:forcetypeassert
	}

	update := measure(callers, seconds, func(caller, n int) {
		mine[caller].TypedSpec().Value = spec(n)
		check(st.Update(ctx, mine[caller]))
	})

	return map[string]rate{"get": get, "update": update}
}

func list(address string) any {
	ctx := context.Background()
	st := connect(address)
	best := math.Inf(1)
	count := 0

	for range 3 {
		begin := time.Now()
		count = len(must(st.List(ctx, kind)).Items)
		best = min(best, time.Since(begin).Seconds())
	}

	return map[string]float64{"perSecond": float64(count) / best}
}

// watch opens watches, says so, and prints how long after the next line the last of them had got all events.
func watch(address string, watchers, events int, aggregated bool) any {
	st := connect(address)
	wait := watchAll(st, watchers, events, aggregated)

	fmt.Println("established")
	must(bufio.NewReader(os.Stdin).ReadString('\n'))

	begin := time.Now()

	wait.Wait()

	return map[string]float64{"perSecond": float64(watchers*events) / time.Since(begin).Seconds()}
}

// watchAll gives what is done when each of the watchers has got so many events.
func watchAll(st state.State, watchers, events int, aggregated bool) *sync.WaitGroup {
	ctx := context.Background()
	wait := &sync.WaitGroup{}

	for range watchers {
		if aggregated {
			channel := make(chan []state.Event)
			check(st.WatchKindAggregated(ctx, kind, channel))
			wait.Go(func() {
				for seen := 0; seen < events; {
					seen += len(withoutErrors(<-channel...))
				}
			})

			continue
		}

		channel := make(chan state.Event)
		check(st.WatchKind(ctx, kind, channel))
		wait.Go(func() {
			for range events {
				withoutErrors(<-channel)
			}
		})
	}

	return wait
}

func withoutErrors(events ...state.Event) []state.Event {
	for _, event := range events {
		if event.Type == state.Errored {
			log.Fatal(event.Error)
		}
	}

	return events
}

// fanOut writes for watchers in the same process, and measures what they get and what the writer can do.
func fanOut(watchers, events int, aggregated bool) any {
	st := inMemory()
	specs := make([]*v1alpha1.Metadata, 2*updatedMachines+1)

	for n := range specs {
		specs[n] = spec(n)
	}

	for n := range updatedMachines {
		check(st.Create(context.Background(), newMachine(fmt.Sprintf("machine-%d", n), n)))
	}

	wait := watchAll(st, watchers, events, aggregated)
	begin := time.Now()

	burstOf(st, events, func(n int) *v1alpha1.Metadata { return specs[n%len(specs)] })

	written := time.Since(begin)

	wait.Wait()

	return map[string]float64{
		"deliveriesPerSecond": float64(watchers*events) / time.Since(begin).Seconds(),
		"writesPerSecond":     float64(events) / written.Seconds(),
	}
}
