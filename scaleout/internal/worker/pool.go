// Package worker runs the worker processes of Beam jobs: a Task makes the process that it is in a
// worker, and a Pool starts a process of its own for each worker that a runner asks for, which is what
// Beam calls an EXTERNAL environment.
//
// Processes that a pool has started end when the runner or the pool wants it, when the pool itself
// ends, however that happens, and when the runner is gone. Where one ends in between, as if it were
// killed, the runner gets to know.
package worker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"google.golang.org/grpc"
)

// A Pool is a server that starts a process for each worker that a runner asks for, and ends it when the
// runner has no more use for it. Whoever can reach its address can have it start workers: it belongs on
// the loopback or behind a firewall.
type Pool struct {
	fnpb.UnimplementedBeamFnExternalWorkerPoolServer

	command  Command
	say      func(format string, args ...any)
	listener net.Listener
	server   *grpc.Server

	mu      sync.Mutex
	closed  bool
	left    bool // by a runner in the same process too
	workers map[string]*process
	watched sync.WaitGroup
}

// NewPool listens at the address, such as localhost:50000, where port 0 is one that is free. The pool
// starts its processes by c, which must come to (*Task).Run after EndWithParent, and tells by say, from
// several goroutines, a line at a time, which process is which worker and how it ended. Serve makes it
// work, Close ends it.
func NewPool(address string, c Command, say func(format string, args ...any)) (*Pool, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	p := &Pool{command: c, say: say, listener: l, server: grpc.NewServer(), workers: map[string]*process{}}
	fnpb.RegisterBeamFnExternalWorkerPoolServer(p.server, p)
	return p, nil
}

// Address returns the address at which the pool listens, for --environment_config.
func (p *Pool) Address() string { return p.listener.Addr().String() }

// Serve answers runners until Close.
func (p *Pool) Serve() error { return p.server.Serve(p.listener) }

// Close ends the pool and all its processes, and returns when they have ended. It may be called more
// than once.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.server.Stop()
	_ = p.listener.Close() // where Serve has not been called
	p.end()
}

// Leave ends all processes of the pool, and returns when they have ended, for a process that ends next
// itself. A Prism in that process may just want a worker more: it is told that it has one, since Prism
// panics where it gets none.
func (p *Pool) Leave() {
	p.mu.Lock()
	p.closed, p.left = true, true
	p.mu.Unlock()
	p.end()
}

// end ends the processes.
func (p *Pool) end() {
	p.mu.Lock()
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

// StartWorker starts a process for a worker. What is wrong is told in the answer, as runners expect it.
func (p *Pool) StartWorker(_ context.Context, r *fnpb.StartWorkerRequest) (*fnpb.StartWorkerResponse, error) {
	t := &Task{
		ID: r.GetWorkerId(), Provision: r.GetProvisionEndpoint().GetUrl(),
		Control: r.GetControlEndpoint().GetUrl(), Logging: r.GetLoggingEndpoint().GetUrl(),
	}
	if err := p.start(t); err != nil {
		p.say("worker %s cannot be started: %v", t.ID, err)
		// Prism would not only give up the job but itself.
		if done, _ := cancelJob(t); done {
			return &fnpb.StartWorkerResponse{}, nil
		}
		return &fnpb.StartWorkerResponse{Error: err.Error()}, nil
	}
	return &fnpb.StartWorkerResponse{}, nil
}

func (p *Pool) start(t *Task) error {
	if err := t.Check(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left {
		return nil
	}
	if p.closed {
		return errors.New("the worker pool is about to end")
	}
	if _, ok := p.workers[t.ID]; ok {
		return fmt.Errorf("worker %s is there already", t.ID)
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

// watch waits for the end of the process. A process that ended, but was not to, and not because the
// runner went away in good order, is a worker that was lost.
func (p *Pool) watch(t *Task, w *process) {
	<-w.ended
	p.mu.Lock()
	wanted := p.workers[t.ID] == w
	if wanted {
		delete(p.workers, t.ID)
	}
	p.mu.Unlock()
	if !wanted || w.err == nil {
		p.say("worker %s, process %d, has ended", t.ID, w.cmd.Process.Pid)
		return
	}
	p.say("worker %s, process %d, was lost: %v", t.ID, w.cmd.Process.Pid, w.err)
	if _, err := cancelJob(t); err != nil {
		p.say("the job of worker %s could not be cancelled: %v", t.ID, err)
	}
}

// StopWorker ends the process of a worker, if it has not ended yet.
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
