package experiment

import (
	"context"
	"fmt"
	"io"
	"math"

	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/ui"

	"github.com/spf13/cobra"
)

// crossoverFlags are the flags of crossover.
type crossoverFlags struct {
	ui.Compute
	lineFlags
	l, k, c, rounds int
	qs              []int
	lambda          ui.Ridge
	methods         []string
	seed            uint64
	predict         bool
}

// NewCrossover returns the command crossover.
func NewCrossover(s ui.Streams) *cobra.Command {
	x := crossoverFlags{
		qs:     []int{1, 10, 50, 100, 150, 200, 300, 400, 500, 700, 1000, 2000, 4000, 8000},
		lambda: 0x1p-30, methods: []string{"original", "improved"},
	}
	cmd := &cobra.Command{
		Use:   "crossover",
		Short: "Find the batch size from which retraining is faster than an update",
		Long: `Add q random rows to a model of l samples, by each method and by the one that the planner chooses for
that q, and compare the time to the new weights with that of retraining from all l+q rows: for the
pseudoinverse A+ and the weights, by the ridge formula, and for the weights alone, by the normal
equations. Each round does all of them in turn, every update from the same l samples. The times are
medians over the rounds; a slow round is the only one. --out keeps every line as soon as it is
finished; after an interruption --resume goes on from there.

Below the table stands the q from which retraining takes less, by the flops of the model and as
measured, interpolated between the values of q.

` + aboutRates + ` The default sizes take about two
minutes on two idle cores, and some 2 GB.`,
		Example: `  blskernel crossover
  blskernel crossover --k 500 --l 5000 --q 10,50,100,200,400
  blskernel crossover --method original,improved,gram,qr --q 1,10,100,1000 --rounds 5
  blskernel crossover --backend pure --out crossover.jsonl`,
		Args: ui.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := x.experiment()
			if err != nil {
				return err
			}
			return x.do(cmd.Context(), c, ui.CommandLine(cmd, true), s)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.IntVar(&x.l, "l", 10000, lUsage)
	f.IntVar(&x.k, "k", 1000, kUsage)
	f.IntSliceVar(&x.qs, "q", x.qs, qUsage)
	f.IntVar(&x.c, "c", 10, cUsage)
	ui.LambdaFlag(cmd, &x.lambda, "")
	ui.MethodFlag(cmd, &x.methods)
	ui.RoundsFlag(cmd, &x.rounds)
	ui.SeedFlag(cmd, &x.seed)
	predictFlag(cmd, &x.predict)
	x.Compute.Register(cmd)
	x.lineFlags.register(cmd, "machine or crossover")
	return cmd
}

// experiment turns the flags into an experiment, without rates if those of the machine are wanted.
func (x *crossoverFlags) experiment() (*bench.Crossover, error) {
	err := ui.CheckRanges(ui.Range{Flag: "k", Value: x.k, Least: 1, Most: ui.MostNodes},
		ui.Range{Flag: "l", Value: x.l, Least: 1, Most: ui.MostSize}, ui.Range{Flag: "c", Value: x.c, Least: 1, Most: ui.MostNodes},
		ui.Range{Flag: "rounds", Value: x.rounds, Least: 0, Most: ui.MostNodes})
	if err != nil {
		return nil, err
	}
	if x.l < x.k {
		return nil, ui.Usagef("--l is %d, fewer samples than the %d nodes: not every method can start from them", x.l, x.k)
	}
	if err := ui.CheckList("q", x.qs, 1, ui.MostSize); err != nil {
		return nil, err
	}
	variants, err := parseVariants(x.methods)
	if err != nil {
		return nil, err
	}
	b, err := x.Lookup()
	if err != nil {
		return nil, err
	}
	c := &bench.Crossover{
		L: x.l, K: x.k, C: x.c, Q: x.qs, Variants: variants, Lambda: float64(x.lambda), Rounds: x.rounds, Seed: x.seed, Backend: b,
	}
	if !x.predict {
		c.Rates = blsupdate.ConstantRates(1, math.Inf(1))
	}
	return c, nil
}

// do runs the experiment and prints it as a table or as lines. Finished lines are in the file, whatever
// happens next.
func (x *crossoverFlags) do(ctx context.Context, c *bench.Crossover, command string, s ui.Streams) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	out, err := x.open(s)
	if err != nil {
		return err
	}
	say := func(text string) error {
		if x.json {
			return nil
		}
		_, err := fmt.Fprint(s.Out, text)
		return err
	}
	table, bar := newCrossoverTable(c), ui.NewProgress(s.Err, x.json)
	defer bar.Clear()
	err = ui.Attend(ctx, bar, func(ctx context.Context, p *ui.Printer) (err error) {
		if c.Rates == nil {
			if c.Rates, err = ratesFor(ctx, c.Backend, false, p, bar); err != nil {
				return err
			}
		}
		out.machine = result.Here(command, c.Backend)
		warning, err := x.restore(c, out)
		if err != nil {
			return err
		}
		text := table.head()
		for _, point := range c.Known() {
			text += table.line(point)
		}
		err = p.Do(func() error {
			bar.Quiet = true // without a bar, the lines of the table show the progress
			if _, err := io.WriteString(s.Err, warning); err != nil {
				return err
			}
			return say(text)
		})
		if err != nil {
			return err
		}
		return c.Run(ctx, func(point bench.CrossoverPoint) error {
			return p.Do(func() error {
				if err := out.line("crossover", point); err != nil {
					return err
				}
				return say(table.line(point))
			})
		}, p.Part)
	})
	if closed := out.close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	bar.Clear()
	return say(table.foot())
}

// restore gives the experiment the points that the file has.
func (x *crossoverFlags) restore(c *bench.Crossover, out *lines) (warning string, err error) {
	if out.read == nil {
		return "", nil
	}
	for _, part := range out.read.Parts() {
		c.Done = append(c.Done, part.Crossovers...)
		if len(part.Crossovers) == 0 {
			continue
		}
		if warning, err = out.mayResume("a part", part.Machines...); err != nil {
			return "", err
		}
	}
	return warning, nil
}
