// Copyright The COSI for TypeScript Authors. Apache-2.0.

// The Go implementation, as the other side of interoperability tests. `peer stored` answers one request about stored
// formats; `peer serve` does what it is asked over HTTP, until its input ends.
package main

import (
	"fmt"
	"os"

	"cosi-ts.example.org/interop-peer/actor"
	"cosi-ts.example.org/interop-peer/specs"
	"cosi-ts.example.org/interop-peer/stored"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if err := specs.Register(); err != nil {
		return err
	}
	switch {
	case len(arguments) == 1 && arguments[0] == "stored":
		return stored.Answer(os.Stdin, os.Stdout)
	case len(arguments) == 1 && arguments[0] == "serve":
		return actor.Serve(os.Stdin, os.Stdout)
	default:
		return fmt.Errorf("usage: peer stored | peer serve")
	}
}
