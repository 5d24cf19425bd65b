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

// attend runs work on a goroutine of its own and on this one what work hands over to here, so that
// nothing is printed once attend has returned. It returns work's error, the error of what was handed
// over, or why ctx was cancelled as soon as it is: work, of which the context is cancelled too, is then
// left to itself.
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
	finished := make(chan error, 1)
	go func() { finished <- work(ctx, here) }()
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
		case err := <-finished:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
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
