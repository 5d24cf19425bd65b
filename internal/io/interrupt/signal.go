package interrupt

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// A SignalError is the cause (context.Cause) of a context that the signal canceled.
type SignalError struct{ Signal os.Signal }

func (e SignalError) Error() string {
	if e.Signal == os.Interrupt {
		return "interrupted"
	}
	return e.Signal.String()
}

// Status returns the exit status of a program that the signal ended, as in shells. It is 128 plus
// the signal number, or 1 if the signal has no number.
func (e SignalError) Status() int {
	if s, ok := e.Signal.(syscall.Signal); ok {
		return Status(s)
	}
	return 1
}

// Status returns the exit status for a signal, 128 plus its number.
func Status(s syscall.Signal) int { return 128 + int(s) }

// OnSignal returns a context that the first SIGINT, SIGTERM or SIGHUP cancels, with a SignalError as
// its cause. A second signal ends the process. A SIGHUP that is ignored, as under nohup, stays ignored.
func OnSignal() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		s := <-signals
		signal.Stop(signals)
		cancel(SignalError{s})
	}()
	return ctx
}
