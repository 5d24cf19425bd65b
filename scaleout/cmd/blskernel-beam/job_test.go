package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A fakeJobs is a job service with one job, whose stream of messages is messages.
type fakeJobs struct {
	jobpb.JobServiceClient
	messages  []any // jobpb.JobState_Enum, the text of an error, or an error that ends the stream
	state     jobpb.JobState_Enum
	cancel    error         // of Cancel
	cancelled chan struct{} // closed by Cancel; the stream waits for it if it is not nil
}

func (s *fakeJobs) Cancel(context.Context, *jobpb.CancelJobRequest, ...grpc.CallOption) (*jobpb.CancelJobResponse, error) {
	if s.cancel == nil {
		close(s.cancelled)
	}
	return &jobpb.CancelJobResponse{}, s.cancel
}

func (s *fakeJobs) GetState(context.Context, *jobpb.GetJobStateRequest, ...grpc.CallOption) (*jobpb.JobStateEvent, error) {
	if s.state == jobpb.JobState_UNSPECIFIED {
		return nil, status.Error(codes.Unavailable, "gone")
	}
	return &jobpb.JobStateEvent{State: s.state}, nil
}

func (s *fakeJobs) GetMessageStream(ctx context.Context, _ *jobpb.JobMessagesRequest, _ ...grpc.CallOption) (jobpb.JobService_GetMessageStreamClient, error) {
	return &fakeStream{jobs: s, ctx: ctx}, nil
}

type fakeStream struct {
	grpc.ClientStream
	jobs *fakeJobs
	ctx  context.Context
}

func (s *fakeStream) Recv() (*jobpb.JobMessagesResponse, error) {
	if s.jobs.cancelled != nil {
		select {
		case <-s.jobs.cancelled:
		case <-s.ctx.Done():
			return nil, s.ctx.Err()
		}
	}
	if len(s.jobs.messages) == 0 {
		return nil, io.EOF
	}
	item := s.jobs.messages[0]
	s.jobs.messages = s.jobs.messages[1:]
	switch v := item.(type) {
	case jobpb.JobState_Enum:
		event := &jobpb.JobStateEvent{State: v}
		return &jobpb.JobMessagesResponse{Response: &jobpb.JobMessagesResponse_StateResponse{StateResponse: event}}, nil
	case string:
		message := &jobpb.JobMessage{Importance: jobpb.JobMessage_JOB_MESSAGE_ERROR, MessageText: v}
		return &jobpb.JobMessagesResponse{Response: &jobpb.JobMessagesResponse_MessageResponse{MessageResponse: message}}, nil
	default:
		return nil, v.(error)
	}
}

// TestWait waits for jobs that end in every way.
func TestWait(t *testing.T) {
	const running, done, failed, cancelled = jobpb.JobState_RUNNING, jobpb.JobState_DONE, jobpb.JobState_FAILED, jobpb.JobState_CANCELLED
	for name, tc := range map[string]struct {
		messages []any
		state    jobpb.JobState_Enum
		want     string // in the error; empty for none
		is       error
	}{
		"done":              {[]any{running, done}, done, "", nil},
		"failed":            {[]any{running, failed, "process bundle failed:\nscaleout: a cell is wrong"}, failed, "scaleout: a cell is wrong", nil},
		"error first":       {[]any{"a cell is wrong", failed}, failed, "a cell is wrong", nil},
		"lost":              {[]any{failed, "bundle 7: SDK worker disconnected"}, failed, "a worker was lost", errLost},
		"cancelled":         {[]any{running, cancelled}, cancelled, "cancelled", errCancelled},
		"service went away": {[]any{running, status.Error(codes.Unavailable, "gone")}, running, "gone", nil},
		"silent":            {[]any{running}, running, "its state is RUNNING", nil},
		"without a state":   {[]any{done}, jobpb.JobState_UNSPECIFIED, "does not say how the job J ended", nil},
	} {
		err := (&job{id: "J", notes: io.Discard}).wait(t.Context(), &fakeJobs{messages: tc.messages, state: tc.state})
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) || tc.is != nil && !errors.Is(err, tc.is) {
			t.Errorf("%s: %v; want %q", name, err, tc.want)
		}
	}
}

// TestWaitCancelled interrupts the wait: the job is cancelled, or named if it may go on.
func TestWaitCancelled(t *testing.T) {
	defer func(before time.Duration) { cancelTimeout = before }(cancelTimeout)
	cancelTimeout = 50 * time.Millisecond
	for name, tc := range map[string]struct {
		cancel   error
		messages []any
		note     string
	}{
		"cancelled":    {nil, []any{jobpb.JobState_CANCELLED}, ""},
		"refused":      {status.Error(codes.NotFound, "no such job"), nil, "the job J may go on"},
		"without news": {nil, []any{errors.New("stuck")}, ""},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var notes strings.Builder
		service := &fakeJobs{messages: tc.messages, state: jobpb.JobState_CANCELLED, cancel: tc.cancel, cancelled: make(chan struct{})}
		if err := (&job{id: "J", notes: &notes}).wait(ctx, service); err == nil {
			t.Errorf("%s: there is no error", name)
		}
		if got := notes.String(); (got == "") != (tc.note == "") || !strings.Contains(got, tc.note) {
			t.Errorf("%s: the notes are %q, want %q", name, got, tc.note)
		}
	}
}

// TestEssence removes what Beam wraps around errors.
func TestEssence(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain",
		"process bundle failed for instruction inst001 using plan stage-002: while executing Process for Plan[stage-002]:\n2: Impulse[0]\n" +
			"\tcaused by:\nDoFn failed\n\tcaused by:\nscaleout: a.csv:3: no number\nmore": "scaleout: a.csv:3: no number",
		"a\n\tcaused by:\nthe disk is full\n":                                        "the disk is full",
		"scaleout: first\n\tcaused by:\n in x: scaleout: the model y: scaleout: z\n": "scaleout: the model y: scaleout: z",
	} {
		if got := essence(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	err := fmt.Errorf("scaleout: a\n\tcaused by:\n%w", errors.New("b"))
	if got, want := oneLine(err), "a: b"; got != want {
		t.Errorf("%q in one line is %q, want %q", err, got, want)
	}
}
