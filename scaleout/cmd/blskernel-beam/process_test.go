//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"blskernel/internal/testutil"
)

// asCommand makes the test program the command: the tests run it in processes of its own.
const asCommand = "BLSKERNEL_BEAM_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	quiet(false)
	os.Exit(m.Run())
}

// limit bounds the time of what takes a second or two where nothing else runs.
const limit = 3 * time.Minute

// command returns the command with its arguments, whose temporary files, and those of all processes
// that it starts, are in a folder that must be empty when the test is over.
func command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	// Not t.Context(), which is done before servers are ended in good order.
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	folder := t.TempDir()
	cmd.Env = append(os.Environ(), asCommand+"=1", "TMPDIR="+folder)
	cmd.WaitDelay = 5 * time.Second
	t.Cleanup(func() {
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("temporary files are left: %v (%v)", left, err)
		}
		for begun := time.Now(); len(processesWith(cmd.Env[len(cmd.Env)-1])) > 0; time.Sleep(10 * time.Millisecond) {
			if time.Since(begun) > limit {
				t.Fatalf("the processes %v are left", processesWith(cmd.Env[len(cmd.Env)-1]))
			}
		}
	})
	return cmd
}

// processesWith returns the ids of the processes that run with a setting in their environment, as far
// as the system tells.
func processesWith(setting string) (ids []string) {
	paths, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err == nil && slices.Contains(strings.Split(string(text), "\x00"), setting) {
			ids = append(ids, filepath.Base(filepath.Dir(path)))
		}
	}
	return ids
}

// result is what a command that has ended printed, and its exit status.
type result struct {
	out, err string
	status   int
}

// runCommand runs the command to its end.
func runCommand(t testing.TB, args ...string) result {
	t.Helper()
	return ended(t, started(t, args...))
}

// A running is a command that runs.
type running struct {
	cmd      *exec.Cmd
	out, err bytes.Buffer
}

func started(t testing.TB, args ...string) *running {
	t.Helper()
	return start(t, command(t, args...))
}

func start(t testing.TB, cmd *exec.Cmd) *running {
	t.Helper()
	r := &running{cmd: cmd}
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.err
	testutil.NoError(t, r.cmd.Start())
	return r
}

func ended(t testing.TB, r *running) result {
	t.Helper()
	err := r.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v\n%s", err, r.err.String())
	}
	return result{r.out.String(), r.err.String(), r.cmd.ProcessState.ExitCode()}
}

// reported returns the report of a command that was to succeed.
func reported(t testing.TB, r result) report {
	t.Helper()
	if r.status != 0 {
		t.Fatalf("status %d:\n%s%s", r.status, r.out, r.err)
	}
	var out report
	if err := json.Unmarshal([]byte(r.out), &out); err != nil {
		t.Fatalf("%v:\n%s", err, r.out)
	}
	return out
}

// A server is `blskernel-beam prism` or a pool of workers, which runs until the test is over.
type server struct {
	address string
	mu      sync.Mutex
	lines   []string
}

// serve starts a server, whose first line ends with its address.
func serve(t testing.TB, args ...string) *server {
	t.Helper()
	cmd := command(t, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	testutil.NoError(t, err)
	testutil.NoError(t, cmd.Start())
	s, first, done := &server{}, make(chan string, 1), make(chan struct{})
	go func() {
		defer close(done)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			s.mu.Lock()
			if s.lines = append(s.lines, lines.Text()); len(s.lines) == 1 {
				first <- lines.Text()
			}
			s.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-done
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %v", args, err)
		}
		s.checkEnded(t)
	})
	select {
	case line := <-first:
		s.address = line[strings.LastIndex(line, " ")+1:]
	case <-done:
		t.Fatalf("%v does not start", args)
	}
	return s
}

var workerLine = regexp.MustCompile(`^worker .*_(go(?:-\d+)?) is process (\d+)$`)

// processes returns the process ids of the workers that a pool has started so far, with the environment
// of each.
func (s *server) processes(t testing.TB) (ids []int, environments []string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, line := range s.lines {
		if m := workerLine.FindStringSubmatch(line); m != nil {
			id, err := strconv.Atoi(m[2])
			testutil.NoError(t, err)
			ids, environments = append(ids, id), append(environments, m[1])
		}
	}
	return ids, environments
}

// process returns the process id of the last worker with an environment.
func (s *server) process(t testing.TB, environment string) int {
	t.Helper()
	ids, environments := s.processes(t)
	slices.Reverse(ids)
	slices.Reverse(environments)
	i := slices.Index(environments, environment)
	if i < 0 {
		t.Fatalf("no worker with the environment %s among %v", environment, environments)
	}
	return ids[i]
}

// checkEnded checks that no worker of a pool is left.
func (s *server) checkEnded(t testing.TB) {
	t.Helper()
	ids, _ := s.processes(t)
	for _, id := range ids {
		if err := syscall.Kill(id, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d of a worker is left (%v)", id, err)
		}
	}
}
