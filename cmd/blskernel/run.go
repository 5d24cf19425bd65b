package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"blskernel/bench"
	"blskernel/internal/vfs"
)

// streams are where a command writes: results to out, progress and errors to err.
type streams struct {
	out, err io.Writer
	fs       vfs.FS // of the files that the command writes; nil for the operating system's
}

// interruptible returns f's error, or why ctx was cancelled as soon as it is, even where f does not
// look at it: f is then left to itself, since the process is about to end.
func interruptible(ctx context.Context, f func() error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	finished := make(chan ending, 1)
	go func() { finished <- endingOf(f) }()
	select {
	case o := <-finished:
		return o.settle()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// An ending is how work on another goroutine has come to its end.
type ending struct {
	err      error
	panicked any // what it panicked with, nil if it did not
}

// endingOf does the work.
func endingOf(work func() error) (o ending) {
	defer func() { o.panicked = relayed(recover()) }()
	o.err = work()
	return o
}

// A relay is a panic on its way from one goroutine to another, with the stack that it had.
type relay struct {
	value any
	stack []byte
}

// relayed returns the relay of what was recovered, nil where that is nothing.
func relayed(recovered any) any {
	if recovered == nil {
		return nil
	}
	return relay{recovered, debug.Stack()}
}

// Error is what the runtime prints.
func (r relay) Error() string { return fmt.Sprintf("%v\n\nwhich happened on\n%s", r.value, r.stack) }

// settle returns the error of the work, or panics as the work did, now on the goroutine that waits for it: so what
// is deferred there is done, which takes away temporary files and locks.
func (o ending) settle() error {
	if o.panicked != nil {
		panic(o.panicked)
	}
	return o.err
}

// tick is how often the bar is drawn again, so that its clock goes while nothing else is heard.
const tick = 250 * time.Millisecond

// attend runs work on a goroutine of its own and on this one what work hands over to here, so that
// nothing is printed once attend has returned. It returns work's error, the error of what was handed
// over, or why ctx was cancelled as soon as it is: work, of which the context is cancelled too, is then
// left to itself. Work that has ended by then with another error has that one returned.
func attend(ctx context.Context, shown *progress, work func(ctx context.Context, here func(func() error) error) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	handed := make(chan func() error)
	here := func(f func() error) error {
		select {
		case handed <- f:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	finished := make(chan ending, 1)
	go func() { finished <- endingOf(func() error { return work(ctx, here) }) }()
	clock := time.NewTicker(tick)
	defer clock.Stop()
	for {
		select {
		case f := <-handed:
			if err := f(); err != nil {
				return err
			}
		case <-clock.C:
			shown.refresh()
		case o := <-finished:
			return causeOf(ctx, o.settle())
		case <-ctx.Done():
			select {
			case o := <-finished:
				return causeOf(ctx, o.settle())
			default:
				return context.Cause(ctx)
			}
		}
	}
}

// causeOf returns why ctx was cancelled in place of an error that says no more than that it was. Any other error stays,
// also that of a disk which has failed at the same moment.
func causeOf(ctx context.Context, err error) error {
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(ctx))) {
		return context.Cause(ctx)
	}
	return err
}

// runIncremental runs e and prints its rows as they come. It returns as soon as ctx is cancelled, even in
// the middle of an update: nothing of a run is kept but what is printed.
func runIncremental(ctx context.Context, e *bench.Incremental, asJSON bool, s streams) error {
	if err := e.Validate(); err != nil {
		return explain(err)
	}
	rows := rowPrinter(newTable(e, s.out))
	if asJSON {
		rows = jsonRows{s.out}
	}
	if err := rows.head(); err != nil {
		return err
	}
	shown := newProgress(s.err, asJSON)
	defer shown.clear()
	err := attend(ctx, shown, func(ctx context.Context, here func(func() error) error) error {
		return e.Run(ctx, func(step []bench.Row) error {
			return here(func() error {
				shown.clear()
				return rows.print(step)
			})
		}, func(done, total float64, doing string) {
			// Where it cannot be shown the run is over, and Run will see that.
			_ = here(func() error {
				shown.show(done/total, doing)
				return nil
			})
		})
	})
	if err != nil {
		return explain(err)
	}
	shown.clear()
	return rows.foot()
}
