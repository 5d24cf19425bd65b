package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"blskernel/scaleout/internal/worker"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
)

// arrange starts what the place has to have in this process, and returns the job that can be submitted
// then. leave ends what was started.
func (on *place) arrange(ctx context.Context, p *beam.Pipeline, s streams) (j *job, leave func(), err error) {
	envs, end, err := on.provide(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			end()
		}
	}()
	j = &job{endpoint: on.endpoint, async: *jobopts.Async, say: sayTo(s.err)}
	j.options = runnerlib.JobOptions{
		Name: jobopts.GetJobName(), Experiments: jobopts.GetExperiments(), RetainDocker: *jobopts.RetainDockerContainers,
		Parallelism: *jobopts.Parallelism, Loopback: on.environment == loopback,
	}
	if j.async && (on.environment == own || on.environment == loopback || on.endpoint == "") {
		return nil, nil, usageError{errors.New("--async needs a runner and workers that do not end with this process: give --endpoint and --environment_type")}
	}
	if j.binary, err = on.workerBinary(); err != nil {
		return nil, nil, err
	}
	if j.pipeline, err = marshal(p, envs); err != nil {
		return nil, nil, err
	}
	if err := j.bring(); err != nil {
		return nil, nil, err
	}
	if len(envs) > 1 {
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

// bring notes in each environment of the pipeline which program is to be brought to the workers.
func (j *job) bring() error {
	all := j.pipeline.GetComponents().GetEnvironments()
	if j.binary == "" {
		for _, env := range all {
			env.Dependencies = nil
		}
		return nil
	}
	if err := runnerlib.UpdateGoEnvironmentWorker(j.binary, j.pipeline); err != nil {
		return err
	}
	for _, env := range all {
		env.Dependencies = all[goEnvironment].GetDependencies()
	}
	return nil
}

// provide returns an environment for each worker, and starts a server of workers where those are this
// process's own.
func (on *place) provide(ctx context.Context, s streams) (envs []*pipepb.Environment, leave func(), err error) {
	urn, addresses, leave := graphx.URNEnvExternal, on.pools(), func() {}
	switch on.environment {
	case loopback:
		server, err := extworker.StartLoopback(ctx, 0)
		if err != nil {
			return nil, nil, err
		}
		addresses, leave = []string{server.EnvironmentConfig(ctx)}, func() { _ = server.Stop(context.WithoutCancel(ctx)) }
	case own:
		pool, err := on.ownPool(s)
		if err != nil {
			return nil, nil, err
		}
		addresses, leave = []string{pool.Address()}, pool.Leave
	case process:
		urn, addresses = graphx.URNEnvProcess, []string{on.config}
	case docker:
		urn, addresses = graphx.URNEnvDocker, []string{jobopts.GetEnvironmentConfig(ctx)}
	}
	envs, err = environments(ctx, urn, addresses, on.workers)
	if err != nil {
		leave()
		return nil, nil, usageError{err}
	}
	return envs, leave, nil
}

// ownPool starts a pool of worker processes in this process.
func (on *place) ownPool(s streams) (*worker.Pool, error) {
	command, err := workerCommand(s)
	if err != nil {
		return nil, err
	}
	say := func(string, ...any) {}
	if on.verbose {
		say = sayTo(s.err)
	}
	pool, err := worker.NewPool("localhost:0", *command, say)
	if err != nil {
		return nil, err
	}
	go func() { _ = pool.Serve() }() // until it is closed
	return pool, nil
}

// workerBinary returns the program that is brought to workers: that of --worker_binary, and without it
// this one to containers. Other workers have it: those that this process starts, and those that
// somebody else has started.
func (on *place) workerBinary() (string, error) {
	if *jobopts.WorkerBinary != "" {
		return *jobopts.WorkerBinary, nil
	}
	if on.environment != docker {
		return "", nil
	}
	if path, ok := runnerlib.IsWorkerCompatibleBinary(); ok {
		return path, nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	return "", usageError{fmt.Errorf("--worker_binary is missing: this program, %s, does not run in containers for linux/amd64, so build one that does", path)}
}
