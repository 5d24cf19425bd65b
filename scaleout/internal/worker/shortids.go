package worker

import (
	"context"
	"crypto/rand"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/hooks"
	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
)

// shortIDsHook makes the short names of a worker's metrics unique. A worker names its metrics 1, 2,
// 3..., and tells the runner once what they stand for. Prism (Beam 2.77) keeps one table of these names
// for a job and confuses those of several workers: sums become wrong, and metrics of different types
// fail the job.
const shortIDsHook = "blskernel_short_ids"

func init() {
	hooks.RegisterHook(shortIDsHook, func([]string) hooks.Hook {
		return hooks.Hook{Req: removePrefix, Resp: addPrefix}
	})
}

// SeparateShortIDs enables unique names for the workers of the jobs that this process submits from now
// on. Jobs with several worker processes on Prism need it; other runners ignore the names.
func SeparateShortIDs() error { return hooks.EnableHook(shortIDsHook) }

// prefix begins the names of this process.
var prefix = rand.Text()[:8] + "."

// removePrefix restores Beam's names in a request of the runner.
func removePrefix(ctx context.Context, r *fnpb.InstructionRequest) (context.Context, error) {
	if asked := r.GetMonitoringInfos(); asked != nil {
		for i, id := range asked.MonitoringInfoId {
			asked.MonitoringInfoId[i] = strings.TrimPrefix(id, prefix)
		}
	}
	return ctx, nil
}

// addPrefix makes the names in an answer unique.
func addPrefix(_ context.Context, _ *fnpb.InstructionRequest, r *fnpb.InstructionResponse) error {
	if answer := r.GetMonitoringInfos(); answer != nil {
		answer.MonitoringInfo = prefixed(answer.MonitoringInfo)
	}
	if answer := r.GetProcessBundle(); answer != nil {
		answer.MonitoringData = prefixed(answer.MonitoringData)
	}
	if answer := r.GetProcessBundleProgress(); answer != nil {
		answer.MonitoringData = prefixed(answer.MonitoringData)
	}
	return nil
}

// prefixed returns a copy of m with the prefix before each key.
func prefixed[V any](m map[string]V) map[string]V {
	out := make(map[string]V, len(m))
	for id, v := range m {
		out[prefix+id] = v
	}
	return out
}
