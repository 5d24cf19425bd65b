package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"blskernel"
	"blskernel/bench/result"
	"blskernel/bench/speed"
	"blskernel/internal/kernel"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// The exit statuses.
const (
	passed = 0
	failed = 1 // a kernel has lost, or a full run has passed over a baseline
	broken = 2 // nothing can be said: an unknown flag, a wrong result, a file that cannot be read or written
)

// settings are the flags.
type settings struct {
	write     bool
	folder    string
	cases     string
	kernels   string
	threads   string
	rounds    int
	attempts  int
	tolerance float64
	verbose   bool
}

// run is the command with its arguments and streams, and returns its exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var s settings
	f := flag.NewFlagSet("gate", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.BoolVar(&s.write, "write", false, "measure baselines and write them, instead of comparing with them")
	f.StringVar(&s.folder, "baselines", "bench/gate/baselines", "`folder` of the baselines")
	f.StringVar(&s.cases, "case", "", "only the cases that match this `expression`")
	f.StringVar(&s.kernels, "kernels", "", "`names` of kernels, with commas between them; by default all that this CPU can run")
	f.StringVar(&s.threads, "threads", "", "`numbers` of threads, 1 and 2 or one of them; by default as many as there are processors")
	f.IntVar(&s.rounds, "rounds", 9, "rounds of a first attempt; later ones have three times as many")
	f.IntVar(&s.attempts, "attempts", 3, "attempts in which a cell has to be suspicious to be lost")
	f.Float64Var(&s.tolerance, "tolerance", 0.1, "share of its ratio that a kernel may lose")
	f.BoolVar(&s.verbose, "v", false, "print every cell")
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return passed
	case err != nil:
		return broken
	}
	ok, err := s.gate(ctx, f.Args(), stdout, stderr)
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "gate: %v\n", err)
		return broken
	case !ok:
		return failed
	}
	return passed
}

// gate does what the flags say, and returns whether nothing was lost.
func (s settings) gate(ctx context.Context, args []string, stdout, stderr io.Writer) (bool, error) {
	if len(args) > 0 {
		return false, fmt.Errorf("unknown argument %q", args[0])
	}
	if s.rounds < 1 || s.attempts < 1 || !(s.tolerance > 0 && s.tolerance < 1) {
		return false, errors.New("-rounds and -attempts are at least 1, and -tolerance is between 0 and 1")
	}
	pattern, err := regexp.Compile(s.cases)
	if err != nil {
		return false, fmt.Errorf("-case: %w", err)
	}
	kernels := kernel.Names()
	if s.kernels != "" {
		kernels = strings.Split(s.kernels, ",")
	}
	stand, err := newStand(kernels)
	if err != nil {
		return false, err
	}
	counts, err := s.counts()
	if err != nil {
		return false, err
	}
	groups := slices.DeleteFunc(stand.groups(counts), func(g group) bool { return !pattern.MatchString(g.task.name) })
	if len(groups) == 0 {
		return false, fmt.Errorf("-case %q matches no case", s.cases)
	}
	machine := result.Here("go run ./bench/gate -write", stand.backends()...)
	machine.Threads = counts
	where := place{folder: s.folder, cpu: cpuName()}
	out := report{w: stdout, verbose: s.verbose, tolerance: s.tolerance}
	out.head(machine, where.cpu, stand)
	g := gate{groups: groups, kernels: kernels, measure: stand.measure, rounds: s.rounds, attempts: s.attempts, tolerance: s.tolerance, log: stderr}
	if s.write {
		stand.patience = 10
		measured, err := g.baselines(ctx)
		if err != nil {
			return false, err
		}
		peaks := map[int]float64{}
		for threads, p := range stand.peaks {
			peaks[threads] = median(p)
		}
		return true, where.write(stdout, machine, kernels, measured, peaks)
	}
	baselines, err := where.all()
	if err != nil {
		return false, err
	}
	out.missing(where.cpu, kernels, baselines)
	g.baseline = map[cell]ratios{}
	peaks := map[int]float64{}
	for _, b := range baselines {
		if !slices.Contains(kernels, b.kernel) {
			continue
		}
		out.comparable(b, machine.OpenBLAS)
		b.addTo(g.baseline, machine.OpenBLAS)
		maps.Copy(peaks, b.peaks)
	}
	outcomes, err := g.run(ctx)
	if err != nil {
		return false, err
	}
	if len(outcomes) == 0 {
		return false, errors.New("no cell is left: the kernel generic is measured on small cases only")
	}
	out.print(outcomes)
	out.peaks(stand.peaks, peaks)
	whole := s.cases != "" || s.kernels != "" || out.gaps(g.gaps(baselines, counts))
	return out.foot(outcomes) && whole, nil
}

// threadCounts are those that can be measured.
var threadCounts = []int{1, 2}

// counts returns the numbers of threads that are measured.
func (s settings) counts() ([]int, error) {
	usable := threadCounts[:min(len(threadCounts), runtime.GOMAXPROCS(0))]
	if s.threads == "" {
		return usable, nil
	}
	var counts []int
	for _, field := range strings.Split(s.threads, ",") {
		n, err := strconv.Atoi(field)
		if err != nil || !slices.Contains(usable, n) || slices.Contains(counts, n) {
			return nil, fmt.Errorf("-threads is %q; want of %v each once at most", s.threads, usable)
		}
		counts = append(counts, n)
	}
	return counts, nil
}

// openBLAS returns the backend openblas with its LAPACK, or nil where there is none.
func openBLAS() blskernel.Backend {
	b, err := speed.Library(nil)
	if err != nil {
		return nil
	}
	return b
}
