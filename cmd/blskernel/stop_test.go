package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/io/interrupt"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faultfs"
	"blskernel/internal/testutil/faults"
)

// A lookout is a writer that looks at a context before each write.
type lookout struct {
	bytes.Buffer
	ctx context.Context
}

func (l *lookout) Write(p []byte) (int, error) {
	_ = l.ctx.Err()
	return l.Buffer.Write(p)
}

// stopped interrupts a command at its n-th look: when it checks its context, prints something, or uses
// a file. It returns the number of looks.
func stopped(n int, args []string) (looks, status int, stdout, stderr string) {
	ctx, release := faults.StoppedAfter(n, interrupt.SignalError{Signal: os.Interrupt})
	defer release()
	looking := faultfs.Func(func(faultfs.Call) (int, error) {
		_ = ctx.Err()
		return 0, nil
	})
	out, errs := &lookout{ctx: ctx}, &lookout{ctx: ctx}
	status = run(ctx, args, ui.Streams{Out: out, Err: errs, FS: looking})
	return ctx.Looks(), status, out.String(), errs.String()
}

// TestStopAtEveryLook interrupts every command at each look at its context, each line that it prints,
// and each operation on a file. Without BLSKERNEL_LONG=1 it does so at 3 of them, spread evenly. The
// command leaves what was there, or a checkpoint. Resuming leads to the same result, for a model to the
// bit.
func TestStopAtEveryLook(t *testing.T) {
	testutil.NotEmulated(t, "hundreds of runs")
	total, commands := 0, writings(t, 150)
	for _, w := range commands {
		w.files.lay(t)
		looks, status, _, stderr := stopped(1<<30, w.args())
		if status != 0 || looks == 0 {
			t.Fatalf("%s: %d looks, status %d, %q", w.line, looks, status, stderr)
		}
		step := 1
		if !testutil.Long() {
			step = (looks + 2) / 3
		}
		// Several goroutines may look at the same time, so the number varies a little.
		ended := 0
		for n := 0; n < looks; n += step {
			w.files.lay(t)
			_, status, stdout, stderr := stopped(n, w.args())
			where := fmt.Sprintf("%s at look %d: status %d, %q", w.line, n, status, stderr)
			w.check(t, where, stdout, status == 0)
			if status == 0 {
				continue // it had already ended
			}
			ended++
			if status != 130 || !strings.HasSuffix(stderr, ": interrupted\n") {
				t.Error(where)
			}
			w.leftovers(t, where, "", nil)
			w.goesOn(t, where, false)
		}
		if ended == 0 { // near its end a command may finish as if nothing had happened
			t.Errorf("%s: no interruption has ended it", w.line)
		}
		total += ended
	}
	t.Logf("%d interruptions of %d commands", total, len(commands))
}

// TestStopWhileScoring interrupts a training run at its last looks, while it scores held-out rows:
// --resume then scores them, and the file is listed once as learned and once in the log.
func TestStopWhileScoring(t *testing.T) {
	testutil.NotEmulated(t, "dozens of runs")
	testutil.NotUnderRace(t, "TestStopAtEveryLook interrupts the same command")
	workplace(t)
	files := worktop{"x.csv": []byte(csvText(samples(150, 1), true, "a", "b", "c", "d", "color"))}
	files.lay(t)
	args := small("--target", "color", "--batch", "50", "--holdout", "0.2", "--checkpoint", "50", "--out", "new.bls", "x.csv")
	looks, _, _, _ := stopped(1<<30, args)
	scoring, step := 0, 1
	if !testutil.Long() {
		step = 1 + looks/300
	}
	for n := looks - looks/20; n < looks; n += step {
		files.lay(t)
		_, status, stdout, stderr := stopped(n, args)
		if status == 0 {
			continue // it had already ended
		}
		if strings.Contains(stderr, "held-out rows could not be scored") || strings.Contains(stdout, "learned ") {
			scoring++
		}
		succeed(t, append(args, "--resume")...)
		if said := succeed(t, "inspect", "--json", "new.bls"); !strings.Contains(said, `"holdout"`) || strings.Count(said, `{"name":"x.csv",`) != 2 {
			t.Errorf("at look %d of %d: status %d, %q; after --resume no score, or not one file in each list: %s", n, looks, status, stderr, said)
		}
	}
	if scoring == 0 {
		t.Error("no interruption of the scoring")
	}
}
