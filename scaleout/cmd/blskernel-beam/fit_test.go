//go:build unix

package main

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"blskernel/blsupdate"
	"blskernel/internal/testutil"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
)

// TestPlaces runs the fit in the process of the command, on Prism and on Beam's direct runner, and in a
// worker process, which shares no variables with the command. Prism is part of the command or a server.
func TestPlaces(t *testing.T) {
	p := newProblem(t)
	_, prism := startPrism(t)
	own := &pool{t: t}
	external := []string{"--environment_type=EXTERNAL", "--environment_config", own.start(t), "--worker_binary", os.Args[0]}
	for name, flags := range map[string][]string{
		"prism": {"--threads=1"}, "direct": {"--runner=DirectRunner"},
		"server":          {"--runner=universal", "--endpoint", prism, "--environment_type=LOOPBACK", "--verbose"},
		"worker":          external,
		"server, workers": append(external, "--endpoint", prism),
	} {
		t.Run(name, func(t *testing.T) {
			out, before := p.out(t), own.count()
			r := reported(t, runCommand(t, p.args(out, append(flags, "--method=qr")...)...))
			p.check(t, blsupdate.QR, out)
			if r.Rows != shardCount*shardRows || !r.Measured || !(r.Seconds > 0) {
				t.Errorf("the report is %+v", r)
			}
			if started := own.count() > before; started != strings.Contains(name, "worker") {
				t.Errorf("worker processes were started: %v", started)
			}
		})
	}
}

// TestEnded ends the command while a job waits for a shard, and a job while the command waits for the
// job. The old model at --out stays.
func TestEnded(t *testing.T) {
	jobs, prism := startPrism(t)
	server := []string{"--endpoint", prism, "--environment_type=LOOPBACK"}
	for name, tc := range map[string]struct {
		flags  []string
		cancel bool
		status int
		says   string
	}{
		"interrupt": {nil, false, 130, "blskernel-beam: interrupted\n"},
		"server":    {server, false, 130, "interrupted; the job server may still be running"},
		"cancel":    {server, true, exitFailure, "it was probably canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProblem(t)
			out := p.out(t)
			model, err := os.ReadFile(p.model)
			testutil.NoError(t, err)
			testutil.NoError(t, os.WriteFile(out, model, 0o666))
			held := p.hold(t, 0)
			c := started(t, p.args(out, append(tc.flags, "--job_name="+name)...)...)
			waitForReader(t, held)
			if tc.cancel {
				_, err := jobs.Cancel(t.Context(), &jobpb.CancelJobRequest{JobId: jobNamed(t, jobs, name).GetJobId()})
				testutil.NoError(t, err)
			} else {
				testutil.NoError(t, c.cmd.Process.Signal(os.Interrupt))
			}
			if end := ended(t, c); end.status != tc.status || !strings.Contains(end.err, tc.says) || strings.Count(end.err, "\n") != 1 {
				t.Errorf("status %d, standard error %q", end.status, end.err)
			}
			files, err := os.ReadDir(filepath.Dir(out))
			testutil.NoError(t, err)
			if after, err := os.ReadFile(out); err != nil || !bytes.Equal(after, model) || len(files) != 1 {
				t.Errorf("the model has changed (%v), or other files are left: %v", err, files)
			}
		})
	}
}

// TestAsync finds the job that the report names, which continues after the command.
func TestAsync(t *testing.T) {
	p := newProblem(t)
	jobs, prism := startPrism(t)
	own := &pool{t: t}
	out := p.out(t)
	r := reported(t, runCommand(t, p.args(out, "--async", "--endpoint", prism, "--worker_binary", os.Args[0],
		"--environment_type=EXTERNAL", "--environment_config", own.start(t))...))
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		state := jobNamed(t, jobs, r.Job).GetState()
		if state == jobpb.JobState_DONE {
			break
		}
		if state == jobpb.JobState_FAILED || time.Since(begun) > limit {
			t.Fatalf("the job is %v", state)
		}
	}
	p.check(t, blsupdate.Gram, out)
}

// TestUnreadable writes the model to a place that the command may not read.
func TestUnreadable(t *testing.T) {
	const out = "sealed://bucket/out.bls"
	end := runCommand(t, newProblem(t).args(out)...)
	want := "blskernel-beam: the job has ended, but " + out + " cannot be read: permission denied\n"
	if end.status != exitFailure || end.err != want {
		t.Errorf("status %d, standard error %q; want %q", end.status, end.err, want)
	}
}

// sealed is a file system that can be written but not read.
type sealed struct{ filesystem.Interface }

func init() {
	filesystem.Register("sealed", func(context.Context) filesystem.Interface { return sealed{} })
}

func (sealed) Close() error { return nil }

func (sealed) OpenRead(context.Context, string) (io.ReadCloser, error) { return nil, fs.ErrPermission }

func (sealed) OpenWrite(context.Context, string) (io.WriteCloser, error) {
	return os.OpenFile(os.DevNull, os.O_WRONLY, 0)
}

// hold replaces a shard with a named pipe: its reader waits until the end of the test.
func (p *problem) hold(t testing.TB, shard int) (path string) {
	t.Helper()
	path = p.shard(shard)
	testutil.NoError(t, os.Remove(path))
	testutil.NoError(t, syscall.Mkfifo(path, 0o666))
	return path
}

func waitForReader(t testing.TB, pipe string) {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		// Do not block: OpenFile fails until there is a reader.
		w, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			t.Cleanup(func() { _ = w.Close() })
			return
		}
		if time.Since(begun) > limit {
			t.Fatalf("no worker reads the shard: %v", err)
		}
	}
}

// TestBad sets rows aside, and lists them.
func TestBad(t *testing.T) {
	p := newProblem(t)
	const header, good, wrong = "x0,x1,x2,x3,class\n", "1,2,3,4,inside\n", "1,2,none,4,inside\n"
	for shard, text := range map[int]string{
		3: header + good + wrong + strings.Repeat(good, 3) + wrong, 5: header + "1,2,3,4,beside\n",
	} {
		testutil.NoError(t, os.WriteFile(p.shard(shard), []byte(text), 0o666))
	}
	out, bad := p.out(t), filepath.Join(t.TempDir(), "bad.txt")
	end := runCommand(t, p.args(out, "--known-labels")...)
	if end.status != exitFailure || !strings.Contains(end.err, p.shard(3)) && !strings.Contains(end.err, p.shard(5)) || strings.Count(end.err, "\n") != 1 {
		t.Errorf("status %d, standard error\n%s", end.status, end.err)
	}
	r := reported(t, runCommand(t, p.args(out, "--known-labels", "--skip-bad=3", "--bad-out", bad)...))
	if r.Bad != 3 || r.Rows != (shardCount-2)*shardRows+4 {
		t.Errorf("the report is %+v", r)
	}
	text, err := os.ReadFile(bad)
	testutil.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	for i, begins := range []string{p.shard(3) + ":3: ", p.shard(3) + ":7: ", p.shard(5) + ":2: "} {
		if len(lines) != 4 || !strings.HasPrefix(lines[i], begins) {
			t.Fatalf("the list of bad rows is\n%s", text)
		}
	}
	if end := runCommand(t, p.args(out, "--known-labels", "--skip-bad=2")...); end.status != exitFailure || !strings.Contains(end.err, "at most 2 may be set aside") {
		t.Errorf("status %d, standard error\n%s", end.status, end.err)
	}
}
