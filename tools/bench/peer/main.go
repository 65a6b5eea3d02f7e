// Measures the Go implementation of COSI, as the benchmarks beside it measure this project. The
// values are printed as JSON.
//
//	peer writes FOLDER WRITERS SECONDS
//	peer fill FOLDER RESOURCES
//	peer load FOLDER
//	peer serve
//	peer calls ADDRESS CALLERS SECONDS
//	peer list ADDRESS
//	peer watch ADDRESS WATCHERS EVENTS single|aggregated
//	peer fanout WATCHERS EVENTS single|aggregated
//	peer queue RESOURCES CONCURRENCY
//	peer latency BACKLOG CONCURRENCY PER_SECOND SECONDS
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/cosi-project/runtime/api/v1alpha1"
	"github.com/cosi-project/runtime/pkg/resource"
	"github.com/cosi-project/runtime/pkg/resource/meta"
	"github.com/cosi-project/runtime/pkg/resource/protobuf"
	"github.com/cosi-project/runtime/pkg/resource/typed"
	"github.com/cosi-project/runtime/pkg/state"
	"github.com/cosi-project/runtime/pkg/state/impl/inmem"
	"github.com/cosi-project/runtime/pkg/state/impl/store"
	"github.com/cosi-project/runtime/pkg/state/impl/store/bolt"
	"go.etcd.io/bbolt"
)

const (
	namespace   = "bench"
	machineType = resource.Type("Machines.bench.cosi.dev")
)

// The spec is a message that is there already: the texts in it are as long as those of the other side.
type machineSpec = protobuf.ResourceSpec[v1alpha1.Metadata, *v1alpha1.Metadata]

type machine = typed.Resource[machineSpec, extension]

type extension struct{}

func (extension) ResourceDefinition() meta.ResourceDefinitionSpec {
	return meta.ResourceDefinitionSpec{Type: machineType, DefaultNamespace: namespace}
}

func newMachine(id string, n int) *machine {
	made := typed.NewResource[machineSpec, extension](
		resource.NewMetadata(namespace, machineType, id, resource.VersionUndefined),
		protobuf.NewResourceSpec(spec(n)),
	)
	made.Metadata().Labels().Set("tier", fmt.Sprintf("tier-%d", n%100))
	made.Metadata().Labels().Set("app", "bench")

	return made
}

func spec(n int) *v1alpha1.Metadata {
	return &v1alpha1.Metadata{
		Namespace:  fmt.Sprintf("machine number %d of the benchmark", n),
		Type:       "registry.example.org/images/base:1.2.3",
		Id:         fmt.Sprintf("host-%d.example.org", n%97),
		Version:    fmt.Sprintf("zone-%d", n%5),
		Owner:      fmt.Sprintf("10.%d.%d.0/24", n%200, n%13),
		Phase:      "a note that somebody left, of a length that notes have",
		Finalizers: []string{"4", "16384"},
	}
}

func open(folder string, sync bool) (*bolt.BackingStore, state.State) {
	backing := must(bolt.NewBackingStore(func() (*bbolt.DB, error) {
		return bbolt.Open(filepath.Join(folder, "peer.db"), 0o600, &bbolt.Options{NoSync: !sync, NoFreelistSync: !sync})
	}, store.ProtobufMarshaler{}))
	core := inmem.NewStateWithOptions(
		inmem.WithBackingStore(backing.WithNamespace(namespace)),
		inmem.WithHistoryMaxCapacity(65536),
	)

	return backing, state.WrapCore(core(namespace))
}

type rate struct {
	PerSecond float64 `json:"perSecond"`
	MedianMs  float64 `json:"medianMs"`
}

