// Copyright The COSI for TypeScript Authors. Apache-2.0.

// Package suites runs the conformance suites of the Go module, through its own client, against servers that whoever
// started this program makes on demand.
package suites

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stretchr/testify/suite"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/cosi-project/runtime/api/v1alpha1"
	controllers "github.com/cosi-project/runtime/pkg/controller/conformance"
	"github.com/cosi-project/runtime/pkg/controller/runtime"
	"github.com/cosi-project/runtime/pkg/controller/runtime/options"
	"github.com/cosi-project/runtime/pkg/resource"
	"github.com/cosi-project/runtime/pkg/resource/protobuf"
	"github.com/cosi-project/runtime/pkg/state"
	states "github.com/cosi-project/runtime/pkg/state/conformance"
	"github.com/cosi-project/runtime/pkg/state/protobuf/client"
)

// Where servers are made, and on which backend.
var (
	control = os.Getenv("COSI_INTEROP_CONTROL")
	backend = os.Getenv("COSI_INTEROP_BACKEND")
)

func TestMain(m *testing.M) {
	if control == "" {
		fmt.Fprintln(os.Stderr, "COSI_INTEROP_CONTROL must say where servers are made")
		os.Exit(2)
	}
	for _, err := range []error{
		protobuf.RegisterResource(states.PathResourceType, &states.PathResource{}),
		protobuf.RegisterResource(controllers.IntResourceType, &controllers.IntResource{}),
		protobuf.RegisterResource(controllers.StrResourceType, &controllers.StrResource{}),
		protobuf.RegisterResource(controllers.SentenceResourceType, &controllers.SentenceResource{}),
	} {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	os.Exit(m.Run())
}

// freshState connects to a server with nothing in it. It is taken down with the test.
func freshState(t *testing.T) state.State {
	t.Helper()
	address := ask(t, http.MethodPost, "/servers?backend="+url.QueryEscape(backend))
	t.Cleanup(func() { ask(t, http.MethodDelete, "/servers/"+url.PathEscape(address)) })

	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { connection.Close() }) //nolint:errcheck

	return state.WrapCore(client.NewAdapter(v1alpha1.NewStateClient(connection)))
}

func ask(t *testing.T, method, path string) string {
	t.Helper()
	request, err := http.NewRequest(method, control+path, nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close() //nolint:errcheck
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, string(body))

	return strings.TrimSpace(string(body))
}

func TestState(t *testing.T) {
	suite.Run(t, &states.StateSuite{
		State:      freshState(t),
		Namespaces: []resource.Namespace{"default", "controller", "system", "runtime"},
	})
}

// runtimeVariants are the options that the suite of the runtime is run with.
var runtimeVariants = []struct {
	name    string
	options []options.Option
	cached  bool
}{
	{name: "Defaults"},
	{name: "RateLimited", options: []options.Option{options.WithChangeRateLimit(10, 20)}},
	{name: "Cached", options: cachedKinds(), cached: true},
}

// cachedKinds are the kinds that the controllers of the suite read.
func cachedKinds() []options.Option {
	kinds := map[resource.Type][]resource.Namespace{
		controllers.IntResourceType: {
			"default", "ints", "source", "source1", "source2", "target", "q-int", "q-sleep-in", "metrics",
		},
		controllers.StrResourceType: {
			"default", "strings", "modify-with-result-source", "modify-with-result-target", "q-str", "q-sleep-out", "metrics",
		},
		controllers.SentenceResourceType: {"sentences"},
	}
	cached := []options.Option{options.WithWarnOnUncachedReads(true)}
	for typ, namespaces := range kinds {
		for _, namespace := range namespaces {
			cached = append(cached, options.WithCachedResource(namespace, typ))
		}
	}

	return cached
}

func TestRuntime(t *testing.T) {
	for _, variant := range runtimeVariants {
		t.Run(variant.name, func(t *testing.T) {
			suite.Run(t, &controllers.RuntimeSuite{
				MetricsReadCacheEnabled: variant.cached,
				SetupRuntime: func(tests *controllers.RuntimeSuite) {
					tests.State = freshState(tests.T())
					var err error
					tests.Runtime, err = runtime.NewRuntime(tests.State, zap.NewNop(), variant.options...)
					tests.Require().NoError(err)
				},
			})
		})
	}
}
