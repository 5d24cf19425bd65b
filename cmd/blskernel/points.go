package main

import (
	"context"
	"fmt"

	"blskernel/bench/result"
)

// A pointTable prints points line by line, between a head and a foot.
type pointTable[P any] interface {
	head() string
	line(P) string
	foot() string
}

// points is an experiment that is printed as a table, or as lines of JSON, and kept in a file where that is wanted.
type points[P any] struct {
	out     string // the file
	json    bool
	table   pointTable[P]
	machine func() result.Machine
	keep    func(lines *lineSink, p P) error
	// prepare is what comes before the machine is described; nil for nothing.
	prepare func(ctx context.Context, shown *progress, here func(func() error) error) error
	run     func(ctx context.Context, emit func(P) error, progress func(share float64, doing string)) error
}

// show runs the experiment and prints it.
func (x points[P]) show(ctx context.Context, s streams) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	lines, err := newLineSink(x.out, x.json, s)
	if err != nil {
		return err
	}
	defer lines.abort()
	say := func(text string) error {
		if x.json {
			return nil
		}
		_, err := fmt.Fprint(s.out, text)
		return err
	}
	shown := newProgress(s.err, x.json)
	defer shown.clear()
	err = attend(ctx, shown, func(ctx context.Context, here func(func() error) error) error {
		if x.prepare != nil {
			if err := x.prepare(ctx, shown, here); err != nil {
				return err
			}
		}
		err := here(func() error {
			shown.clear()
			shown.quiet = true // the lines of the table say as much, where there is no bar
			if err := result.Write(lines, "machine", x.machine()); err != nil {
				return err
			}
			return say(x.table.head())
		})
		if err != nil {
			return err
		}
		return x.run(ctx, func(p P) error {
			return here(func() error {
				if err := x.keep(lines, p); err != nil {
					return err
				}
				shown.clear()
				return say(x.table.line(p))
			})
		}, func(share float64, doing string) {
			// Where it cannot be shown the run is over, and its own look at ctx will see that.
			_ = here(func() error { shown.show(share, doing); return nil })
		})
	})
	if err != nil {
		return err
	}
	shown.clear()
	if err := lines.commit(); err != nil {
		return err
	}
	return say(x.table.foot())
}
