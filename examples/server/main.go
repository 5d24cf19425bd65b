// Command server serves predictions of a model file of blskernel train:
//
//	server -model iris.bls -addr 127.0.0.1:8080
//
// A request is a JSON object with rows of samples, in the order of the model's inputs. The answer has
// one prediction for each row, and for a classification its scores:
//
//	POST /predict  {"rows": [[5.1, 3.5, 1.4, 0.2]]}
//	               {"labels": ["setosa"], "scores": [[0.97, -0.98, -0.99]]}
//	GET  /model    what the model expects
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"blskernel/bls/modelfile"
)

func main() {
	log.SetFlags(0)
	path := flag.String("model", "", "the model file")
	address := flag.String("addr", "127.0.0.1:8080", "the address to listen at; port 0 for any that is free")
	flag.Parse()
	if *path == "" {
		log.Fatal("server: -model is missing; name the model file")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, *path, *address, func(at net.Addr) { log.Printf("serving %s at http://%s", *path, at) }); err != nil {
		log.Fatalf("server: %v", err)
	}
}

// serve answers requests until ctx is done, and finishes those that have begun. It calls ready once it
// listens.
func serve(ctx context.Context, path, address string, ready func(net.Addr)) error {
	model, err := modelfile.Load(path, nil)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler(model), ReadHeaderTimeout: 5 * time.Second}
	done := make(chan error, 1)
	go func() {
		<-ctx.Done()
		limited, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		done <- server.Shutdown(limited)
	}()
	ready(listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-done
}
