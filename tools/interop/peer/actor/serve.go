// Copyright The COSI for TypeScript Authors. Apache-2.0.

// Package actor does over HTTP what a program that uses the Go module would do: it serves states, calls those of
// others, watches them, and runs controllers on them.
package actor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"

	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"cosi-ts.example.org/interop-peer/served"
	"github.com/cosi-project/runtime/api/v1alpha1"
	"github.com/cosi-project/runtime/pkg/state"
	"github.com/cosi-project/runtime/pkg/state/protobuf/client"
)

type actor struct {
	log *zap.Logger

	mu       sync.Mutex
	servers  map[string]*served.Server
	clients  map[string]*connected
	runtimes map[string]*running
	next     int
}

// connected is a client of a server of anyone.
type connected struct {
	state.State
	connection *grpc.ClientConn
}

// Serve prints the address that it listens on, and goes on until its input ends.
func Serve(input io.Reader, output io.Writer) error {
	log, err := zap.NewProduction(zap.IncreaseLevel(zap.WarnLevel))
	if err != nil {
		return err
	}
	a := &actor{
		log:      log,
		servers:  map[string]*served.Server{},
		clients:  map[string]*connected{},
		runtimes: map[string]*running{},
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go http.Serve(listener, a.handler()) //nolint:errcheck
	if _, err := fmt.Fprintln(output, listener.Addr()); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, input); err != nil {
		return err
	}

	return a.close()
}

func (a *actor) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /servers", func(w http.ResponseWriter, r *http.Request) {
		started, err := served.Start(r.URL.Query().Get("backend"))
		if err == nil {
			a.mu.Lock()
			a.servers[started.Address] = started
			a.mu.Unlock()
			fmt.Fprint(w, started.Address)
		} else {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	mux.HandleFunc("DELETE /servers/{address}", a.onServer(func(address string, server *served.Server) error {
		a.mu.Lock()
		delete(a.servers, address)
		a.mu.Unlock()

		return server.Close()
	}))
	mux.HandleFunc("POST /servers/{address}/pause", a.onServer(func(_ string, server *served.Server) error {
		return server.Pause()
	}))
	mux.HandleFunc("POST /servers/{address}/resume", a.onServer(func(_ string, server *served.Server) error {
		return server.Resume()
	}))
	mux.HandleFunc("POST /servers/{address}/reopen", a.onServer(func(_ string, server *served.Server) error {
		return server.Reopen()
	}))
	mux.HandleFunc("POST /clients/{address}/call", a.call)
	mux.HandleFunc("POST /clients/{address}/watch", a.watch)
	mux.HandleFunc("DELETE /clients/{address}", a.disconnect)
	mux.HandleFunc("POST /clients/{address}/runtimes", a.run)
	mux.HandleFunc("DELETE /runtimes/{id}", a.stop)

	return mux
}

func (a *actor) onServer(do func(string, *served.Server) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		address := r.PathValue("address")
		a.mu.Lock()
		server := a.servers[address]
		a.mu.Unlock()
		if server == nil {
			http.Error(w, "there is no server on "+address, http.StatusNotFound)

			return
		}
		if err := do(address, server); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}
}

// client connects to an address once.
func (a *actor) client(address string) (state.State, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if found := a.clients[address]; found != nil {
		return found, nil
	}
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, err
	}
	adapter := client.NewAdapter(v1alpha1.NewStateClient(connection), client.WithRetryLogger(a.log))
	a.clients[address] = &connected{State: state.WrapCore(adapter), connection: connection}

	return a.clients[address], nil
}

func (a *actor) disconnect(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	found := a.clients[r.PathValue("address")]
	delete(a.clients, r.PathValue("address"))
	a.mu.Unlock()
	if found == nil {
		return
	}
	if err := found.connection.Close(); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// asked reads the body of a request, and finds its client.
func asked[T any](a *actor, r *http.Request) (state.State, T, error) {
	var given T
	if err := json.NewDecoder(r.Body).Decode(&given); err != nil {
		return nil, given, err
	}
	st, err := a.client(r.PathValue("address"))

	return st, given, err
}

// answer is how a call ended.
type answer struct {
	Value any      `json:"value,omitempty"`
	Error *failure `json:"error,omitempty"`
}

func (a *actor) call(w http.ResponseWriter, r *http.Request) {
	st, given, err := asked[call](a, r)
	do := calls[given.Op]
	if err == nil && do == nil {
		err = fmt.Errorf("there is no operation %q", given.Op)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)

		return
	}
	value, err := do(r.Context(), st, given)
	result := answer{Value: value}
	if err != nil {
		result = answer{Error: failureOf(err)}
	}
	json.NewEncoder(w).Encode(result) //nolint:errcheck
}

// watch answers with a line when the watch is established, and one for each array of events.
func (a *actor) watch(w http.ResponseWriter, r *http.Request) {
	st, given, err := asked[watched](a, r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)

		return
	}
	lines := json.NewEncoder(w)
	flushed := http.NewResponseController(w)
	events, err := given.start(r.Context(), st)
	if err != nil {
		lines.Encode(answer{Error: failureOf(err)}) //nolint:errcheck

		return
	}
	if errors.Join(lines.Encode(answer{Value: true}), flushed.Flush()) != nil {
		return
	}
	for {
		select {
		case <-r.Context().Done():
			return
		case array := <-events:
			line := make([]happened, 0, len(array))
			for _, event := range array {
				one, err := describeEvent(event)
				if err != nil {
					lines.Encode(answer{Error: failureOf(err)}) //nolint:errcheck

					return
				}
				line = append(line, one)
			}
			if errors.Join(lines.Encode(answer{Value: line}), flushed.Flush()) != nil {
				return
			}
		}
	}
}

func (a *actor) close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var failed error
	for _, started := range a.runtimes {
		started.cancel()
	}
	for _, found := range a.clients {
		failed = errors.Join(failed, found.connection.Close())
	}
	for _, server := range a.servers {
		failed = errors.Join(failed, server.Close())
	}

	return failed
}
