package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/metricsx"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// connectTimeout bounds the time of a first answer of a server.
const connectTimeout = 30 * time.Second

// cancelTimeout bounds the time in which a job service cancels a job, and that in which the job ends.
var cancelTimeout = 10 * time.Second

// A job is a pipeline for a job service.
type job struct {
	endpoint string // of the job service
	pipeline *pipepb.Pipeline
	binary   string // that Beam brings to the workers; empty for none
	async    bool   // do not wait for the end
	notes    io.Writer

	id string // of the last job, by the job service
}

var (
	// errCancelled says that another program cancelled the job. Prism would wait for a lost worker
	// without end, so its worker pool cancels the job.
	errCancelled = errors.New("the job was cancelled: a worker was lost, or another program cancelled it")
	// errLost says that a job failed because a worker was lost.
	errLost = errors.New("a worker was lost")
)

// run submits the job, waits for its end and returns its metrics, or nil if there are none. If ctx is
// done it cancels the job.
//
//	errors: errLost; errCancelled; that of the step that failed; those of the job service.
func (j *job) run(ctx context.Context) (*metrics.Results, error) {
	found, err := j.runOnce(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return found, err
}

func (j *job) runOnce(ctx context.Context) (*metrics.Results, error) {
	// grpcx.Dial would try until its timeout if nothing listens.
	if err := dial(ctx, j.endpoint); err != nil {
		return nil, fmt.Errorf("no job service answers at %s (--endpoint): %w", j.endpoint, err)
	}
	conn, err := grpcx.Dial(ctx, j.endpoint, connectTimeout)
	if err != nil {
		return nil, fmt.Errorf("no job service answers at %s (--endpoint): %w", j.endpoint, err)
	}
	defer conn.Close()
	jobs := jobpb.NewJobServiceClient(conn)
	preparation, artifacts, token, err := runnerlib.Prepare(ctx, jobs, j.pipeline, &runnerlib.JobOptions{
		Name: jobopts.GetJobName(), Experiments: jobopts.GetExperiments(),
		RetainDocker: *jobopts.RetainDockerContainers, Parallelism: *jobopts.Parallelism,
	})
	if err != nil {
		return nil, fmt.Errorf("the server at %s (--endpoint) refuses the job: %w", j.endpoint, err)
	}
	if j.binary != "" {
		if token, err = runnerlib.Stage(ctx, preparation, artifacts, j.binary, token); err != nil {
			return nil, err
		}
	}
	if j.id, err = runnerlib.Submit(ctx, jobs, preparation, token); err != nil || j.async {
		return nil, err
	}
	if err := j.wait(ctx, jobs); err != nil {
		return nil, err
	}
	answer, err := jobs.GetJobMetrics(ctx, &jobpb.GetJobMetricsRequest{JobId: j.id})
	if err != nil {
		return nil, nil // the report says that it has no metrics
	}
	return metricsx.FromMonitoringInfos(j.pipeline, answer.GetMetrics().GetAttempted(), answer.GetMetrics().GetCommitted()), nil
}

// wait waits for the end of the job. If ctx is done it cancels the job, and still waits, so that the
// workers of the job have ended.
func (j *job) wait(ctx context.Context, jobs jobpb.JobServiceClient) error {
	waiting, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(ctx, func() {
		time.AfterFunc(cancelTimeout, stop)
		if _, err := jobs.Cancel(waiting, &jobpb.CancelJobRequest{JobId: j.id}); err != nil {
			fmt.Fprintf(j.notes, "note: the job %s may go on, because it could not be cancelled: %v\n", j.id, err)
			stop()
		}
	})()
	if err := runnerlib.WaitForCompletion(waiting, jobs, j.id); err != nil {
		for _, text := range lostTexts {
			if strings.Contains(err.Error(), text) {
				return fmt.Errorf("%w: %s", errLost, text)
			}
		}
		return errors.New(essence(err.Error()))
	}
	// Beam takes a job that was cancelled, or whose job service falls silent, for a success.
	state, err := jobs.GetState(waiting, &jobpb.GetJobStateRequest{JobId: j.id})
	switch {
	case err != nil:
		return fmt.Errorf("the job service does not say how the job %s ended: %w", j.id, err)
	case state.GetState() == jobpb.JobState_CANCELLED || state.GetState() == jobpb.JobState_CANCELLING:
		return errCancelled
	case state.GetState() != jobpb.JobState_DONE:
		return fmt.Errorf("the job service does not say how the job %s ended; its state is %v", j.id, state.GetState())
	}
	return nil
}

// lostTexts are those of Prism (Beam 2.77) for a bundle whose worker is gone.
var lostTexts = []string{"SDK worker disconnected", "worker stopped before", "send on closed channel"}
