//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"blskernel/blsupdate"
	"blskernel/internal/testutil"
)

// TestSeparate runs a Prism in a process of its own and two pools of workers, with 1, 2 and 7 worker
// processes, by both methods, the second of them as any job service of Beam and not as Prism.
func TestSeparate(t *testing.T) {
	p := newProblem(t)
	prism := serve(t, "prism", "--port", "0")
	pools := []*server{serve(t, "worker", "--listen", "localhost:0"), serve(t, "worker", "--listen", "localhost:0")}
	started := 0
	for run := range 6 {
		workers, method := []int{1, 2, 7}[run%3], []blsupdate.Method{blsupdate.Gram, blsupdate.QR}[run/3]
		runner, addresses := "prism", pools[0].address+","+pools[1].address
		if method == blsupdate.QR {
			runner = "universal"
			if workers == 1 {
				addresses = pools[0].address // for a runner that is not known what is given is one address
			}
		}
		out := filepath.Join(p.folder, "out", fmt.Sprintf("%d.bls", workers))
		// In another folder than the pools, and with paths that are relative to that.
		c := command(t, "--json", "--model=base.bls", "--out="+filepath.Join("out", filepath.Base(out)), "--lambda", fmt.Sprint(testRidge),
			"--method", method.String(), "--workers", fmt.Sprint(workers), "--runner", runner, "--endpoint", prism.address,
			"--environment_type=EXTERNAL", "--environment_config="+addresses, "part-*.csv")
		c.Dir = p.folder
		r := reported(t, ended(t, start(t, c)))
		p.check(t, method, out)
		testutil.NoError(t, os.Remove(out))
		if r.Attempts != 1 || r.Workers != workers || !r.Measured || r.Rows != shardCount*shardRows || r.Bad != 0 {
			t.Errorf("the report is %+v", r)
		}
		if !(r.KernelSeconds > 0) || !(r.Seconds > 0) || r.ShuffledBytes <= 0 {
			t.Errorf("the report is %+v", r)
		}
		here, _ := pools[0].processes(t)
		there, _ := pools[1].processes(t)
		if n := len(here) + len(there) - started; n != workers {
			t.Errorf("%d processes were started for %d workers", n, workers)
		}
		if workers > 1 && len(there) == 0 {
			t.Error("the second pool was not asked for workers")
		}
		started = len(here) + len(there)
	}
}

// TestLost kills one of two worker processes while the job waits for a shard, which is a named pipe
// until then: the one that reads it, and the other, which has nothing to do. Every second shard is that
// of the second worker.
func TestLost(t *testing.T) {
	for name, c := range map[string]struct {
		shard          int
		reader, killed string // environments
	}{
		"at work":             {1, "go-1", "go-1"},
		"idle":                {0, "go", "go-1"},
		"idle before the end": {1, "go-1", "go"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProblem(t)
			out := p.out(t)
			prism, pool := serve(t, "prism", "--port", "0"), serve(t, "worker", "--listen", "localhost:0")
			pipe, resume := p.hold(t, c.shard)
			fit := started(t, p.args(out, "--workers", "2", "--endpoint", prism.address,
				"--environment_type=EXTERNAL", "--environment_config="+pool.address)...)
			pipe.waitForReader(t)
			reader := pool.process(t, c.reader)
			for begun := time.Now(); !pipe.isOpenIn(reader); time.Sleep(5 * time.Millisecond) {
				if time.Since(begun) > limit/2 {
					t.Fatalf("shard %d is not read by the worker of the environment %s", c.shard, c.reader)
				}
			}
			// So that the other worker has done its share, most probably: what it does
			// makes no difference to the result.
			time.Sleep(time.Second)
			resume()
			testutil.NoError(t, syscall.Kill(pool.process(t, c.killed), syscall.SIGKILL))
			end := ended(t, fit)
			r := reported(t, end)
			if r.Attempts != 2 || !strings.Contains(end.err, "was lost") {
				t.Errorf("%d attempts, and standard error has %q", r.Attempts, end.err)
			}
			if r.Rows != shardCount*shardRows {
				t.Errorf("%d rows were counted, and there are %d", r.Rows, shardCount*shardRows)
			}
			p.check(t, blsupdate.Gram, out)
		})
	}
}

