//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"blskernel/internal/interrupt"
	"blskernel/internal/testutil"
)

// TestSignalAnyTime sends SIGINT and SIGTERM to every command at random moments: 20 of each with
// BLSKERNEL_LONG=1, else one of either kind. What is there is what was there, or a checkpoint; and
// going on from it leads to the same result.
func TestSignalAnyTime(t *testing.T) {
	testutil.NotUnderRace(t, "it does not see into processes")
	testutil.NotEmulated(t, "the moments are those of processes that take milliseconds")
	random := rand.New(rand.NewPCG(momentSeed(t), 4))
	ended, sent, commands := 0, 0, stoppable(t)
	window := 60 * time.Millisecond // which is made shorter until a signal is sent in time
	for i, tr := range commands {
		signals, whole := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}, window
		if testutil.Long() {
			begun := time.Now()
			if status, _, stderr := process(nil, tr.args(tr.files.lay(t))...); status != 0 {
				t.Fatalf("%s: status %d, %q", tr.name, status, stderr)
			}
			signals, whole = slices.Repeat(signals, 20), time.Since(begun)
		} else {
			signals = signals[i%2 : i%2+1]
		}
		for _, s := range signals {
			sent++
			dir := tr.files.lay(t)
			cmd := command(nil, tr.args(dir)...)
			var errs bytes.Buffer
			cmd.Stderr = &errs
			testutil.NoError(t, cmd.Start())
			time.Sleep(time.Duration(random.Float64() * float64(whole)))
			_ = cmd.Process.Signal(s) // it may have ended
			_ = cmd.Wait()            // whose status is looked at
			switch status := cmd.ProcessState.ExitCode(); {
			case status == 0:
				window = window * 2 / 3
				if err := tr.final(t, dir); err != nil {
					t.Errorf("%s: %v", tr.name, err)
				}
				continue
			case status == -1 && errs.Len() == 0: // before it could listen to signals
			case status != interrupt.Status(s) || !strings.HasSuffix(errs.String(), interrupt.SignalError{Signal: s}.Error()+"\n"):
				t.Errorf("%s: status %d, %q", tr.name, status, errs.String())
			}
			ended++
			tr.interrupted(t, dir, fmt.Sprintf("%s after a %v", tr.name, s))
		}
	}
	if ended == 0 || testutil.Long() && 4*ended < sent {
		t.Errorf("only %d of %d processes were ended by a signal", ended, sent)
	}
	t.Logf("%d of %d processes of %d commands were ended by a signal", ended, sent, len(commands))
}
