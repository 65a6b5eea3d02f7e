// Copyright The COSI for TypeScript Authors. Apache-2.0.

package actor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/cosi-project/runtime/pkg/controller/runtime"
)

// running is a runtime with its controllers.
type running struct {
	cancel context.CancelFunc
	done   chan error
}

// run starts a runtime with the named controllers, and gives its number.
func (a *actor) run(w http.ResponseWriter, r *http.Request) {
	st, names, err := asked[[]string](a, r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)

		return
	}
	engine, err := runtime.NewRuntime(st, a.log)
	for _, name := range names {
		if register := controllers[name]; register == nil {
			err = errors.Join(err, fmt.Errorf("there is no controller %q", name))
		} else if err == nil {
			err = register(engine)
		}
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)

		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	started := &running{cancel: cancel, done: make(chan error, 1)}
	go func() { started.done <- engine.Run(ctx) }()
	a.mu.Lock()
	a.next++
	id := strconv.Itoa(a.next)
	a.runtimes[id] = started
	a.mu.Unlock()
	fmt.Fprint(w, id)
}

// stop ends a runtime. It fails when the runtime had ended with an error.
func (a *actor) stop(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	started := a.runtimes[r.PathValue("id")]
	delete(a.runtimes, r.PathValue("id"))
	a.mu.Unlock()
	if started == nil {
		http.Error(w, "there is no such runtime", http.StatusNotFound)

		return
	}
	started.cancel()
	if err := <-started.done; err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