// TestLostAtLast has the job submitted only once.
func TestLostAtLast(t *testing.T) {
	p := newProblem(t)
	out := p.out(t)
	prism, pool := serve(t, "prism", "--port", "0"), serve(t, "worker", "--listen", "localhost:0")
	pipe, resume := p.hold(t, 0)
	c := started(t, p.args(out, "--attempts=1", "--endpoint", prism.address, "--environment_type=EXTERNAL", "--environment_config="+pool.address)...)
	pipe.waitForReader(t)
	resume()
	testutil.NoError(t, syscall.Kill(pool.process(t, "go"), syscall.SIGKILL))
	end := ended(t, c)
	if end.status != exitFailure || !strings.Contains(end.err, "was lost") || strings.Count(end.err, "\n") != 1 {
		t.Errorf("status %d, and standard error has %q", end.status, end.err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("there is a model")
	}
}

// TestInterrupt ends the command while a job runs, whose workers must end too.
func TestInterrupt(t *testing.T) {
	p := newProblem(t)
	prism, pool := serve(t, "prism", "--port", "0"), serve(t, "worker", "--listen", "localhost:0")
	pipe, _ := p.hold(t, 0)
	c := started(t, p.args(p.out(t), "--endpoint", prism.address, "--environment_type=EXTERNAL", "--environment_config="+pool.address)...)
	pipe.waitForReader(t)
	testutil.NoError(t, c.cmd.Process.Signal(syscall.SIGINT))
	if end := ended(t, c); end.status != 130 || !strings.Contains(end.err, "interrupted") {
		t.Errorf("status %d, and standard error has %q", end.status, end.err)
	}
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if err := syscall.Kill(pool.process(t, "go"), 0); errors.Is(err, syscall.ESRCH) {
			return
		}
		if time.Since(begun) > limit {
			t.Fatal("the worker goes on")
		}
	}
}

// TestPoolKilled kills a pool, which can then end nothing in good order.
func TestPoolKilled(t *testing.T) {
	p := newProblem(t)
	prism := serve(t, "prism", "--port", "0")
	pipe, _ := p.hold(t, 0)
	c := started(t, p.args(p.out(t), "--workers=2", "--endpoint", prism.address)...)
	pipe.waitForReader(t)
	if err := c.cmd.Process.Kill(); err != nil { // the pool is its own
		t.Fatal(err)
	}
	_ = c.cmd.Wait() // and when the test is over no process may be left
}

// A pipe stands for a shard, and keeps who reads it waiting.
type pipe struct {
	path string
	w    *os.File
}

// hold puts a named pipe in the place of a shard. resume puts the shard back, for readers to come; who
// reads the pipe goes on waiting until the end of the test.
func (p *problem) hold(t testing.TB, shard int) (_ *pipe, resume func()) {
	t.Helper()
	path := p.shard(shard)
	testutil.NoError(t, os.Remove(path))
	testutil.NoError(t, syscall.Mkfifo(path, 0o666))
	return &pipe{path: path}, func() {
		other := filepath.Join(p.folder, "put-back")
		testutil.NoError(t, os.WriteFile(other, p.csv(shard), 0o666))
		testutil.NoError(t, os.Rename(other, path))
	}
}

// waitForReader returns when a worker has opened the pipe.
func (p *pipe) waitForReader(t testing.TB) {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		// Without waiting: it fails as long as nobody reads.
		w, err := os.OpenFile(p.path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			p.w = w
			t.Cleanup(func() { _ = w.Close() })
			return
		}
		if time.Since(begun) > limit {
			t.Fatalf("nobody reads the shard: %v", err)
		}
	}
}

// isOpenIn tells whether a process has the pipe open. Where the system does not tell it is taken to.
func (p *pipe) isOpenIn(process int) bool {
	open, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", process))
	if err != nil || len(open) == 0 {
		return true
	}
	return slices.ContainsFunc(open, func(link string) bool {
		path, err := os.Readlink(link)
		return err == nil && path == p.path
	})
}
