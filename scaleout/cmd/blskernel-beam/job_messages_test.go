package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A talking is a job service that says of a job what is in it, once after the other: each item is what one stream says.
type talking struct {
	jobpb.JobServiceClient
	streams [][]any // jobpb.JobState_Enum, a text of an error, or an error that ends the stream
	asked   int
}

func (s *talking) GetMessageStream(context.Context, *jobpb.JobMessagesRequest, ...grpc.CallOption) (jobpb.JobService_GetMessageStreamClient, error) {
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

// TestFollow follows jobs to their end, also where the job service goes away in between, once or for good.
func TestFollow(t *testing.T) {
	defer func(saved []time.Duration) { absences = saved }(absences)
	absences = []time.Duration{time.Millisecond, time.Millisecond}
	gone, refused := status.Error(codes.Unavailable, "gone"), status.Error(codes.NotFound, "no such job")
	const running, done, failed, cancelled = jobpb.JobState_RUNNING, jobpb.JobState_DONE, jobpb.JobState_FAILED, jobpb.JobState_CANCELLED
	for _, tc := range []struct {
		name    string
		streams [][]any
		want    string // in the error, empty for none
		asked   int
	}{
		{"to the end", [][]any{{running, done}}, "", 1},
		{"once away", [][]any{{running, gone}, {running, done}}, "", 2},
		{"away again and again", [][]any{{gone}, {running, gone}, {gone}, {running, gone}, {done}}, "", 5},
		{"away for good", [][]any{{running, gone}}, "went away before the job had ended: rpc error: code = Unavailable desc = nobody listens", 3},
		{"away, and without the job", [][]any{{running, gone}, {refused}}, "no such job", 2},
		{"failed meanwhile", [][]any{{running, gone}, {failed, "a cell is no number"}}, "a cell is no number", 2},
		{"failed for no reason", [][]any{{failed}}, "does not tell why", 1},
		{"silent", [][]any{{running}}, "does not tell how the job ended", 1},
		{"cancelled", [][]any{{running, cancelled}}, errCancelled.Error(), 1},
	} {
		service := &talking{streams: tc.streams}
		err := (&job{}).follow(context.Background(), service)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v; want %q", tc.name, err, tc.want)
		}
		if service.asked != tc.asked {
			t.Errorf("%s: asked %d times; want %d", tc.name, service.asked, tc.asked)
		}
	}
	absences = []time.Duration{time.Hour}
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("interrupted")
	time.AfterFunc(10*time.Millisecond, func() { cancel(why) })
	if err := (&job{}).follow(ctx, &talking{}); !errors.Is(err, why) {
		t.Errorf("interrupted while it waits: %v", err)
	}
}
