package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"google.golang.org/protobuf/proto"
)

// goEnvironment is the name that Beam gives the environment of all steps.
const goEnvironment = "go"

// marshal turns the pipeline into what runners take, with the environments that are given: one for each
// branch, of which the first is that of all steps that are in none too. Without artifacts it does not
// ask for this program to be brought to the workers.
//
// In Beam's model resource hints of a scope are what gives steps another environment; Beam's SDK for Go
// (2.77) takes those hints and does nothing with them, so this is done to the marshalled pipeline.
func marshal(p *beam.Pipeline, environments []*pipepb.Environment) (*pipepb.Pipeline, error) {
	edges, _, err := p.Build()
	if err != nil {
		return nil, err
	}
	out, err := graphx.Marshal(edges, &graphx.Options{
		Environment: environments[0], PipelineResourceHints: jobopts.GetPipelineResourceHints(),
	})
	if err != nil {
		return nil, err
	}
	parts := out.GetComponents()
	for i := 1; i < len(environments); i++ {
		name := fmt.Sprintf("%s-%d", goEnvironment, i)
		environment := proto.CloneOf(environments[i])
		environment.ResourceHints = parts.Environments[goEnvironment].GetResourceHints()
		parts.Environments[name] = environment
		for _, t := range parts.Transforms {
			if t.EnvironmentId != "" && strings.HasPrefix(t.UniqueName+"/", branch(i)+"/") {
				t.EnvironmentId = name
			}
		}
	}
	return out, nil
}

// environments returns n environments of the type that Beam's flags name, at the addresses given, in
// turns.
func environments(ctx context.Context, urn string, addresses []string, n int) ([]*pipepb.Environment, error) {
	out := make([]*pipepb.Environment, n)
	for i := range out {
		var err error
		out[i], err = graphx.CreateEnvironment(ctx, urn, func(context.Context) string { return addresses[i%len(addresses)] })
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
