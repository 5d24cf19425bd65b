package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"

	"blskernel/scaleout/internal/worker"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx" // all runners of Beam
	"google.golang.org/protobuf/proto"
)

// The types of environments. The last one is not Beam's: worker processes that this process starts.
const (
	loopback = "loopback"
	external = "external"
	process  = "process"
	docker   = "docker"
	own      = "own"
)

// A place is where the pipeline runs, by Beam's flags and --workers.
type place struct {
	runner      string // as given
	endpoint    string // of the job service; empty for a Prism in this process
	environment string // a type of environments
	config      string // --environment_config
	workers     int
	threads     int
	attempts    int
	verbose     bool
}

// newPlace returns the place that the flags name.
func newPlace(set *settings) (*place, error) {
	on := &place{
		runner: cmp.Or(*runners.Runner, "prism"), endpoint: *jobopts.Endpoint,
		environment: strings.ToLower(*jobopts.EnvironmentType), config: *jobopts.EnvironmentConfig,
		workers: set.workers, threads: set.threads, attempts: set.attempts, verbose: set.verbose,
	}
	switch {
	case !on.portable() && !slices.Contains([]string{"dataflow", "direct", "dot"}, on.name()):
		return nil, fmt.Errorf("--runner is %q; want prism, universal, flink, spark, dataflow, or direct", on.runner)
	case !on.portable() && on.workers > 1:
		return nil, fmt.Errorf("--runner %s chooses its workers by flags of its own: leave out --workers", on.runner)
	case !on.portable():
		return on, nil
	case on.endpoint == "" && !on.prism():
		return nil, fmt.Errorf("--endpoint is missing: the address of the job service of --runner %s", on.runner)
	}
	if on.attempts == 0 {
		on.attempts = 1
		if on.prism() {
			on.attempts = 3
		}
	}
	return on, on.chooseEnvironment()
}

// chooseEnvironment decides where workers come from.
func (on *place) chooseEnvironment() error {
	switch on.environment {
	case loopback, docker:
	case external, process:
		if on.config == "" {
			return fmt.Errorf("--environment_config is missing: --environment_type=%s needs it", *jobopts.EnvironmentType)
		}
	case "":
		switch {
		case on.config != "":
			return errors.New("--environment_config needs --environment_type")
		case !on.prism():
			on.environment = docker
		case on.workers == 1:
			on.environment = loopback
		default:
			on.environment = own
		}
	default:
		return fmt.Errorf("--environment_type is %q; want LOOPBACK, EXTERNAL, PROCESS or DOCKER", *jobopts.EnvironmentType)
	}
	if on.environment == own && on.threads == 0 {
		on.threads = max(1, runtime.GOMAXPROCS(0)/on.workers)
	}
	if *jobopts.Async && (on.here() || on.endpoint == "") {
		return errors.New("--async needs a runner and workers that outlive this process: give --endpoint and --environment_type")
	}
	return nil
}

// name returns the short name of the runner: Beam takes "flink" and "FlinkRunner".
func (on *place) name() string { return strings.TrimSuffix(strings.ToLower(on.runner), "runner") }

// prism reports whether the runner is Prism.
func (on *place) prism() bool { return on.name() == "prism" }

// portable reports whether the runner takes jobs by Beam's job service.
func (on *place) portable() bool {
	return slices.Contains([]string{"prism", "universal", "portable", "flink", "spark"}, on.name())
}

// here reports whether workers run in the folder of this process.
func (on *place) here() bool {
	return !on.portable() || on.environment == loopback || on.environment == own
}

// remote reports whether workers have other disks than this machine: in containers, and on Dataflow.
func (on *place) remote() bool { return on.environment == docker || on.name() == "dataflow" }

// pools returns the addresses of the worker pools. Branches may have several.
func (on *place) pools() []string {
	if on.workers == 1 && !on.prism() {
		return []string{on.config}
	}
	return strings.Split(on.config, ",")
}

// checkPools returns an error if Prism would not reach a worker pool: it panics then (Beam 2.77).
func (on *place) checkPools(ctx context.Context) error {
	if !on.prism() || on.environment != external {
		return nil
	}
	for _, address := range on.pools() {
		if err := dial(ctx, address); err != nil {
			return fmt.Errorf("no worker pool answers at %s (--environment_config): %w", address, err)
		}
	}
	return nil
}

