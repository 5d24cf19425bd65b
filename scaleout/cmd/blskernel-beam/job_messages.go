package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// absences are the pauses before a job service that has gone away is asked for its messages again. One that is started
// anew, or is behind something that is, has them in its own time; the job goes on meanwhile.
var absences = []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 20 * time.Second}

// follow returns when the job has ended, and what it failed with. A job service that goes away is waited for.
func (j *job) follow(ctx context.Context, jobs jobpb.JobServiceClient) error {
	for absent := 0; ; absent++ {
		heard, err := j.messages(ctx, jobs)
		var away *awayError
		if heard {
			absent = 0
		}
		if !errors.As(err, &away) || absent == len(absences) {
			return err
		}
		select {
		case <-time.After(absences[absent]):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// An awayError says that a job service could not be reached any more.
type awayError struct{ err error }

func (e *awayError) Error() string {
	return "the job service went away before the job had ended: " + e.err.Error()
}

func (e *awayError) Unwrap() error { return e.err }

// away returns what it means that nothing more came from a job service.
func away(err error) error {
	if status.Code(err) == codes.Unavailable {
		return &awayError{err}
	}
	return fmt.Errorf("the job service does not tell how the job goes on: %w", err)
}

// messages asks for what a job service says of the job, from the present state on, and reads that until the job has ended.
// heard tells whether there was anything.
func (j *job) messages(ctx context.Context, jobs jobpb.JobServiceClient) (heard bool, err error) {
	stream, err := jobs.GetMessageStream(ctx, &jobpb.JobMessagesRequest{JobId: j.id})
	if err != nil {
		return false, away(err)
	}
	failed, why := false, ""
	for ; ; heard = true {
		m, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF) && !failed:
			return heard, errors.New("the job service does not tell how the job ended")
		case errors.Is(err, io.EOF):
			return heard, errors.New("the job has failed, and the job service does not tell why")
		case err != nil:
			return heard, away(err)
		}
		switch m.GetStateResponse().GetState() {
		case jobpb.JobState_DONE:
			return heard, nil
		case jobpb.JobState_CANCELLED:
			return heard, errCancelled
		case jobpb.JobState_FAILED:
			failed = true
		}
		if r := m.GetMessageResponse(); r.GetImportance() >= jobpb.JobMessage_JOB_MESSAGE_ERROR {
			why = r.GetMessageText()
		}
		if failed && why != "" {
			return heard, failure(why)
		}
	}
}

// Texts of Prism (Beam 2.77) for a bundle whose worker has gone.
var lost = []string{"SDK worker disconnected", "worker stopped before", "send on closed channel"}

// failure returns the error of a job that failed.
func failure(why string) error {
	for _, text := range lost {
		if strings.Contains(why, text) {
			return &lostError{text}
		}
	}
	return errors.New(essence(why))
}
