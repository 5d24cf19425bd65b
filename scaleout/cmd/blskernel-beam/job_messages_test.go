package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A talking is a job service that says of a job what is in it, once after the other: each item is what
// one stream says.
type talking struct {
	jobpb.JobServiceClient
	mu      sync.Mutex
	streams [][]any // jobpb.JobState_Enum, a text of an error, or an error that ends the stream
	asked   int
	cancels []error // what cancelling the job returns, the last of them again and again
	others  bool    // the service was started anew, and has another job of the same number
}

func (s *talking) GetJobs(context.Context, *jobpb.GetJobsRequest, ...grpc.CallOption) (*jobpb.GetJobsResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked >= len(s.streams) {
		return nil, status.Error(codes.Unavailable, "nobody listens")
	}
	name := "name"
	if s.others {
		name = "another"
	}
	return &jobpb.GetJobsResponse{JobInfo: []*jobpb.JobInfo{{JobId: "0", JobName: "name"}, {JobId: "J", JobName: name}}}, nil
}

func (s *talking) Cancel(context.Context, *jobpb.CancelJobRequest, ...grpc.CallOption) (*jobpb.CancelJobResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.cancels[0]
	s.cancels = s.cancels[min(1, len(s.cancels)-1):]
	if err != nil {
		return nil, err
	}
	s.streams = append(s.streams[:min(s.asked, len(s.streams))], []any{jobpb.JobState_CANCELLED})
	return &jobpb.CancelJobResponse{}, nil
}

func (s *talking) GetMessageStream(context.Context, *jobpb.JobMessagesRequest, ...grpc.CallOption) (jobpb.JobService_GetMessageStreamClient, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked++; s.asked > len(s.streams) {
		return nil, status.Error(codes.Unavailable, "nobody listens")
	}
	return &saying{items: s.streams[s.asked-1]}, nil
}

type saying struct {
	grpc.ClientStream
	items []any
}

func (s *saying) Recv() (*jobpb.JobMessagesResponse, error) {
	if len(s.items) == 0 {
		return nil, io.EOF
	}
	item := s.items[0]
	s.items = s.items[1:]
	switch v := item.(type) {
	case jobpb.JobState_Enum:
		return &jobpb.JobMessagesResponse{Response: &jobpb.JobMessagesResponse_StateResponse{StateResponse: &jobpb.JobStateEvent{State: v}}}, nil
	case string:
		return &jobpb.JobMessagesResponse{Response: &jobpb.JobMessagesResponse_MessageResponse{
			MessageResponse: &jobpb.JobMessage{Importance: jobpb.JobMessage_JOB_MESSAGE_ERROR, MessageText: v}}}, nil
	default:
		return nil, v.(error)
	}
}

