// The program compare runs the algorithms of the broad learning system in GNU Octave and in this module on the same
// data, step by step in turn, and prints the times side by side. bench/octave/compare.sh starts it where
// octave-cli is installed; it is run in the root of the repository.
//
//	go run ./bench/octave/compare -data mnist -enhancement 5000 -initial 10000 -batch 10000 -updates 5
//
// Our side runs on the backend that BLSKERNEL_BACKEND names, or the default. The features of Algorithm 1 are computed
// here and written to a temporary folder; both sides read those of a step right before it,
// start from the first samples and add batches: by the original update (Algorithm 2), the improved one
// (Algorithm 3, in the paper's choice of form) and the Gram recursion, with the weights after every step. What is
// timed is the algorithm with its weights and no file. Algorithm 1 itself is timed too, on the same pixels;
// there each side draws its own random numbers, so that the accuracies are near one another and the weights are not
// comparable.
//
// In every step of every round the two take turns, Octave first in one round and last in the next; before each of them
// the program waits until the worker threads of the other sleep. What is printed is the median over the rounds
// of the times, and of the ratios within the rounds.
//
// The functions in bench/octave are plain files for MATLAB and Octave. With -export the program writes the data to
// a folder and stops; bls_run(FOLDER) runs all methods on it in either.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"

	"blskernel"
)

// options are the flags.
type options struct {
	data                       string
	export                     string
	octave, scripts            string
	initial, batch, updates    int
	groups, nodes, enhancement int
	seed                       uint64
	threads, rounds            int
	methods                    []string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	opt, err := parse(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		err = run(ctx, opt, os.Stdout, os.Stderr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// parse reads the flags and checks them.
func parse(args []string, help io.Writer) (options, error) {
	var o options
	var methods string
	f := flag.NewFlagSet("compare", flag.ContinueOnError)
	f.SetOutput(help)
	f.StringVar(&o.data, "data", "", "`folder` of the idx files of MNIST; synthetic digits without it")
	f.StringVar(&o.export, "export", "", "write the data to this `folder` and stop")
	f.StringVar(&o.octave, "octave", "octave-cli", "`command` that starts GNU Octave")
	f.StringVar(&o.scripts, "scripts", "bench/octave", "`folder` of the functions for Octave")
	f.IntVar(&o.initial, "initial", 4000, "samples at first, l")
	f.IntVar(&o.batch, "batch", 2000, "samples added by an update, q")
	f.IntVar(&o.updates, "updates", 3, "updates")
	f.IntVar(&o.groups, "groups", 10, "groups of feature nodes")
	f.IntVar(&o.nodes, "nodes", 10, "feature nodes in a group")
	f.IntVar(&o.enhancement, "enhancement", 900, "enhancement nodes; k is these and all feature nodes")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the feature maps and of synthetic digits")
	f.IntVar(&o.threads, "threads", runtime.GOMAXPROCS(0), "threads of either side")
	f.IntVar(&o.rounds, "rounds", 3, "rounds")
	f.StringVar(&methods, "methods", strings.Join(methodNames, ","), "methods, with commas between them")
	if err := f.Parse(args); err != nil {
		return options{}, err
	}
	if f.NArg() > 0 {
		return options{}, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	for _, n := range []struct {
		name         string
		value, least int
	}{
		{"initial", o.initial, 1}, {"batch", o.batch, 1}, {"updates", o.updates, 0}, {"groups", o.groups, 1}, {"nodes", o.nodes, 2},
		{"enhancement", o.enhancement, 0}, {"threads", o.threads, 1}, {"rounds", o.rounds, 1},
	} {
		if n.value < n.least {
			return options{}, fmt.Errorf("-%s %d: want at least %d", n.name, n.value, n.least)
		}
	}
	if k := o.k(); o.initial < k {
		return options{}, fmt.Errorf("-initial %d: the pseudoinverse with a ridge wants at least k = %d samples", o.initial, k)
	}
	for _, m := range strings.Split(methods, ",") {
		if !known(m) {
			return options{}, fmt.Errorf("-methods: no method %q; there are %s", m, strings.Join(methodNames, ", "))
		}
		o.methods = append(o.methods, m)
	}
	return o, nil
}

// k returns the number of nodes.
func (o options) k() int { return o.groups*o.nodes + o.enhancement }

// run compares and prints, or exports.
func run(ctx context.Context, o options, out, progress io.Writer) error {
	blskernel.SetThreads(o.threads)
	e, err := newExperiment(o)
	if err != nil {
		return err
	}
	if o.export != "" {
		if err := os.MkdirAll(o.export, 0o777); err != nil {
			return err
		}
		return e.export(o.export)
	}
	folder, err := os.MkdirTemp("", "compare")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := e.export(folder); err != nil {
		return err
	}
	octave, err := startOctave(ctx, o, folder)
	if err != nil {
		return err
	}
	defer octave.stop()
	fmt.Fprintf(out, "k = %d nodes, %d samples at first, %d updates by %d; %s, %d test samples\n",
		o.k(), o.initial, o.updates, o.batch, e.name, len(e.testLabels))
	fmt.Fprintf(out, "GNU Octave %s; ours on %s, Go %s; %d threads, %d rounds\n\n",
		octave.version, blskernel.Default().Name(), strings.TrimPrefix(runtime.Version(), "go"), o.threads, o.rounds)
	rows, err := e.compare(ctx, octave, progress)
	if err != nil {
		return err
	}
	return printTable(out, rows)
}
