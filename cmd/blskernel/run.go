package main

import (
	"context"
	"io"
	"time"

	"blskernel/bench"
)

// streams are where a command writes: results to out, progress and errors to err.
type streams struct{ out, err io.Writer }

// interruptible returns f's error, or why ctx was cancelled as soon as it is, even where f does not
// look at it: f is then left to itself, since the process is about to end.
func interruptible(ctx context.Context, f func() error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	finished := make(chan error, 1)
	go func() { finished <- f() }()
	select {
	case err := <-finished:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// tick is how often the bar is drawn again, so that its clock goes while nothing else is heard.
const tick = 250 * time.Millisecond

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

	// All printing is done here, so that nothing is printed once this function has returned.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	prints := make(chan func() error)
	here := func(print func() error) error {
		select {
		case prints <- print:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	finished := make(chan error, 1)
	go func() {
		finished <- e.Run(ctx, func(step []bench.Row) error {
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
	}()
	clock := time.NewTicker(tick)
	defer clock.Stop()
	for {
		select {
		case print := <-prints:
			if err := print(); err != nil {
				return err
			}
		case <-clock.C:
			shown.refresh()
		case err := <-finished:
			if err != nil {
				return explain(err)
			}
			shown.clear()
			return rows.foot()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
