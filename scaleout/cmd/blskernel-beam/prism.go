package main

import (
	"context"
	"flag"
	"fmt"
	"net"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
)

const prismHelp = `Run a job server of Beam's runner Prism in a process of its own.

  blskernel-beam prism [--port N]

It prints its address and runs until it is interrupted. 'blskernel-beam
--endpoint=localhost:N' submits jobs to it. It holds all states that wait in the shuffle
of a job: several of about 4 k² bytes (gram) or 8 k² bytes (qr) for k nodes.

Prism listens on all addresses of the machine and runs what anyone who reaches it
submits: use a firewall.

`

// runPrism is `blskernel-beam prism`.
func runPrism(ctx context.Context, args []string, s streams) error {
	f := flag.NewFlagSet("prism", flag.ContinueOnError)
	port := 8073 // that of Beam's own program
	number(f, &port, "port", 0, "`port` of the job server; 0 for a free one (default 8073)")
	verbose := f.Bool("verbose", false, "print Prism's log on standard error")
	if err := parseFlags(f, args, s.out, prismHelp); err != nil {
		return err
	}
	quiet(*verbose)
	address, err := startPrism(ctx, port)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "Prism takes jobs at %s\n", address)
	<-ctx.Done()
	return nil
}

// startPrism starts a Prism job server in this process, which it ends with, and returns its address.
func startPrism(ctx context.Context, port int) (address string, err error) {
	// Prism panics if the port is taken, and does not say which free port it has.
	l, err := net.Listen("tcp", fmt.Sprintf(":%d", port))
	if err != nil {
		return "", err
	}
	port = l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		return "", err
	}
	if _, err := prism.CreateJobServer(ctx, prism.Options{Port: port}); err != nil {
		return "", err
	}
	return fmt.Sprintf("localhost:%d", port), nil
}