func measure(writers int, seconds float64, write func(writer, n int)) rate {
	var latencies []float64

	run := func(length time.Duration, keep bool) time.Duration {
		var (
			wait sync.WaitGroup
			lock sync.Mutex
		)

		begin := time.Now()

		for writer := range writers {
			wait.Go(func() {
				var mine []float64

				for n := 0; time.Since(begin) < length; n++ {
					before := time.Now()
					write(writer, n)
					mine = append(mine, float64(time.Since(before).Microseconds())/1000)
				}

				lock.Lock()
				defer lock.Unlock()

				if keep {
					latencies = append(latencies, mine...)
				}
			})
		}

		wait.Wait()

		return time.Since(begin)
	}

	run(500*time.Millisecond, false)
	took := run(time.Duration(seconds*float64(time.Second)), true)
	slices.Sort(latencies)

	return rate{PerSecond: float64(len(latencies)) / took.Seconds(), MedianMs: latencies[len(latencies)/2]}
}

func writes(folder string, writers int, seconds float64) any {
	ctx := context.Background()
	backing, st := open(folder, true)

	defer backing.Close() //nolint:errcheck

	var count sync.Map

	create := measure(writers, seconds, func(writer, _ int) {
		n, _ := count.LoadOrStore(writer, new(int))
		at := n.(*int) //nolint:forcetypeassert
		*at++
		check(st.Create(ctx, newMachine(fmt.Sprintf("created-%d-%d", writer, *at), *at)))
	})

	free := make([]*machine, writers)
	for i := range free {
		free[i] = newMachine(fmt.Sprintf("updated-%d", i), i)
		check(st.Create(ctx, free[i]))
	}

	update := measure(writers, seconds, func(writer, n int) {
		mine := free[writer]
		mine.TypedSpec().Value = spec(n)
		check(st.Update(ctx, mine))
	})

	return map[string]rate{"create": create, "update": update}
}

func fill(folder string, resources int) any {
	backing, st := open(folder, false)
	defer backing.Close() //nolint:errcheck

	for n := range resources {
		check(st.Create(context.Background(), newMachine(fmt.Sprintf("machine-%d", n), n)))
	}

	return resources
}

func load(folder string) any {
	var before, after runtime.MemStats

	runtime.GC()
	runtime.ReadMemStats(&before)

	begin := time.Now()
	backing, st := open(folder, true)

	defer backing.Close() //nolint:errcheck

	// The first use loads; that there is no such resource is no matter.
	_, err := st.Get(context.Background(), resource.NewMetadata(namespace, machineType, "none", resource.VersionUndefined))
	if !state.IsNotFoundError(err) {
		log.Fatal(err)
	}

	took := time.Since(begin)

	runtime.GC()
	runtime.ReadMemStats(&after)

	var usage syscall.Rusage

	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))

	items := must(st.List(context.Background(), resource.NewMetadata(namespace, machineType, "", resource.VersionUndefined)))

	return map[string]any{
		"resources":     len(items.Items),
		"openMs":        0,
		"loadMs":        float64(took.Microseconds()) / 1000,
		"heapBytes":     after.HeapAlloc - before.HeapAlloc,
		"residentBytes": usage.Maxrss * 1024,
	}
}

func main() {
	check(protobuf.RegisterResource(machineType, &machine{}))

	var result any

	command, args := os.Args[1], os.Args[2:]
	number := func(i int) int { return must(strconv.Atoi(args[i])) }
	seconds := func(i int) float64 { return must(strconv.ParseFloat(args[i], 64)) }

	switch command {
	case "writes":
		result = writes(args[0], number(1), seconds(2))
	case "fill":
		result = fill(args[0], number(1))
	case "load":
		result = load(args[0])
	case "serve":
		serve()

		return
	case "calls":
		result = calls(args[0], number(1), seconds(2))
	case "list":
		result = list(args[0])
	case "watch":
		result = watch(args[0], number(1), number(2), args[3] == "aggregated")
	case "fanout":
		result = fanOut(number(0), number(1), args[2] == "aggregated")
	case "queue":
		result = queueThrough(number(0), number(1))
	case "latency":
		result = queueLatency(number(0), number(1), number(2), seconds(3))
	default:
		log.Fatalf("there is no command %q", command)
	}

	check(json.NewEncoder(os.Stdout).Encode(result))
}

func must[T any](value T, err error) T {
	check(err)

	return value
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
