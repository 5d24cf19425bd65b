package main

import (
	"cmp"
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

// absences are the pauses before a job service that has gone away is asked for its messages again. One
// that is started anew, or is behind something that is, has them in its own time; the job goes on
// meanwhile.
var absences = []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 20 * time.Second}

// follow returns when the job has ended, and what it failed with. A job service that goes away is
// waited for.
func (j *job) follow(ctx context.Context, jobs jobpb.JobServiceClient) error {
	var all heard
	_, err := j.messages(ctx, jobs, &all)
	for absent := 0; ; {
		var away *awayError
		if !errors.As(err, &away) || absent == len(absences) {
			return cmp.Or(all.failure(), err)
		}
		if absent == 0 {
			j.say("note: the job service has gone away, and is asked again; the job %s goes on meanwhile", j.id)
		}
		select {
		case <-time.After(absences[absent]):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if err := j.there(ctx, jobs); err != nil {
			return err
		}
		absent++
		var news bool
		if news, err = j.messages(ctx, jobs, &all); news {
			absent = 0
		}
	}
}

// errStartedAnew says that a job service does not have the job any more. What has its number then is
// another one.
var errStartedAnew = &lostError{"the job service was started anew, and has lost the job"}

// there returns errStartedAnew where a job service does not have the job any more, as far as it tells
// which jobs it has.
func (j *job) there(ctx context.Context, jobs jobpb.JobServiceClient) error {
	all, err := jobs.GetJobs(ctx, &jobpb.GetJobsRequest{})
	if err != nil {
		return nil
	}
	for _, one := range all.GetJobInfo() {
		if one.GetJobId() == j.id && one.GetJobName() == j.options.Name {
			return nil
		}
	}
	return errStartedAnew
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

// A heard is what a job service has said of a job so far.
type heard struct {
	state jobpb.JobState_Enum
	why   string // the last error
}

// failure returns the error of a job that has failed, nil as long as that was not said.
func (h *heard) failure() error {
	switch {
	case h.state != jobpb.JobState_FAILED:
		return nil
	case h.why == "":
		return errors.New("the job has failed, and the job service does not tell why")
	default:
		return failure(h.why)
	}
}

// messages asks for what a job service says of the job, from the present state on, and reads that until
// the job has ended. news tells whether there was anything that had not been heard before.
func (j *job) messages(ctx context.Context, jobs jobpb.JobServiceClient, all *heard) (news bool, err error) {
	stream, err := jobs.GetMessageStream(ctx, &jobpb.JobMessagesRequest{JobId: j.id})
	if err != nil {
		return false, away(err)
	}
	for {
		m, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return news, cmp.Or(all.failure(), errors.New("the job service does not tell how the job ended"))
		case err != nil:
			return news, away(err)
		}
		if r := m.GetStateResponse(); r != nil && r.GetState() != all.state {
			all.state, news = r.GetState(), true
		}
		if r := m.GetMessageResponse(); r != nil {
			news = true
			if r.GetImportance() >= jobpb.JobMessage_JOB_MESSAGE_ERROR {
				all.why = r.GetMessageText()
			}
		}
		switch {
		case all.state == jobpb.JobState_DONE:
			return news, nil
		case all.state == jobpb.JobState_CANCELLED:
			return news, errCancelled
		case all.state == jobpb.JobState_FAILED && all.why != "":
			return news, all.failure()
		}
	}
}

// cancel ends the job. A job service that has gone away is asked again until ctx is done.
func (j *job) cancel(ctx context.Context, jobs jobpb.JobServiceClient) error {
	for {
		if j.there(ctx, jobs) != nil {
			return nil // there is nothing to cancel
		}
		_, err := jobs.Cancel(ctx, &jobpb.CancelJobRequest{JobId: j.id})
		if status.Code(err) != codes.Unavailable {
			return err
		}
		select {
		case <-time.After(cancelPause):
		case <-ctx.Done():
			return err
		}
	}
}

// Texts of Prism (Beam 2.77) for a bundle whose worker has gone.
var lost = []string{"SDK worker disconnected", "worker stopped before", "send on closed channel"}

// failure returns the error of a job that failed.
func failure(why string) error {
	for _, text := range lost {
		if strings.Contains(why, text) {
			return &lostError{"a worker was lost: " + text}
		}
	}
	return errors.New(essence(why))
}
