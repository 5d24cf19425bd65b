package main

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"runtime"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx" // all runners of Beam
)

// prismRunner is the runner by default.
const prismRunner = "prism"

// portableRunners are the names of the runners that take jobs by Beam's job service, and what they come
// to.
var portableRunners = map[string]string{
	"prism": prismRunner, "PrismRunner": prismRunner,
	"universal": "universal", "portable": "universal", "PortableRunner": "universal",
	"flink": "universal", "FlinkRunner": "universal", "spark": "universal", "SparkRunner": "universal",
}

// otherRunners are those of Beam that take pipelines in ways of their own.
var otherRunners = []string{"dataflow", "DataflowRunner", "direct", "DirectRunner", "dot"}

// The types of environments. The last one is not Beam's: worker processes that this process starts.
const (
	loopback = "loopback"
	external = "external"
	process  = "process"
	docker   = "docker"
	own      = "own"
)

// A place is where a pipeline runs, by Beam's flags and --workers.
type place struct {
	runner      string // as it was given
	endpoint    string // of the job service; empty for a Prism in this process
	environment string // a type of environments
	config      string // --environment_config
	workers     int
	threads     int
	attempts    int
	verbose     bool
}

// newPlace returns the place that the flags name, or says which of them is wrong.
func newPlace(set *settings) (*place, error) {
	on := &place{
		runner: cmp.Or(*runners.Runner, prismRunner), endpoint: *jobopts.Endpoint, environment: strings.ToLower(*jobopts.EnvironmentType),
		config: *jobopts.EnvironmentConfig, workers: set.workers, threads: set.threads, attempts: set.attempts, verbose: set.verbose,
	}
	if !on.portable() {
		if !slices.Contains(otherRunners, on.runner) {
			return nil, fmt.Errorf("--runner is %q; want prism, universal, flink, spark, dataflow, or direct", on.runner)
		}
		if on.workers > 1 {
			return nil, fmt.Errorf("--workers is for runners that have a worker process for each environment, such as prism: --runner %s has flags of its own for its workers", on.runner)
		}
		return on, nil
	}
	if on.endpoint == "" && !on.prism() {
		return nil, fmt.Errorf("--endpoint is missing: the address of the job service of --runner %s", on.runner)
	}
	if on.attempts == 0 {
		on.attempts = 1
		if on.prism() {
			on.attempts = 3
		}
	}
	return on, on.settle()
}

// settle decides where workers come from.
func (on *place) settle() error {
	switch on.environment {
	case loopback, docker:
	case external, process:
		if on.config == "" {
			return fmt.Errorf("--environment_config is missing: with --environment_type=%s it says where workers come from", strings.ToUpper(on.environment))
		}
	case "":
		switch {
		case on.config != "":
			return errors.New("--environment_config is given without --environment_type")
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
	return nil
}

// pools returns the addresses of the worker pools, of which branches can have several.
func (on *place) pools() []string {
	if on.workers == 1 && !on.prism() {
		return []string{on.config}
	}
	return strings.Split(on.config, ",")
}

// here tells whether workers are in the folder that this process is in.
func (on *place) here() bool {
	return !on.portable() || on.environment == loopback || on.environment == own
}

// serviceHere tells whether the job service is on this machine, and so are the workers that it starts.
func (on *place) serviceHere() bool {
	host, _, err := net.SplitHostPort(on.endpoint)
	return on.endpoint == "" || err == nil && (host == "" || host == "localhost" || net.ParseIP(host).IsLoopback())
}

// apart tells whether workers have no disk of this machine: in containers, and on Dataflow.
func (on *place) apart() bool {
	return on.environment == docker || strings.HasPrefix(strings.ToLower(on.runner), "dataflow")
}

// portable tells whether the runner takes jobs by Beam's job service.
func (on *place) portable() bool { return portableRunners[on.runner] != "" }

// prism tells whether the runner is Prism.
func (on *place) prism() bool { return portableRunners[on.runner] == prismRunner }
