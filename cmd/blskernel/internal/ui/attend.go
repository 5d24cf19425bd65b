package ui

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// An ending is the end of work on another goroutine.
type ending struct {
	err      error
	panicked any // the value of its panic, nil for none
}

// start runs the work on a goroutine.
func start(work func() error) <-chan ending {
	finished := make(chan ending, 1)
	go func() {
		var e ending
		defer func() {
			e.panicked = Relayed(recover())
			finished <- e
		}()
		e.err = work()
	}()
	return finished
}

// settle returns the error of the work, or panics as the work did, on the goroutine that waits for it:
// its deferred calls remove temporary files and locks.
func (e ending) settle() error {
	if e.panicked != nil {
		panic(e.panicked)
	}
	return e.err
}

// A relay is a panic on its way from one goroutine to another, with its stack.
type relay struct {
	value any
	stack []byte
}

// Error returns the text that the runtime prints.
func (r relay) Error() string { return fmt.Sprintf("%v\n\nwhich happened on\n%s", r.value, r.stack) }

// Relayed returns a recovered value with the stack of this goroutine, nil for nil.
func Relayed(recovered any) any {
	if recovered == nil {
		return nil
	}
	return relay{recovered, debug.Stack()}
}

// Interruptible returns f's error, or the cause of ctx as soon as it is canceled. In that case f goes
// on alone, since the process is about to end.
func Interruptible(ctx context.Context, f func() error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case e := <-start(f):
		return e.settle()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// CauseOf returns the cause of ctx for an error that only says that ctx was canceled. It returns any
// other error unchanged, also one of a disk that fails at the same moment.
func CauseOf(ctx context.Context, err error) error {
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(ctx))) {
		return context.Cause(ctx)
	}
	return err
}

// tick is the time between two drawings of the bar, which keeps its clock running.
const tick = 250 * time.Millisecond

// A Printer runs functions on the goroutine that prints.
type Printer struct {
	ctx    context.Context
	handed chan func() error
	bar    *Progress
}

// Do clears the progress and runs f. It returns the cause of the context if that is canceled first.
func (p *Printer) Do(f func() error) error {
	return p.hand(func() error {
		p.bar.Clear()
		return f()
	})
}

// Show shows the progress, as Progress.Show.
func (p *Printer) Show(share float64, doing string) {
	// An error means that the context is canceled, which the work checks by itself.
	_ = p.hand(func() error {
		p.bar.Show(share, doing)
		return nil
	})
}

// Part shows done of total units of work.
func (p *Printer) Part(done, total float64, doing string) { p.Show(done/total, doing) }

func (p *Printer) hand(f func() error) error {
	select {
	case p.handed <- f:
		return nil
	case <-p.ctx.Done():
		return context.Cause(p.ctx)
	}
}

// Attend runs work on another goroutine, and on this one what work hands to the Printer, so that
// nothing is printed once Attend has returned. It returns the error of the work or of a function of the
// Printer, or the cause of ctx as soon as it is canceled; work then goes on alone, with a canceled
// context. An error of work that has ended by then wins.
func Attend(ctx context.Context, bar *Progress, work func(ctx context.Context, p *Printer) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &Printer{ctx: ctx, handed: make(chan func() error), bar: bar}
	finished := start(func() error { return work(ctx, p) })
	clock := time.NewTicker(tick)
	defer clock.Stop()
	for {
		select {
		case f := <-p.handed:
			if err := f(); err != nil {
				return err
			}
		case <-clock.C:
			bar.refresh()
		case e := <-finished:
			return CauseOf(ctx, e.settle())
		case <-ctx.Done():
			select {
			case e := <-finished:
				return CauseOf(ctx, e.settle())
			default:
				return context.Cause(ctx)
			}
		}
	}
}
