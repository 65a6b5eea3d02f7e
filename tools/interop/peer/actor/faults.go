// Copyright The COSI for TypeScript Authors. Apache-2.0.

package actor

import (
	"google.golang.org/grpc/status"

	"github.com/cosi-project/runtime/pkg/state"
)

// failure is an error as whoever uses the Go module sees it.
type failure struct {
	Text string `json:"text"`
	// The name of the gRPC status code.
	Status string `json:"status"`
	// What the module's own checks say that it is.
	Is []string `json:"is"`
}

func failureOf(err error) *failure {
	checks := []struct {
		name  string
		holds bool
	}{
		{"not-found", state.IsNotFoundError(err)},
		{"conflict", state.IsConflictError(err)},
		{"owner-conflict", state.IsOwnerConflictError(err)},
		{"phase-conflict", state.IsPhaseConflictError(err)},
		{"invalid-bookmark", state.IsInvalidWatchBookmarkError(err)},
		{"unsupported", state.IsUnsupportedError(err)},
	}
	is := []string{}
	for _, check := range checks {
		if check.holds {
			is = append(is, check.name)
		}
	}

	return &failure{Text: err.Error(), Status: status.Code(err).String(), Is: is}
}
