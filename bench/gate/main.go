// Gate fails if a kernel of this CPU has become slower: its share of the FMA peak is below a floor.
//
//	go run ./bench/gate                exit status 1 if a kernel stays below a floor
//	go run ./bench/gate -v             prints every case
//	go run ./bench/gate -attempts 4    gives up after seconds instead of a minute
//
// floors.txt has a floor for each kernel and case, the same on all CPUs. The share is the kernel's
// flops per second divided by the speed of its own loop of fused multiply-adds on registers. Each round
// measures both in turn, on one thread and in CPU time of the process. The share is the median over the
// rounds, so the clock rate and other processes hardly change it. But other tenants of a core use its
// caches, and reduce the share by up to a quarter for seconds. A case therefore fails only if its share
// is below its floor in all attempts. From the fifth attempt on, the gate first waits five seconds.
//
// The gate detects a loss of 20% in the blocked products: dgemm, dsyrk, dsymm, dtrmm, and dtrsm from
// the right. Their shares differ by less than a fifth between Zen 4, Zen 5 and Xeon. The shares of the
// other operations depend on loads and latencies. They differ between CPUs by up to a factor of 2.6,
// and by a quarter from hour to hour where caches are shared. For them the gate detects losses only
// above 15% to 73%, by operation and CPU. It detects no losses on several threads or beyond the caches.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"blskernel"
	"blskernel/bench/speed"
	"blskernel/internal/linalg/backend"
)

//go:embed floors.txt
var floors string

type floor struct {
	kernel string
	job    speed.Job
	share  float64    // the smallest share of the peak that passes
	seen   [3]float64 // shares on the CPUs in the header of floors.txt; 0 means not measured
}

func (f floor) String() string { return fmt.Sprintf("%s %v", f.kernel, f.job) }

func parse(text string) ([]floor, error) {
	var all []floor
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var f floor
		var op, args string
		_, err := fmt.Sscan(line, &f.kernel, &op, &args, &f.job.N, &f.share, &f.seen[0], &f.seen[1], &f.seen[2])
		var ok bool
		if f.job.Case, ok = speed.Find(op, strings.Trim(args, "-")); err != nil || !ok || !(f.share > 0) {
			return nil, fmt.Errorf("floors.txt:%d: %q is not a floor: want kernel, op, case, n, floor and three shares", i+1, line)
		}
		all = append(all, f)
	}
	return all, nil
}

// measured measures the share of the FMA peak that f's kernel reaches in f's case.
func measured(ctx context.Context, f floor) (share float64, err error) {
	b, err := blskernel.Lookup("pure/" + f.kernel)
	if err != nil {
		return 0, err
	}
	c := speed.Comparison{Backends: []blskernel.Backend{b}, Jobs: []speed.Job{f.job}, Threads: []int{1}, Rounds: 15}
	if speed.CPUTime() > 0 {
		c.Clock = speed.CPUTime
	}
	c.Peak = func(threads int) float64 { return backend.Peak(b, threads, c.Clock) / 1e9 }
	err = c.Run(ctx, func(r speed.Result) error { share = r.Backends[0].OfPeak; return nil }, nil)
	return share, err
}

const (
	patient = 4               // attempts that follow each other at once
	pause   = 5 * time.Second // before each later attempt
)

// run calls measure for each case of the given kernels until the case reaches its floor, but at most
// attempts times. It prints each share below a floor, or every share if verbose, and then the cases
// that failed in all attempts. It returns their number.
func run(ctx context.Context, all []floor, kernels []string, attempts int, measure func(context.Context, floor) (float64, error), out io.Writer, verbose bool) (below int, err error) {
	left := slices.DeleteFunc(slices.Clone(all), func(f floor) bool { return !slices.Contains(kernels, f.kernel) })
	for attempt := 1; attempt <= attempts && len(left) > 0; attempt++ {
		if attempt > patient {
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return 0, context.Cause(ctx)
			}
		}
		var low []floor
		for _, f := range left {
			share, err := measure(ctx, f)
			if err != nil {
				return 0, err
			}
			if !(share >= f.share) {
				low = append(low, f)
			}
			if verbose || !(share >= f.share) {
				fmt.Fprintf(out, "attempt %d: %v reaches %.3f of the peak; the floor is %.3f\n", attempt, f, share, f.share)
			}
		}
		left = low
	}
	for _, f := range left {
		fmt.Fprintf(out, "SLOW %v: below %.3f of the peak in all attempts\n", f, f.share)
	}
	return len(left), nil
}

// command runs the program and returns its exit status: 1 if a kernel stays below a floor, 2 if the
// arguments are invalid or the measurement fails.
func command(ctx context.Context, args []string, out, errs io.Writer) int {
	flags := flag.NewFlagSet("gate", flag.ContinueOnError)
	flags.SetOutput(errs)
	verbose := flags.Bool("v", false, "print every case")
	attempts := flags.Int("attempts", 16, "measure a case below its floor `n` times before it fails")
	only := flags.String("kernel", "", "measure only this `kernel`")
	if flags.Parse(args) != nil {
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(errs, "gate: unexpected argument %q; want flags only\n", flags.Arg(0))
		return 2
	}
	if *attempts < 1 {
		fmt.Fprintf(errs, "gate: -attempts is %d; want at least 1\n", *attempts)
		return 2
	}
	kernels := backend.Kernels()
	if *only != "" {
		if !slices.Contains(kernels, *only) {
			fmt.Fprintf(errs, "gate: -kernel is %q, not a kernel that this CPU can run: want one of %s\n", *only, strings.Join(kernels, ", "))
			return 2
		}
		kernels = []string{*only}
	}
	all, err := parse(floors)
	below := 0
	if err == nil {
		kernels = slices.DeleteFunc(kernels, func(k string) bool {
			unknown := !slices.ContainsFunc(all, func(f floor) bool { return f.kernel == k })
			if unknown {
				fmt.Fprintf(out, "gate: kernel %s has no floor and is not measured\n", k)
			}
			return unknown
		})
		below, err = run(ctx, all, kernels, *attempts, measured, out, *verbose)
	}
	switch {
	case err != nil:
		fmt.Fprintln(errs, "gate:", err)
		return 2
	case below > 0:
		return 1
	}
	if len(kernels) > 0 {
		fmt.Fprintf(out, "gate: every measured kernel reaches its floors: %s\n", strings.Join(kernels, ", "))
	}
	return 0
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(command(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
