package main

import (
	"context"
	"fmt"
	"net"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
)

// checkWorkers finds out whether Prism will get its workers. Prism (of Beam 2.77) falls over where a
// pool of workers does not answer, and where a command is no worker it waits for one without end.
func (on *place) checkWorkers(ctx context.Context) error {
	switch {
	case !on.prism():
		return nil
	case on.environment == external:
		for _, address := range on.pools() {
			if err := answers(ctx, address); err != nil {
				return fmt.Errorf("no worker pool answers at %s (--environment_config): %w", address, err)
			}
			if err := isPool(ctx, address); err != nil {
				return usageError{err}
			}
		}
	case on.environment == process && on.serviceHere():
		var payload pipepb.ProcessPayload
		if err := protojson.Unmarshal([]byte(on.config), &payload); err != nil {
			return usageError{fmt.Errorf("--environment_config: %w", err)}
		}
		return isWorker(ctx, &payload)
	}
	return nil
}

// isPool returns an error where another service than a pool of workers is at an address, by asking it
// to end a worker that there is not.
func isPool(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	conn, err := grpcx.Dial(ctx, address, connectTimeout)
	if err != nil {
		return fmt.Errorf("--environment_config is %s, where no service of Beam answers: %w", address, err)
	}
	defer conn.Close()
	_, err = fnpb.NewBeamFnExternalWorkerPoolClient(conn).StopWorker(ctx, &fnpb.StopWorkerRequest{WorkerId: "none"})
	if status.Code(err) == codes.Unimplemented {
		return fmt.Errorf("--environment_config is %s, where a service answers that is no pool of workers: start one by 'blskernel-beam worker --listen ADDRESS'", address)
	}
	return nil
}

// answers returns an error unless somebody listens at the address.
func answers(ctx context.Context, address string) error {
	conn, err := (&net.Dialer{Timeout: connectTimeout}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return conn.Close()
}
