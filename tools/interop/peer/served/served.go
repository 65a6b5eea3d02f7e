// Copyright The COSI for TypeScript Authors. Apache-2.0.

// Package served serves states of the Go module over gRPC on loopback.
package served

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"
	"google.golang.org/grpc"

	"github.com/cosi-project/runtime/api/v1alpha1"
	"github.com/cosi-project/runtime/pkg/resource"
	"github.com/cosi-project/runtime/pkg/state"
	"github.com/cosi-project/runtime/pkg/state/impl/inmem"
	"github.com/cosi-project/runtime/pkg/state/impl/namespaced"
	"github.com/cosi-project/runtime/pkg/state/impl/store"
	"github.com/cosi-project/runtime/pkg/state/impl/store/bolt"
	"github.com/cosi-project/runtime/pkg/state/protobuf/server"
)

// Server is a state behind a port.
type Server struct {
	Address string

	backend string
	folder  string
	state   state.CoreState
	store   *bolt.BackingStore
	grpc    *grpc.Server
	done    chan error
}

// Start serves a fresh state: "in-memory", or "bbolt" in a folder of its own.
func Start(backend string) (*Server, error) {
	folder, err := os.MkdirTemp("", "cosi-interop-")
	if err != nil {
		return nil, err
	}
	started := &Server{backend: backend, folder: folder}
	if err := started.open(); err != nil {
		return nil, errors.Join(err, started.Close())
	}
	if err := started.listen("127.0.0.1:0"); err != nil {
		return nil, errors.Join(err, started.Close())
	}

	return started, nil
}

func (started *Server) open() error {
	switch started.backend {
	case "in-memory":
		started.state = namespaced.NewState(inmem.Build)

		return nil
	case "bbolt":
		backing, err := bolt.NewBackingStore(func() (*bbolt.DB, error) {
			// What a power failure leaves is not the matter here.
			return bbolt.Open(filepath.Join(started.folder, "state.db"), 0o600, &bbolt.Options{NoSync: true})
		}, store.ProtobufMarshaler{})
		if err != nil {
			return err
		}
		started.store = backing
		started.state = namespaced.NewState(func(namespace resource.Namespace) state.CoreState {
			return inmem.NewStateWithOptions(inmem.WithBackingStore(backing.WithNamespace(namespace)))(namespace)
		})

		return nil
	default:
		return fmt.Errorf("there is no backend %q", started.backend)
	}
}

func (started *Server) listen(address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	started.Address = listener.Addr().String()
	started.grpc = grpc.NewServer()
	v1alpha1.RegisterStateServer(started.grpc, server.NewState(started.state))
	started.done = make(chan error, 1)
	go func() { started.done <- started.grpc.Serve(listener) }()

	return nil
}

// Pause cuts all connections and leaves the port.
func (started *Server) Pause() error {
	if started.grpc == nil {
		return nil
	}
	started.grpc.Stop()
	started.grpc = nil

	return <-started.done
}

// Resume listens on the same port again, on the same state.
func (started *Server) Resume() error {
	return started.listen(started.Address)
}

// Reopen closes the state and opens it anew from what its store kept, on the same port.
func (started *Server) Reopen() error {
	if err := errors.Join(started.Pause(), started.closeStore(), started.open()); err != nil {
		return err
	}

	return started.Resume()
}

func (started *Server) closeStore() error {
	if started.store == nil {
		return nil
	}

	return started.store.Close()
}

// Close ends the server, and removes what it stored.
func (started *Server) Close() error {
	return errors.Join(started.Pause(), started.closeStore(), os.RemoveAll(started.folder))
}
