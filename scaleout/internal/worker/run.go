package worker

import (
	"cmp"
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// Run makes this process the worker of t: it takes over the options of the pipeline and does what the
// runner says until the runner wants no more, or ctx is cancelled. A process can be a worker once, of
// one job.
//
//	errors: a runner that cannot be reached, or that went away.
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
