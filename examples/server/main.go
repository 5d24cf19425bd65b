// Command server serves predictions of a model that blskernel train has written:
//
//	server -model iris.bls -addr 127.0.0.1:8080
//
// A request is a JSON object with rows of samples. A row is a list of cells in the order of the model's
// inputs, or an object with a field for each input; other fields are ignored. The answer has one
// prediction for each row, and for classification also its scores:
//
//	POST /predict  {"rows": [[5.1, 3.5, 1.4, 0.2]]}
//	               {"rows": [{"petal_width": 0.2, "petal_length": 1.4, ...}]}
//	               {"labels": ["setosa"], "scores": [[0.97, -0.98, -0.99]]}
//	GET  /model    what the model expects
//	GET  /healthz  {"status": "ok", "stale": false,
//	               "loaded": "2026-11-22T00:01:45Z", "looked": "2026-11-22T00:03:12Z"}
//
// A request that cannot be answered gets status 400, or 413 if it is too large. The message counts rows
// and columns from 1: {"error": "row 2, column 3 (\"petal_length\"): null is not a number"}. A request
// gets status 503 if its predictions take longer than a minute. A client may close its side of the
// connection while it waits.
//
// The server checks the file every second. It loads the file again on SIGHUP, and when the file has
// changed or been replaced, for example by blskernel update. It reads only regular files, and gives up
// on a load after five minutes. If the file cannot be loaded, or is missing, the old model stays in
// use, /healthz reports it as stale, and the server tries again every minute. The log has the time of
// each load but the first. /healthz has the time of the last check, which gets old if the file system
// does not answer. SIGINT and SIGTERM stop the server after the requests in progress are answered, or
// after ten seconds. A second signal stops it at once.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// grace is the time that running requests have to finish when the server stops.
const grace = 10 * time.Second

func main() {
	log.SetFlags(0)
	path := flag.String("model", "", "model file that blskernel train has written")
	address := flag.String("addr", "127.0.0.1:8080", "address to listen on; port 0 for any free port")
	flag.Parse()
	if *path == "" || flag.NArg() > 0 {
		log.Fatal("server: want -model FILE, and no arguments other than flags")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // so that a second signal ends the process
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	s := newServer(*path)
	s.hangup = hangup
	if err := s.serve(ctx, *address, func(at net.Addr) { log.Printf("serving %s at http://%s", *path, at) }); err != nil {
		log.Fatalf("server: %v", err)
	}
}

// serve answers requests until ctx is done, and then finishes the requests in progress. It calls ready
// with its address once it listens.
func (s *server) serve(ctx context.Context, address string, ready func(net.Addr)) error {
	seen, _ := os.Stat(s.path) // load returns the error
	if err := s.load(ctx); err != nil {
		return err
	}
	s.look()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go s.follow(ctx, seen)
	server := &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       time.Minute,
		WriteTimeout:      3 * time.Minute, // from the header on, so that an answer has a minute
	}
	done := make(chan error, 1)
	go func() {
		<-ctx.Done()
		limited, cancel := context.WithTimeout(context.Background(), grace)
		defer cancel()
		done <- server.Shutdown(limited)
	}()
	ready(listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	if err := <-done; err != nil {
		_ = server.Close() // the first error says enough
		return fmt.Errorf("requests that did not finish within %v of the shutdown were cut off: %w", grace, err)
	}
	return nil
}