// dial returns an error unless a server listens at the address.
func dial(ctx context.Context, address string) error {
	conn, err := (&net.Dialer{Timeout: connectTimeout}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return conn.Close()
}

// prepare starts the workers and the Prism of this process, if the place has them, and returns the job
// to submit. end ends the workers.
func (on *place) prepare(ctx context.Context, p *beam.Pipeline, notes io.Writer) (j *job, end func(), err error) {
	environments, end, err := on.start(ctx, notes)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			end()
		}
	}()
	j = &job{endpoint: on.endpoint, async: *jobopts.Async, notes: notes}
	if j.binary, err = on.workerBinary(); err != nil {
		return nil, nil, err
	}
	if j.pipeline, err = marshal(p, environments, j.binary); err != nil {
		return nil, nil, err
	}
	if on.workers > 1 {
		if err := worker.SeparateShortIDs(); err != nil {
			return nil, nil, err
		}
	}
	if j.endpoint == "" {
		if j.endpoint, err = startPrism(ctx, 0); err != nil {
			return nil, nil, err
		}
	}
	return j, end, nil
}

// start returns an environment for each worker, in turns at the addresses of the place. It starts the
// server of workers in this process, if the place has one.
func (on *place) start(ctx context.Context, notes io.Writer) (_ []*pipepb.Environment, end func(), err error) {
	urn, addresses, end := graphx.URNEnvExternal, on.pools(), func() {}
	switch on.environment {
	case loopback:
		server, err := extworker.StartLoopback(ctx, 0)
		if err != nil {
			return nil, nil, err
		}
		addresses, end = []string{server.EnvironmentConfig(ctx)}, func() { _ = server.Stop(context.WithoutCancel(ctx)) }
	case own:
		if !on.verbose {
			notes = io.Discard
		}
		pool, err := newPool("localhost:0", notes)
		if err != nil {
			return nil, nil, err
		}
		go func() { _ = pool.Serve() }()
		addresses, end = []string{pool.Address()}, pool.Close
	case process:
		urn, addresses = graphx.URNEnvProcess, []string{on.config}
	case docker:
		urn, addresses = graphx.URNEnvDocker, []string{jobopts.GetEnvironmentConfig(ctx)}
	}
	environments := make([]*pipepb.Environment, on.workers)
	for i := range environments {
		address := func(context.Context) string { return addresses[i%len(addresses)] }
		if environments[i], err = graphx.CreateEnvironment(ctx, urn, address); err != nil {
			end()
			return nil, nil, usagef("--environment_config: %w", err)
		}
	}
	return environments, end, nil
}

// workerBinary returns the program that Beam brings to the workers: that of --worker_binary, and else
// this one for containers. Other workers have it already.
func (on *place) workerBinary() (string, error) {
	if *jobopts.WorkerBinary != "" || on.environment != docker {
		return *jobopts.WorkerBinary, nil
	}
	if path, ok := runnerlib.IsWorkerCompatibleBinary(); ok {
		return path, nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	return "", usagef("--worker_binary is missing: containers need a program for linux/amd64, and %s is not one", path)
}

// marshal returns the pipeline in Beam's model, with one environment for each branch; steps outside the
// branches get the first. Without a binary the environments ask for no files.
//
// In Beam's model resource hints of a scope give its steps another environment, but Beam's SDK for Go
// (2.77) ignores them, so marshal changes the marshalled pipeline.
func marshal(p *beam.Pipeline, environments []*pipepb.Environment, binary string) (*pipepb.Pipeline, error) {
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
	const first = "go" // Beam's name for the environment of all steps
	if binary != "" {
		if err := runnerlib.UpdateGoEnvironmentWorker(binary, out); err != nil {
			return nil, err
		}
	} else {
		out.Components.Environments[first].Dependencies = nil
	}
	for i := 1; i < len(environments); i++ {
		name := fmt.Sprintf("%s-%d", first, i)
		environment := proto.CloneOf(environments[i])
		environment.ResourceHints = out.Components.Environments[first].GetResourceHints()
		environment.Dependencies = out.Components.Environments[first].GetDependencies()
		out.Components.Environments[name] = environment
		for _, t := range out.Components.Transforms {
			if t.EnvironmentId != "" && strings.HasPrefix(t.UniqueName+"/", branch(i)+"/") {
				t.EnvironmentId = name
			}
		}
	}
	return out, nil
}
