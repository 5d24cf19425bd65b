package worker

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// cancelTimeout is how long a runner has to take notice of a lost worker.
const cancelTimeout = 10 * time.Second

// cancelJob cancels the job of a worker that was lost, where the runner is Prism. Prism (of Beam 2.77)
// fails the bundles that a worker has when its connection ends, and with them the job; but a bundle for
// a worker that had none just then waits for ever, and so does one whose last outputs were still on
// their way. Prism has its job service at the address of its other services. Runners that do not have
// it there find out by themselves. done says that there was such a job.
func cancelJob(t *Task) (done bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), cancelTimeout)
	defer cancel()
	// Beam would try again and again to reach a runner that has gone.
	once, err := (&net.Dialer{}).DialContext(ctx, "tcp", t.Provision)
	if err != nil {
		return false, err
	}
	_ = once.Close()
	conn, err := grpcx.Dial(ctx, t.Provision, cancelTimeout)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	jobs := jobpb.NewJobServiceClient(conn)
	all, err := jobs.GetJobs(ctx, &jobpb.GetJobsRequest{})
	if status.Code(err) == codes.Unimplemented {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, job := range all.GetJobInfo() {
		if !strings.HasPrefix(t.ID, fmt.Sprintf("%s[%s]_", job.GetJobId(), job.GetJobName())) {
			continue
		}
		if _, err := jobs.Cancel(ctx, &jobpb.CancelJobRequest{JobId: job.GetJobId()}); err != nil {
			return false, err
		}
		done = true
	}
	return done, nil
}
