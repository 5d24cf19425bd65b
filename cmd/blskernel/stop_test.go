package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/interrupt"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faultfs"
	"blskernel/internal/testutil/faults"
)

// A lookout is a writer that looks at a context before it takes what is written.
type lookout struct {
	bytes.Buffer
	ctx context.Context
}

func (l *lookout) Write(p []byte) (int, error) {
	_ = l.ctx.Err()
	return l.Buffer.Write(p)
}

// stopped runs a command that is interrupted at the n-th moment at which it looks at its context,
// prints something, or asks something of a file, and returns how many there were.
func stopped(n int, args []string) (looks, status int, stderr string) {
	ctx, release := faults.StoppedAfter(n, interrupt.SignalError{Signal: os.Interrupt})
	defer release()
	looking := faultfs.Func(func(faultfs.Call) (int, error) {
		_ = ctx.Err()
		return 0, nil
	})
	out, errs := &lookout{ctx: ctx}, &lookout{ctx: ctx}
	status = run(ctx, args, ui.Streams{Out: out, Err: errs, FS: looking})
	return ctx.Looks(), status, errs.String()
}

// stoppable returns the writings, with a command that writes nothing.
func stoppable(t *testing.T) []writing {
	t.Helper()
	all := writings(t)
	nothing := func(*testing.T, string) error { return nil }
	model := all[2].files
	evaluate := func(dir string) []string {
		return []string{"evaluate", filepath.Join(dir, "m.bls"), "--batch", "50", "--backend", "pure", filepath.Join(dir, "x.csv")}
	}
	return append(all, writing{name: "evaluate", files: model, out: "m.bls", args: evaluate, whole: nothing, final: nothing})
}

// TestStopAtEveryLook interrupts every command at each look at its context, each line that it prints,
// and each operation on a file: at 3 of them, spread evenly, unless BLSKERNEL_LONG=1. What is there is
// what was there, or a checkpoint; and going on from it leads to the same result, of a model to the
// bit.
func TestStopAtEveryLook(t *testing.T) {
	testutil.NotEmulated(t, "hundreds of runs")
	total, commands := 0, stoppable(t)
	for _, tr := range commands {
		looks, status, stderr := stopped(1<<30, tr.args(tr.files.lay(t)))
		if status != 0 || looks == 0 {
			t.Fatalf("%s: %d looks, status %d, %q", tr.name, looks, status, stderr)
		}
		step := 1
		if !testutil.Long() {
			step = (looks + 2) / 3
		}
		// Some looks are at the same time on other goroutines, so that their number differs a
		// little.
		ended, tried := 0, 0
		for n := 0; n < looks; n += step {
			ended += tr.stopped(t, n)
			tried++
		}
		if ended == 0 { // some end as if nothing had been, when all is done but what takes no time
			t.Errorf("%s: none of %d interruptions has ended it", tr.name, tried)
		}
		total += ended
	}
	t.Logf("%d interruptions of %d commands", total, len(commands))
}

// stopped interrupts the command at the n-th moment, and returns 1, or 0 if it was over before.
func (tr *writing) stopped(t *testing.T, n int) int {
	t.Helper()
	dir := tr.files.lay(t)
	defer os.RemoveAll(dir)
	_, status, stderr := stopped(n, tr.args(dir))
	if status == 0 {
		if err := tr.final(t, dir); err != nil {
			t.Errorf("%s, not stopped: %v", tr.name, err)
		}
		return 0
	}
	if status != 130 || !strings.HasSuffix(stderr, ": interrupted\n") {
		t.Errorf("%s at look %d: status %d, %q", tr.name, n, status, stderr)
	}
	tr.interrupted(t, dir, fmt.Sprintf("%s at look %d", tr.name, n))
	return 1
}

// interrupted checks what an interruption leaves, and that the command can go on.
func (tr *writing) interrupted(t *testing.T, dir, where string) {
	t.Helper()
	if err := tr.whole(t, dir); err != nil {
		t.Errorf("%s: %v", where, err)
	}
	for name := range takeUp(t, dir) {
		if _, there := tr.files[name]; !there && name != tr.out && !strings.HasPrefix(name, "page/") || strings.HasSuffix(name, ".tmp") || strings.HasSuffix(name, ".lock") {
			t.Errorf("%s: %s is left", where, name)
		}
	}
	tr.goesOn(t, dir, where)
}

// goesOn runs the command again, which must succeed.
func (tr *writing) goesOn(t *testing.T, dir, where string) {
	t.Helper()
	if status, _, stderr := inProcess(append(tr.args(dir), tr.again...)...); status != 0 {
		t.Errorf("%s; again: status %d, %q", where, status, stderr)
	} else if err := tr.final(t, dir); err != nil {
		t.Errorf("%s; again: %v", where, err)
	}
}
