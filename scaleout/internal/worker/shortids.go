package worker

import (
	"context"
	"crypto/rand"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/hooks"
	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
)

// A worker gives its metrics short names, 1, 2, 3..., and tells the runner once what they stand for.
// Prism (of Beam 2.77) has one table of them for a job, so that the 7 of one worker is taken for the 7
// of another: sums become wrong, and where the two are of different types the job fails. The hook makes
// the names of a process its own.
const shortIDsHook = "blskernel_short_ids"

func init() {
	hooks.RegisterHook(shortIDsHook, func([]string) hooks.Hook {
		return hooks.Hook{Req: ownToShort, Resp: shortToOwn}
	})
}

// SeparateShortIDs lets the workers of the jobs that are submitted from now on give their metrics names
// that no other process has. It is needed for jobs with several worker processes on Prism, and does no
// harm elsewhere.
func SeparateShortIDs() error { return hooks.EnableHook(shortIDsHook) }

// own is what the names of this process begin with.
var own = rand.Text()[:8] + "."

// ownToShort turns the names for which the runner asks into those that Beam knows them by.
func ownToShort(ctx context.Context, r *fnpb.InstructionRequest) (context.Context, error) {
	if asked := r.GetMonitoringInfos(); asked != nil {
		for i, id := range asked.MonitoringInfoId {
			asked.MonitoringInfoId[i] = strings.TrimPrefix(id, own)
		}
	}
	return ctx, nil
}

// shortToOwn turns all names of an answer into those of this process.
func shortToOwn(_ context.Context, _ *fnpb.InstructionRequest, r *fnpb.InstructionResponse) error {
	if answer := r.GetMonitoringInfos(); answer != nil {
		answer.MonitoringInfo = renamed(answer.MonitoringInfo)
	}
	if answer := r.GetProcessBundle(); answer != nil {
		answer.MonitoringData = renamed(answer.MonitoringData)
	}
	if answer := r.GetProcessBundleProgress(); answer != nil {
		answer.MonitoringData = renamed(answer.MonitoringData)
	}
	return nil
}

// renamed returns m with this process's names for keys.
func renamed[V any](m map[string]V) map[string]V {
	out := make(map[string]V, len(m))
	for id, v := range m {
		out[own+id] = v
	}
	return out
}
