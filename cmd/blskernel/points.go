package main

import (
	"context"
	"fmt"
	"io"

	"blskernel/bench"
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
	resume  bool   // goes on with it
	json    bool
	table   pointTable[P]
	machine func() result.Machine
	keep    func(out *results, p P) error
	// known takes over what a part of the file has, which one command measured, and tells how many points that are.
	known func(part *result.File) int
	// done returns the points of those that are of this experiment, which run leaves out.
	done func() []P
	// prepare is what comes before the machine is described; nil for nothing.
	prepare func(ctx context.Context, shown *progress, here func(func() error) error) error
	run     func(ctx context.Context, emit func(P) error, progress bench.Progress) error
}

// show runs the experiment and prints it. What is finished is in the file, whatever becomes of the rest.
func (x points[P]) show(ctx context.Context, s streams) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var lines io.Writer
	if x.json {
		lines = s.out
	}
	out, err := openResults(s.fs, x.out, x.resume, lines)
	if err != nil {
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
		out.machine = x.machine()
		warning, err := x.restore(out)
		if err != nil {
			return err
		}
		done := x.done()
		err = here(func() error {
			shown.clear()
			shown.quiet = true // the lines of the table say as much, where there is no bar
			if _, err := io.WriteString(s.err, warning); err != nil {
				return err
			}
			text := x.table.head()
			for _, p := range done {
				text += x.table.line(p)
			}
			return x.say(s, text)
		})
		if err != nil {
			return err
		}
		return x.run(ctx, func(p P) error {
			return here(func() error {
				if err := x.keep(out, p); err != nil {
					return err
				}
				shown.clear()
				return x.say(s, x.table.line(p))
			})
		}, func(done, total float64, doing string) {
			// Where it cannot be shown the run is over, and its own look at ctx will see that.
			_ = here(func() error { shown.show(done/total, doing); return nil })
		})
	})
	if closed := out.close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	shown.clear()
	return x.say(s, x.table.foot())
}

// restore takes over what the file has.
func (x points[P]) restore(out *results) (warning string, err error) {
	if out.read == nil {
		return "", nil
	}
	for _, part := range out.read.Parts() {
		if x.known(part) == 0 {
			continue
		}
		if warning, err = out.mayGoOn("a part", part.Machines...); err != nil {
			return "", err
		}
	}
	return warning, nil
}

// say prints text, unless standard output is for JSON.
func (x points[P]) say(s streams, text string) error {
	if x.json {
		return nil
	}
	_, err := fmt.Fprint(s.out, text)
	return err
}
