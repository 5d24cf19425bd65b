//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"blskernel/internal/io/interrupt"
	"blskernel/internal/testutil"
)

// TestHangup ignores SIGHUP, as nohup does, in a training run that waits for more rows. The run goes on
// until SIGTERM, and then writes its checkpoint.
func TestHangup(t *testing.T) {
	testutil.NotEmulated(t, "a shell starts the process")
	model := filepath.Join(t.TempDir(), "m.bls")
	cmd := command(nil, small("--target", "color", "--checkpoint", "1h", "--verbose", "--out", model, "-")...)
	env := cmd.Env
	cmd = exec.Command("sh", append([]string{"-c", `trap "" HUP; exec "$@"`, "sh"}, cmd.Args...)...)
	cmd.Env = env
	rows, err := cmd.StdinPipe()
	testutil.NoError(t, err)
	errs, err := cmd.StderrPipe()
	testutil.NoError(t, err)
	testutil.NoError(t, cmd.Start())
	defer func() { _ = cmd.Process.Kill() }()
	_, err = io.WriteString(rows, csvText(samples(5000, 1), true, "a", "b", "color"))
	testutil.NoError(t, err)
	said := bufio.NewReader(errs)
	for line := ""; !strings.Contains(line, "feature maps fitted"); {
		if line, err = said.ReadString('\n'); err != nil {
			t.Fatal(line, err)
		}
	}
	testutil.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
	time.Sleep(50 * time.Millisecond)
	testutil.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	_, _ = io.Copy(io.Discard, said) // to the end
	_ = cmd.Wait()                   // the status is looked at below
	if status := cmd.ProcessState.ExitCode(); status != interrupt.Status(syscall.SIGTERM) {
		t.Errorf("status %d", status)
	}
	if m, err := load(model); err != nil || m.Updater().Samples() < 100 {
		t.Errorf("no checkpoint of the rows: %v", err)
	}
}

// TestClosedPipe closes the reader of standard output, where Go by default lets SIGPIPE end the
// process. There is no message, and the status is the one of a process that SIGPIPE ended.
func TestClosedPipe(t *testing.T) {
	cmd := command(nil, quick()...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	r, w, err := os.Pipe()
	testutil.NoError(t, err)
	cmd.Stdout = w
	testutil.NoError(t, r.Close())
	_ = cmd.Run() // the status is looked at below
	testutil.NoError(t, w.Close())
	if status := cmd.ProcessState.ExitCode(); status != 141 || errs.Len() != 0 {
		t.Errorf("process: status %d, stderr %q; want 141 and no message", status, errs.String())
	}
}

// momentSeed returns and logs the seed of the random moments of a test: BLSKERNEL_SEED, or by default
// another one each time. The same seed meets the same work only if the processes take the same time.
func momentSeed(t *testing.T) uint64 {
	t.Helper()
	const variable = "BLSKERNEL_SEED"
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv(variable); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		testutil.NoError(t, err)
	}
	t.Logf("the moments are those of %s=%d", variable, seed)
	return seed
}

// TestSignalAnyTime sends SIGKILL and SIGINT, SIGTERM or SIGHUP to every command at random moments: 20
// times with BLSKERNEL_LONG=1, else once. The command leaves what was there, or a checkpoint, and what
// it acknowledged. Resuming, as often as it is killed again, leads to the same result.
func TestSignalAnyTime(t *testing.T) {
	testutil.NotUnderRace(t, "it does not see into processes")
	testutil.NotEmulated(t, "the moments are those of processes that take milliseconds")
	random, times := rand.New(rand.NewPCG(momentSeed(t), 4)), 1
	if testutil.Long() {
		times = 20
	}
	sent, ended := map[syscall.Signal]int{}, map[syscall.Signal]int{}
	window := 60 * time.Millisecond // shorter after a process that was too fast, otherwise longer
	for i, w := range writings(t, 1000) {
		for n := range 2 * times {
			s := []syscall.Signal{syscall.SIGKILL, syscall.SIGINT, syscall.SIGKILL, syscall.SIGTERM, syscall.SIGKILL, syscall.SIGHUP}[(2*i+n)%6]
			w.files.lay(t)
			args, running := w.args(), true
			for running {
				sent[s]++
				cmd := command(nil, args...)
				var out, errs bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &errs
				testutil.NoError(t, cmd.Start())
				time.Sleep(time.Duration(random.Float64() * float64(window)))
				_ = cmd.Process.Signal(s) // it may have ended
				_ = cmd.Wait()            // the status is looked at below
				status := cmd.ProcessState.ExitCode()
				where := fmt.Sprintf("%s after %v: status %d, %q", w.line, s, status, errs.String())
				w.check(t, where, out.String(), status == 0)
				running = status != 0 && s == syscall.SIGKILL && w.again != ""
				args = append(w.args(), w.again)
				if status == 0 {
					window = window * 3 / 4
					continue
				}
				window = window * 8 / 7
				ended[s]++
				switch early := status == -1 && errs.Len() == 0; { // before the process could listen to signals
				case s != syscall.SIGKILL:
					said := strings.HasSuffix(errs.String(), interrupt.SignalError{Signal: s}.Error()+"\n")
					if !early && (status != interrupt.Status(s) || !said) {
						t.Error(where)
					}
					w.leftovers(t, where, "", nil)
				case status != -1:
					t.Error(where)
				}
				if !running {
					w.goesOn(t, where, s == syscall.SIGKILL && w.complete())
				}
			}
			if s != syscall.SIGKILL || w.samples > 0 { // the next run removes what was left before
				w.leftovers(t, fmt.Sprintf("%s after %v and again", w.line, s), "", nil)
			}
		}
	}
	total := 0
	for s, n := range sent {
		if total += ended[s]; testutil.Long() && 4*ended[s] < n {
			t.Errorf("%v has ended only %d of %d processes", s, ended[s], n)
		}
		t.Logf("%v has ended %d of %d processes", s, ended[s], n)
	}
	if total == 0 {
		t.Error("no process was ended by a signal")
	}
}
