//go:build unix

package main

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"sync"
	"testing"

	"blskernel/internal/testutil"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/grpc"
)

// startPrism starts a Prism server in this process, which runs until the process ends.
func startPrism(t testing.TB) (jobs jobpb.JobServiceClient, address string) {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0") // Prism does not say which free port it takes
	testutil.NoError(t, err)
	port := l.Addr().(*net.TCPAddr).Port
	testutil.NoError(t, l.Close())
	jobs, err = prism.CreateJobServer(t.Context(), prism.Options{Port: port})
	testutil.NoError(t, err)
	return jobs, fmt.Sprintf("localhost:%d", port)
}

func jobNamed(t testing.TB, jobs jobpb.JobServiceClient, name string) *jobpb.JobInfo {
	t.Helper()
	all, err := jobs.GetJobs(t.Context(), &jobpb.GetJobsRequest{})
	testutil.NoError(t, err)
	for _, job := range all.GetJobInfo() {
		if job.GetJobName() == name {
			return job
		}
	}
	t.Fatalf("no job %q among %v", name, all)
	return nil
}

// A pool starts the command for each worker that a runner requests, with the flags of a Beam container.
type pool struct {
	fnpb.UnimplementedBeamFnExternalWorkerPoolServer
	t       testing.TB
	mu      sync.Mutex
	workers []*exec.Cmd // in start order; one runs at a time
}

func (p *pool) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.workers)
}

func (p *pool) start(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	testutil.NoError(t, err)
	s := grpc.NewServer()
	fnpb.RegisterBeamFnExternalWorkerPoolServer(s, p)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	return l.Addr().String()
}

func (p *pool) StartWorker(ctx context.Context, r *fnpb.StartWorkerRequest) (*fnpb.StartWorkerResponse, error) {
	info, err := tools.ProvisionInfo(grpcx.WriteWorkerID(ctx, r.GetWorkerId()), r.GetProvisionEndpoint().GetUrl())
	if err != nil {
		return nil, err
	}
	options, err := tools.ProtoToJSON(info.GetPipelineOptions())
	if err != nil {
		return nil, err
	}
	cmd := command(p.t, "--worker", "--id="+r.GetWorkerId(), "--options="+options,
		"--logging_endpoint="+r.GetLoggingEndpoint().GetUrl(), "--control_endpoint="+r.GetControlEndpoint().GetUrl())
	p.mu.Lock()
	defer p.mu.Unlock()
	p.workers = append(p.workers, cmd)
	return &fnpb.StartWorkerResponse{}, cmd.Start()
}

// StopWorker kills the process: a worker of Beam does not end by itself.
func (p *pool) StopWorker(context.Context, *fnpb.StopWorkerRequest) (*fnpb.StopWorkerResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	cmd := p.workers[len(p.workers)-1]
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return &fnpb.StopWorkerResponse{}, nil
}
