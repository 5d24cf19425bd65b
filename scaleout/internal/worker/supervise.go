package worker

import (
	"context"
	"fmt"
)

// Supervise has the task done by a process that c starts, and returns when that has ended, which it
// does when ctx is cancelled too. It is what a process does that a runner itself has started as a
// worker: if the worker proper is lost, because it needed more memory than there was, somebody is still
// there who lets the runner know.
//
//	errors: a process that could not be started, or that did not end as it should.
func Supervise(ctx context.Context, c *Command, t *Task) error {
	p, err := c.start(t)
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		p.stop()
		return nil
	case <-p.ended:
	}
	if p.err == nil {
		return nil
	}
	lost := fmt.Errorf("worker %s, process %d, was lost: %w", t.ID, p.cmd.Process.Pid, p.err)
	if _, err := cancelJob(t); err != nil {
		return fmt.Errorf("%w; its job could not be cancelled: %w", lost, err)
	}
	return lost
}
