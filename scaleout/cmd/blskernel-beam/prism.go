package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"net"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
)

// prismPort is the port of Prism's job server by default, that of Beam's own program.
const prismPort = 8073

const prismHelp = `A job server of Beam's Prism runner in a process of its own.

  blskernel-beam prism [--port N]

It runs until it is interrupted, and says on standard output at which port. Jobs are
submitted to it by 'blskernel-beam --endpoint=localhost:N'. It needs memory for what
goes through the shuffle of a job: several states of about 4 k² bytes by gram, and
8 k² by qr, of k nodes.

Prism, as Beam has it, listens on all addresses of the machine and does what it is
told by whoever reaches it: let a firewall keep others out.

Flags:
`

// runPrism is `blskernel-beam prism`.
func runPrism(ctx context.Context, args []string, s streams) error {
	f := flag.NewFlagSet("prism", flag.ContinueOnError)
	port := f.Int("port", prismPort, "`port` of the job server; 0 for one that is free")
	verbose := f.Bool("verbose", false, "tell on standard error what goes on")
	if err := parseAlone(f, args, func() { printHelp(s.out, prismHelp, f) }); err != nil {
		return err
	}
	if *port < 0 || *port > 65535 {
		return usageError{fmt.Errorf("--port is %d; want 0 to 65535", *port)}
	}
	quiet(*verbose)
	at, err := startPrism(ctx, *port)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "Prism takes jobs at %s\n", at)
	<-ctx.Done() // by a signal, which is how it is meant to end
	return nil
}

// startPrism starts a job server of Prism in this process and returns its address. It ends with the
// process.
func startPrism(ctx context.Context, port int) (address string, err error) {
	// Prism panics where the port is taken, and does not tell which one it has got for 0.
	l, err := net.Listen("tcp", fmt.Sprintf(":%d", port))
	if err != nil {
		return "", err
	}
	port = l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		return "", err
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("prism: %v", r)
		}
	}()
	if _, err := prism.CreateJobServer(ctx, prism.Options{Port: port}); err != nil {
		return "", err
	}
	return fmt.Sprintf("localhost:%d", port), nil
}

// quiet drops what Beam tells about its work, unless somebody wants to read it: of what goes wrong the
// essence is in the error of the job.
func quiet(verbose bool) {
	if !verbose {
		slog.SetDefault(slog.New(slog.DiscardHandler))
	}
}
