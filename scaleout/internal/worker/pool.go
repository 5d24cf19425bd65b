// Package worker runs the worker processes of Beam jobs. A Task makes its process a worker. A Pool
// starts one process for each worker that a runner asks for: Beam's EXTERNAL environment.
//
// The processes of a pool end when the runner or the pool stops them, and when the pool or the runner
// ends in any way. If a process ends otherwise, for example because it was killed, the pool cancels the
// job.
package worker

import (
	"context"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strings"
	"sync"
	"time"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	endTimeout    = 2 * time.Second  // for a worker to end before it is killed
	cancelTimeout = 10 * time.Second // for a runner to cancel the job of a lost worker
)

// A Command is the program of a worker with its first arguments; those of the task follow.
type Command struct {
	Path string
	Args []string
	Out  io.Writer // standard output and standard error of the workers
}

// A Pool is a server that starts a process for each worker that a runner asks for. Anyone who reaches
// its address can start workers: use a loopback address or a firewall.
type Pool struct {
	fnpb.UnimplementedBeamFnExternalWorkerPoolServer

	command  Command
	say      func(format string, args ...any)
	listener net.Listener
	server   *grpc.Server

	mu      sync.Mutex
	closed  bool
	workers map[string]*process
	watched sync.WaitGroup
}

// A process is the process of a worker.
type process struct {
	cmd   *exec.Cmd
	stdin io.Closer
	ended chan struct{} // closed when the process has ended
	err   error         // why it ended; valid then
}

// NewPool listens at the address; port 0 stands for any free one. The pool starts its workers by c,
// which must call EndWithParent and then (*Task).Run. It reports by say, a line for each worker that
// starts or ends, on several goroutines. Serve makes the pool work, and Close ends it.
func NewPool(address string, c Command, say func(format string, args ...any)) (*Pool, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	p := &Pool{command: c, say: say, listener: l, server: grpc.NewServer(), workers: map[string]*process{}}
	fnpb.RegisterBeamFnExternalWorkerPoolServer(p.server, p)
	return p, nil
}

// Address returns the address of the pool, for --environment_config.
func (p *Pool) Address() string { return p.listener.Addr().String() }

// Serve answers runners for as long as the process lives.
func (p *Pool) Serve() error { return p.server.Serve(p.listener) }

// Close ends all workers of the pool and waits for them. From then on the pool answers a request for a
// worker as if it had started one: Prism panics without one, also when it runs in this process and the
// job is over. Close may be called again.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	workers := p.workers
	p.workers = nil
	p.mu.Unlock()
	var stopping sync.WaitGroup
	for _, w := range workers {
		stopping.Go(w.stop)
	}
	stopping.Wait()
	p.watched.Wait()
}

// StartWorker starts the process of a worker. The answer holds the error, as Beam defines it.
func (p *Pool) StartWorker(_ context.Context, r *fnpb.StartWorkerRequest) (*fnpb.StartWorkerResponse, error) {
	t := &Task{
		ID: r.GetWorkerId(), Provision: r.GetProvisionEndpoint().GetUrl(),
		Control: r.GetControlEndpoint().GetUrl(), Logging: r.GetLoggingEndpoint().GetUrl(),
	}
	answer := &fnpb.StartWorkerResponse{}
	if err := p.start(t); err != nil {
		p.say("cannot start worker %s: %v", t.ID, err)
		// Prism would panic on an error, so its job is cancelled instead.
		if cancelled, _ := cancelJob(t); !cancelled {
			answer.Error = err.Error()
		}
	}
	return answer, nil
}

func (p *Pool) start(t *Task) error {
	if err := t.Check(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	if p.workers[t.ID] != nil {
		return fmt.Errorf("worker %s is running already", t.ID)
	}
	w, err := p.command.start(t)
	if err != nil {
		return err
	}
	p.workers[t.ID] = w
	p.say("worker %s is process %d", t.ID, w.cmd.Process.Pid)
	p.watched.Go(func() { p.watch(t, w) })
	return nil
}

// watch waits for the end of a process. A process that fails while the pool still lists it is a lost
// worker.
func (p *Pool) watch(t *Task, w *process) {
	<-w.ended
	p.mu.Lock()
	listed := p.workers[t.ID] == w
	if listed {
		delete(p.workers, t.ID)
	}
	p.mu.Unlock()
	if !listed || w.err == nil {
		p.say("worker %s, process %d, has ended", t.ID, w.cmd.Process.Pid)
		return
	}
	p.say("worker %s, process %d, was lost: %v", t.ID, w.cmd.Process.Pid, w.err)
	if _, err := cancelJob(t); err != nil {
		p.say("cannot cancel the job of worker %s: %v", t.ID, err)
	}
}

// StopWorker ends the process of a worker, if it still runs.
func (p *Pool) StopWorker(_ context.Context, r *fnpb.StopWorkerRequest) (*fnpb.StopWorkerResponse, error) {
	p.mu.Lock()
	w := p.workers[r.GetWorkerId()]
	delete(p.workers, r.GetWorkerId())
	p.mu.Unlock()
	if w != nil {
		w.stop()
	}
	return &fnpb.StopWorkerResponse{}, nil
}

// start starts the process of a task.
func (c *Command) start(t *Task) (*process, error) {
	args := append(append(c.Args[:len(c.Args):len(c.Args)], "--"+ChildFlag), t.args()...)
	p := &process{cmd: exec.Command(c.Path, args...), ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = c.Out, c.Out
	p.cmd.WaitDelay = endTimeout // for pipes that children of the worker hold open
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	p.stdin = stdin
	if err := p.cmd.Start(); err != nil {
		_ = stdin.Close()
		return nil, err
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

// stop ends the process and waits for it.
func (p *process) stop() {
	_ = p.stdin.Close()
	select {
	case <-p.ended:
	case <-time.After(endTimeout):
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
}

// cancelJob cancels the job of a lost worker if the runner is Prism, and reports whether it did. Prism
// (Beam 2.77) fails the bundles of a worker whose connection ends, but waits for ever for a worker that
// was idle, or whose last outputs were still on their way. Prism serves jobs and workers at the same
// address; other runners do not, and notice lost workers themselves.
func cancelJob(t *Task) (cancelled bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), cancelTimeout)
	defer cancel()
	// grpcx.Dial would try to reach a runner that has ended until the timeout.
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
		cancelled = true
	}
	return cancelled, nil
}
