package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/metricsx"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/grpc"
)

// connectTimeout is how long a job service may take to answer at first, and cancelPause how long it is
// let alone where it cannot be reached to cancel a job.
const (
	connectTimeout = 30 * time.Second
	cancelPause    = 500 * time.Millisecond
)

// cancelTimeout is how long a job service may take to cancel a job.
var cancelTimeout = 10 * time.Second

// A job is a pipeline for a job service.
type job struct {
	endpoint string // of the job service
	pipeline *pipepb.Pipeline
	options  runnerlib.JobOptions
	binary   string                           // what is brought to the workers, empty for nothing
	async    bool                             // do not wait for the end
	say      func(format string, args ...any) // what is to be known although the work goes on

	id string // of the last one that was submitted, by the job service
}

// errCancelled says that a job was cancelled, and not by this process. A pool of workers does that to
// one that Prism would wait for without end.
var errCancelled = errors.New("the job was cancelled, by its pool of workers since one was lost, or by somebody else")

// A lostError says that a job ended since a worker was lost, or the job service with the job.
type lostError struct{ why string }

func (e *lostError) Error() string { return e.why }

// run submits the job, waits for its end and returns its metrics, nil where there are none. Where
// ctx is cancelled the job is too.
//
//	errors: *lostError; errCancelled; what a step said; a job service that cannot be reached or does
//	not take the job.
func (j *job) run(ctx context.Context) (found *metrics.Results, err error) {
	conn, err := j.connect(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("no job service answers at %s (--endpoint): %w", j.endpoint, err)
	}
	defer conn.Close()
	jobs := jobpb.NewJobServiceClient(conn)
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
	}()
	preparation, artifacts, token, err := runnerlib.Prepare(ctx, jobs, j.pipeline, &j.options)
	if err != nil {
		return nil, fmt.Errorf("what answers at %s (--endpoint) does not take the job: %w", j.endpoint, err)
	}
	if j.binary != "" {
		if token, err = runnerlib.Stage(ctx, preparation, artifacts, j.binary, token); err != nil {
			return nil, err
		}
	}
	j.id, err = runnerlib.Submit(ctx, jobs, preparation, token)
	if err != nil || j.async {
		return nil, err
	}
	if err := j.wait(ctx, jobs); err != nil {
		return nil, err
	}
	answer, err := jobs.GetJobMetrics(ctx, &jobpb.GetJobMetricsRequest{JobId: j.id})
	if err != nil {
		return nil, nil // the model is there, and the report says what it lacks
	}
	return metricsx.FromMonitoringInfos(j.pipeline, answer.GetMetrics().GetAttempted(), answer.GetMetrics().GetCommitted()), nil
}

// connect connects to the job service. Beam would try again and again where nobody listens.
func (j *job) connect(ctx context.Context) (*grpc.ClientConn, error) {
	if err := answers(ctx, j.endpoint); err != nil {
		return nil, err
	}
	return grpcx.Dial(ctx, j.endpoint, connectTimeout)
}

// wait returns when the job has ended, and what it failed with.
func (j *job) wait(ctx context.Context, jobs jobpb.JobServiceClient) error {
	// Not ctx: the job is cancelled first, and then its end is waited for.
	reading, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	tried := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(tried)
		defer time.AfterFunc(cancelTimeout, end)
		ctx, cancel := context.WithTimeout(reading, cancelTimeout)
		defer cancel()
		if err := j.cancel(ctx, jobs); err != nil {
			j.say("note: the job %s could not be cancelled, and may go on: %v", j.id, err)
			end()
		}
	})
	err := j.follow(reading, jobs)
	if !stop() {
		<-tried
		return context.Cause(ctx)
	}
	return err
}
