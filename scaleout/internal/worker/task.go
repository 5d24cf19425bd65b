package worker

import (
	"errors"
	"flag"
	"strings"
)

// A Task says which worker of which runner a process is to be.
type Task struct {
	ID        string // what the runner calls the worker
	Provision string // address of the runner's provision service, which tells the worker the rest
	// Control and Logging are the addresses of those services where the provision service does not
	// name them.
	Control, Logging string
}

// Register adds the flags of a task to f: those that Beam's runners start the command of a PROCESS
// environment, and Beam's own worker pools a worker, with. Flags that they add and that a task has no
// use for are taken and ignored.
func (t *Task) Register(f *flag.FlagSet) {
	f.Func("id", "what the runner calls this worker", func(s string) error {
		t.ID = unquote(s)
		return nil
	})
	f.StringVar(&t.Provision, "provision_endpoint", "", "address of the runner's provision service")
	f.StringVar(&t.Control, "control_endpoint", "", "address of the control service, where the provision service names none")
	f.StringVar(&t.Logging, "logging_endpoint", "", "address of the logging service, where the provision service names none")
	f.String("artifact_endpoint", "", "ignored: this program is the worker, and nothing is fetched")
	f.String("semi_persist_dir", "", "ignored, for the same reason")
}

// Check says what of the task is missing.
func (t *Task) Check() error {
	switch {
	case t.ID == "":
		return errors.New("--id is missing: a runner names its workers")
	case t.Provision == "":
		return errors.New("--provision_endpoint is missing: the address at which the runner tells its workers what they need")
	}
	return nil
}

// args returns the flags that Register reads.
func (t *Task) args() []string {
	return []string{
		"--id=" + t.ID, "--provision_endpoint=" + t.Provision,
		"--control_endpoint=" + t.Control, "--logging_endpoint=" + t.Logging,
	}
}

// unquote takes the quotes from around an id. Prism puts them there, as for a shell, and starts the
// command without one.
func unquote(id string) string {
	if inner, ok := strings.CutPrefix(id, "'"); ok {
		return strings.TrimSuffix(inner, "'")
	}
	return id
}
