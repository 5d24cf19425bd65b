//go:build unix

package worker

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"blskernel/internal/testutil"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/structpb"
)

// limit bounds the time of what should take some milliseconds.
const limit = 30 * time.Second

// A told is what a pool has said.
type told struct {
	mu    sync.Mutex
	lines []string
}

func (s *told) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

// wait returns the first line with the text.
func (s *told) wait(t testing.TB, text string) string {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		s.mu.Lock()
		lines := slices.Clone(s.lines)
		s.mu.Unlock()
		if i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, text) }); i >= 0 {
			return lines[i]
		}
		if time.Since(begun) > limit {
			t.Fatalf("%q is not among %q", text, lines)
		}
	}
}

// process returns the process id of a worker.
func (s *told) process(t testing.TB, id string) (pid int) {
	t.Helper()
	if _, err := fmt.Sscanf(s.wait(t, "worker "+id+" is process"), "worker "+id+" is process %d", &pid); err != nil {
		t.Fatal(err)
	}
	return pid
}

// checkEnded checks that a process has ended.
func checkEnded(t testing.TB, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
		t.Errorf("process %d is there (%v)", pid, err)
	}
}

// newPool returns a pool whose workers are a shell that does what script says, and a client of it.
func newPool(t testing.TB, script string) (*Pool, fnpb.BeamFnExternalWorkerPoolClient, *told) {
	t.Helper()
	said := &told{}
	pool, err := NewPool("localhost:0", Command{Path: "/bin/sh", Args: []string{"-c", script, "worker"}, Out: io.Discard}, said.say)
	testutil.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = pool.Serve()
	}()
	t.Cleanup(func() {
		pool.Close()
		pool.server.Stop()
		<-done
	})
	conn, err := grpc.NewClient(pool.Address(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	testutil.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return pool, fnpb.NewBeamFnExternalWorkerPoolClient(conn), said
}

// start asks for a worker and returns the error of the answer.
func start(t testing.TB, c fnpb.BeamFnExternalWorkerPoolClient, id, provision string) string {
	t.Helper()
	answer, err := c.StartWorker(t.Context(), &fnpb.StartWorkerRequest{WorkerId: id, ProvisionEndpoint: &pipepb.ApiServiceDescriptor{Url: provision}})
	testutil.NoError(t, err)
	return answer.GetError()
}

// mustStart asks for a worker that starts.
func mustStart(t testing.TB, c fnpb.BeamFnExternalWorkerPoolClient, id, provision string) {
	t.Helper()
	if why := start(t, c, id, provision); why != "" {
		t.Fatal(why)
	}
}

// stop asks for the end of a worker.
func stop(t testing.TB, c fnpb.BeamFnExternalWorkerPoolClient, id string) {
	t.Helper()
	_, err := c.StopWorker(t.Context(), &fnpb.StopWorkerRequest{WorkerId: id})
	testutil.NoError(t, err)
}

// newPrism returns a fakePrism with its address.
func newPrism(t testing.TB) (*fakePrism, string) {
	t.Helper()
	prism := &fakePrism{cancelled: make(chan string, 9)}
	return prism, fakeRunner(t, func(s *grpc.Server) { jobpb.RegisterJobServiceServer(s, prism) })
}

const untilInputEnds = "exec cat >/dev/null"

// TestPool starts and stops workers.
func TestPool(t *testing.T) {
	pool, c, said := newPool(t, untilInputEnds)
	for _, id := range []string{"a", "b"} {
		mustStart(t, c, id, "localhost:1")
	}
	a, b := said.process(t, "a"), said.process(t, "b")
	for _, id := range []string{"a", "none"} {
		stop(t, c, id)
	}
	checkEnded(t, a)
	if err := syscall.Kill(b, 0); err != nil {
		t.Errorf("the other worker: %v", err)
	}
	for _, r := range []struct{ id, provision, says string }{{"b", "localhost:1", "is running already"}, {"", "localhost:1", "--id"}, {"c", "", "--provision_endpoint"}} {
		if why := start(t, c, r.id, r.provision); !strings.Contains(why, r.says) {
			t.Errorf("%q: %q", r, why)
		}
	}
	pool.Close()
	checkEnded(t, b)
	if why := start(t, c, "d", "localhost:1"); why != "" || len(pool.workers) > 0 {
		t.Errorf("a closed pool answers %q and has %d workers", why, len(pool.workers))
	}
	pool.Close()
}

// TestPoolKills ends a worker that does not end by itself.
func TestPoolKills(t *testing.T) {
	_, c, said := newPool(t, "exec sleep 1000")
	mustStart(t, c, "a", "localhost:1")
	pid := said.process(t, "a")
	stop(t, c, "a")
	checkEnded(t, pid)
}

// A fakePrism has jobs that can be cancelled.
type fakePrism struct {
	jobpb.UnimplementedJobServiceServer
	cancelled chan string
}

func (p *fakePrism) GetJobs(context.Context, *jobpb.GetJobsRequest) (*jobpb.GetJobsResponse, error) {
	return &jobpb.GetJobsResponse{JobInfo: []*jobpb.JobInfo{{JobId: "job-1", JobName: "one"}, {JobId: "job-11", JobName: "two"}}}, nil
}

func (p *fakePrism) Cancel(_ context.Context, r *jobpb.CancelJobRequest) (*jobpb.CancelJobResponse, error) {
	p.cancelled <- r.GetJobId()
	return &jobpb.CancelJobResponse{}, nil
}

// fakeRunner serves what register adds, and returns its address.
func fakeRunner(t testing.TB, register func(*grpc.Server)) string {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	testutil.NoError(t, err)
	s := grpc.NewServer()
	register(s)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	return l.Addr().String()
}

// TestLost cancels the job of a worker that was killed, and no other.
func TestLost(t *testing.T) {
	prism, address := newPrism(t)
	_, c, said := newPool(t, untilInputEnds)
	const id = "job-11[two]_go-1"
	mustStart(t, c, id, address)
	testutil.NoError(t, syscall.Kill(said.process(t, id), syscall.SIGKILL))
	said.wait(t, "was lost: signal: killed")
	if job := <-prism.cancelled; job != "job-11" || len(prism.cancelled) > 0 {
		t.Errorf("the job %s was cancelled, and %d more", job, len(prism.cancelled))
	}
	mustStart(t, c, id, address) // again
}

// TestPoolWithoutProgram cannot start anything. Prism is not told so, but its job is cancelled.
func TestPoolWithoutProgram(t *testing.T) {
	prism, address := newPrism(t)
	pool, c, said := newPool(t, untilInputEnds)
	pool.command.Path = "/nowhere/worker"
	if why := start(t, c, "job-1[one]_go", "localhost:1"); !strings.Contains(why, "/nowhere/worker") {
		t.Errorf("%q", why)
	}
	if why := start(t, c, "job-1[one]_go", address); why != "" || len(prism.cancelled) != 1 {
		t.Errorf("%q, and %d jobs were cancelled", why, len(prism.cancelled))
	}
	said.wait(t, "cannot start worker")
}

// TestEndedByItself is about workers whose runner wanted no more: their jobs are left alone.
func TestEndedByItself(t *testing.T) {
	prism, address := newPrism(t)
	pool, c, said := newPool(t, "exit 0")
	mustStart(t, c, "job-1[one]_go", address)
	said.wait(t, "has ended")
	pool.Close()
	if len(prism.cancelled) > 0 {
		t.Error("the job was cancelled")
	}
}

// TestTask reads the flags that runners give.
func TestTask(t *testing.T) {
	var task Task
	f := flag.NewFlagSet("worker", flag.ContinueOnError)
	task.Register(f)
	testutil.NoError(t, f.Parse([]string{"--id='job-001[x]_go'", "--provision_endpoint=localhost:1", "--semi_persist_dir=" + os.TempDir(), "--control_endpoint=c"}))
	if want := (Task{ID: "job-001[x]_go", Provision: "localhost:1", Control: "c"}); task != want {
		t.Errorf("the task is %+v, want %+v", task, want)
	}
	var again Task
	f = flag.NewFlagSet("worker", flag.ContinueOnError)
	again.Register(f)
	if err := f.Parse(task.args()); err != nil || again != task {
		t.Errorf("the task is %+v after args, want %+v (%v)", again, task, err)
	}
}

// TestRun runs a task of a runner that has no control service, and one of a server that is no runner.
func TestRun(t *testing.T) {
	for address, want := range map[string]string{
		fakeRunner(t, func(*grpc.Server) {}): "the runner's provision service",
		fakeRunner(t, func(s *grpc.Server) { fnpb.RegisterProvisionServiceServer(s, &fakeProvision{}) }): "failed to connect",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := (&Task{ID: "a", Provision: address, Control: "nowhere:port", Logging: address}).Run(ctx)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := NewPool("localhost:-1", Command{}, nil); err == nil {
		t.Error("there is a pool at port -1")
	}
}

// A fakeProvision knows no options.
type fakeProvision struct {
	fnpb.UnimplementedProvisionServiceServer
}

func (*fakeProvision) GetProvisionInfo(context.Context, *fnpb.GetProvisionInfoRequest) (*fnpb.GetProvisionInfoResponse, error) {
	return &fnpb.GetProvisionInfoResponse{Info: &fnpb.ProvisionInfo{PipelineOptions: &structpb.Struct{}}}, nil
}

// TestShortIDs sends names of metrics there and back.
func TestShortIDs(t *testing.T) {
	answer := &fnpb.InstructionResponse{Response: &fnpb.InstructionResponse_ProcessBundle{
		ProcessBundle: &fnpb.ProcessBundleResponse{MonitoringData: map[string][]byte{"1": {1}, "z": {2}}},
	}}
	testutil.NoError(t, addPrefix(t.Context(), nil, answer))
	data := answer.GetProcessBundle().MonitoringData
	if len(data) != 2 || data[prefix+"1"][0] != 1 || data[prefix+"z"][0] != 2 {
		t.Errorf("the names are %v", data)
	}
	asked := &fnpb.InstructionRequest{Request: &fnpb.InstructionRequest_MonitoringInfos{
		MonitoringInfos: &fnpb.MonitoringInfosMetadataRequest{MonitoringInfoId: []string{prefix + "1", prefix + "z"}},
	}}
	if _, err := removePrefix(t.Context(), asked); err != nil {
		t.Fatal(err)
	}
	if got := asked.GetMonitoringInfos().MonitoringInfoId; !slices.Equal(got, []string{"1", "z"}) {
		t.Errorf("the runner asks for %q", got)
	}
	told := &fnpb.InstructionResponse{Response: &fnpb.InstructionResponse_MonitoringInfos{
		MonitoringInfos: &fnpb.MonitoringInfosMetadataResponse{MonitoringInfo: map[string]*pipepb.MonitoringInfo{"z": {Urn: "u"}}},
	}}
	testutil.NoError(t, addPrefix(t.Context(), nil, told))
	if got := told.GetMonitoringInfos().MonitoringInfo[prefix+"z"].GetUrn(); got != "u" {
		t.Errorf("what a name stands for is %q", got)
	}
}
