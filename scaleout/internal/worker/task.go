package worker

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// A Task names a worker and the runner that it works for.
type Task struct {
	ID        string // of the worker, given by the runner
	Provision string // address of the runner's provision service
	// Control and Logging are addresses for a provision service that does not name them.
	Control, Logging string
}

// Register adds the flags of a task to f: those that Beam's runners and worker pools pass to the worker
// that they start. It accepts and ignores the others of them.
func (t *Task) Register(f *flag.FlagSet) {
	f.Func("id", "`name` that the runner gives this worker", func(s string) error {
		t.ID = strings.Trim(s, "'") // Prism quotes it as for a shell, and starts the command without one
		return nil
	})
	f.StringVar(&t.Provision, "provision_endpoint", "", "`address` of the runner's provision service")
	f.StringVar(&t.Control, "control_endpoint", "", "`address` of the control service, if the provision service names none")
	f.StringVar(&t.Logging, "logging_endpoint", "", "`address` of the logging service, if the provision service names none")
	f.String("artifact_endpoint", "", "ignored: this program fetches nothing")
	f.String("semi_persist_dir", "", "ignored")
}

// Check returns an error if the task lacks its name or its runner.
func (t *Task) Check() error {
	switch {
	case t.ID == "":
		return errors.New("--id is missing: name the worker")
	case t.Provision == "":
		return errors.New("--provision_endpoint is missing: name the runner's provision service")
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

// Run makes this process the worker of t, until the runner ends it or ctx is done. It takes the options
// of the pipeline from the runner. A process can run one task.
//
//	errors: the runner cannot be reached, or went away.
func (t *Task) Run(ctx context.Context) error {
	if !beam.Initialized() {
		beam.Init()
	}
	ctx = grpcx.WriteWorkerID(ctx, t.ID)
	info, err := tools.ProvisionInfo(ctx, t.Provision)
	if err != nil {
		return fmt.Errorf("the runner's provision service at %s: %w", t.Provision, err)
	}
	var options runtime.RawOptionsWrapper
	if err := tools.ProtoToOptions(info.GetPipelineOptions(), &options); err != nil {
		return fmt.Errorf("the options of the pipeline: %w", err)
	}
	runtime.GlobalOptions.Import(options.Options)
	return harness.MainWithOptions(ctx,
		cmp.Or(info.GetLoggingEndpoint().GetUrl(), t.Logging),
		cmp.Or(info.GetControlEndpoint().GetUrl(), t.Control),
		harness.Options{
			RunnerCapabilities: info.GetRunnerCapabilities(),
			StatusEndpoint:     info.GetStatusEndpoint().GetUrl(),
		})
}

// ChildFlag is the flag that a Pool passes to its processes. They must call EndWithParent.
const ChildFlag = "child"

// EndWithParent ends the process with status 0 when its standard input ends: the pool closes it or has
// ended itself, however that happened. The process then ignores Ctrl-C, which a terminal sends to all.
func EndWithParent() {
	signal.Ignore(os.Interrupt)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
}