// TestFollow follows jobs to their end, also where the job service goes away in between, once or for
// good.
func TestFollow(t *testing.T) {
	defer func(saved []time.Duration) { absences = saved }(absences)
	absences = []time.Duration{time.Millisecond, time.Millisecond}
	gone, refused := status.Error(codes.Unavailable, "gone"), status.Error(codes.NotFound, "no such job")
	const running, done, failed, cancelled = jobpb.JobState_RUNNING, jobpb.JobState_DONE, jobpb.JobState_FAILED, jobpb.JobState_CANCELLED
	named := runnerlib.JobOptions{Name: "name"}
	for _, tc := range []struct {
		name    string
		streams [][]any
		want    string // in the error, empty for none
		asked   int
	}{
		{"to the end", [][]any{{running, done}}, "", 1},
		{"once away", [][]any{{running, gone}, {running, done}}, "", 2},
		{"away again and again", [][]any{{gone}, {running, gone}, {gone}, {"news", gone}, {gone}, {done}}, "", 6},
		{"away for good", [][]any{{running, gone}}, "went away before the job had ended: rpc error: code = Unavailable desc = nobody listens", 3},
		{"away, and without the job", [][]any{{running, gone}, {refused}}, "no such job", 2},
		{"failed meanwhile", [][]any{{running, gone}, {failed, "a cell is no number"}}, "a cell is no number", 2},
		{"failed for no reason", [][]any{{failed}}, "does not tell why", 1},
		{"failed, and then away", [][]any{{failed, gone}}, "does not tell why", 3},
		{"failed, away, the reason", [][]any{{running, failed, gone}, {failed, "a cell is no number"}}, "a cell is no number", 2},
		{"failed, and forgotten", [][]any{{"a cell is no number", gone}, {failed}}, "a cell is no number", 2},
		{"failed, without the job", [][]any{{failed, gone}, {refused}}, "does not tell why", 2},
		{"away after the same state each time", [][]any{{running, gone}, {running, gone}, {running, gone}, {running, gone}}, "went away", 3},
		{"silent", [][]any{{running}}, "does not tell how the job ended", 1},
		{"cancelled", [][]any{{running, cancelled}}, errCancelled.Error(), 1},
	} {
		service := &talking{streams: tc.streams}
		notes := 0
		err := (&job{id: "J", options: named, say: func(string, ...any) { notes++ }}).follow(context.Background(), service)
		if (notes > 0) != (tc.asked > 1) {
			t.Errorf("%s: %d notes", tc.name, notes)
		}
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v; want %q", tc.name, err, tc.want)
		}
		if service.asked != tc.asked {
			t.Errorf("%s: asked %d times; want %d", tc.name, service.asked, tc.asked)
		}
	}
	anew := &job{id: "J", options: named, say: func(string, ...any) {}}
	var lost *lostError
	if err := anew.follow(context.Background(), &talking{others: true, streams: [][]any{{running, gone}, {running, done}}}); !errors.As(err, &lost) {
		t.Errorf("the job of somebody else: %v", err)
	}
	if err := anew.cancel(context.Background(), &talking{others: true, streams: [][]any{{running}}, cancels: []error{errors.New("cancelled")}}); err != nil {
		t.Errorf("cancelling the job of somebody else: %v", err)
	}
	absences = []time.Duration{time.Hour}
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("interrupted")
	time.AfterFunc(10*time.Millisecond, func() { cancel(why) })
	if err := (&job{say: func(string, ...any) {}}).follow(ctx, &talking{}); !errors.Is(err, why) {
		t.Errorf("interrupted while it waits: %v", err)
	}
}

// TestCancelledAway interrupts the command while the job service is away: the job is cancelled when
// that is back, and where it does not come back the job that may go on is named.
func TestCancelledAway(t *testing.T) {
	defer func(a []time.Duration, b time.Duration) { absences, cancelTimeout = a, b }(absences, cancelTimeout)
	absences, cancelTimeout = []time.Duration{time.Second}, 3*cancelPause
	gone := status.Error(codes.Unavailable, "gone")
	for _, tc := range []struct {
		name    string
		cancels []error
		note    string // empty for none
	}{
		{"back at once", []error{nil}, ""},
		{"back in time", []error{gone, gone, nil}, ""},
		{"for good", []error{gone}, "the job J could not be cancelled, and may go on"},
		{"without the job", []error{status.Error(codes.NotFound, "no such job")}, "the job J could not be cancelled, and may go on"},
	} {
		ctx, cancel := context.WithCancelCause(context.Background())
		why := errors.New("interrupted")
		var mu sync.Mutex
		notes := ""
		j := &job{id: "J", say: func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			notes += fmt.Sprintf(format, args...) + "\n"
			cancel(why) // when it is said that the service is away
		}}
		service := &talking{streams: [][]any{{jobpb.JobState_RUNNING, gone}}, cancels: tc.cancels}
		if err := j.wait(ctx, service); !errors.Is(err, why) {
			t.Errorf("%s: %v", tc.name, err)
		}
		if strings.Contains(notes, "could not be cancelled") != (tc.note != "") || !strings.Contains(notes, tc.note) {
			t.Errorf("%s: the notes are %q; want %q", tc.name, notes, tc.note)
		}
	}
}
