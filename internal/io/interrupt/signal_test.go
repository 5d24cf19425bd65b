package interrupt

import (
	"os"
	"syscall"
	"testing"
)

// strange is a signal that no operating system has.
type strange struct{}

func (strange) Signal()        {}
func (strange) String() string { return "strange" }

func TestSignalError(t *testing.T) {
	for _, tc := range []struct {
		signal os.Signal
		text   string
		status int
	}{
		{os.Interrupt, "interrupted", 130},
		{syscall.SIGTERM, "terminated", 143},
		{strange{}, "strange", 1},
	} {
		e := SignalError{tc.signal}
		if e.Error() != tc.text || e.Status() != tc.status {
			t.Errorf("%v: %q, status %d; want %q, %d", tc.signal, e, e.Status(), tc.text, tc.status)
		}
	}
}
