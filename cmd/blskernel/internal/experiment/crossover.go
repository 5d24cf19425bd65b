package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/ui"

	"github.com/spf13/cobra"
)

// crossoverFlags are the flags of crossover.
type crossoverFlags struct {
	ui.Reporter
	ui.Compute
	lineFlags
	bench.Crossover
	lambda  ui.Ridge
	methods []string
	predict bool
}

// NewCrossover returns the command crossover.
func NewCrossover(s ui.Streams) *cobra.Command {
	x := crossoverFlags{lambda: 0x1p-30, methods: []string{"original", "improved"}}
	x.L, x.K, x.C = 10000, 1000, 10
	x.Q = []int{1, 10, 50, 100, 150, 200, 300, 400, 500, 700, 1000, 2000, 4000, 8000}
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
			if err := x.experiment(); err != nil {
				return err
			}
			return x.do(cmd.Context(), &x.Crossover, ui.CommandLine(cmd, true), s)
		},
	}
	cmd.Flags().SortFlags = false
	ui.Int(cmd, &x.L, "l", 1, ui.MostSize, lUsage)
	ui.Int(cmd, &x.K, "k", 1, ui.MostNodes, kUsage)
	ui.Ints(cmd, &x.Q, "q", 1, ui.MostSize, qUsage)
	ui.Int(cmd, &x.C, "c", 1, ui.MostNodes, cUsage)
	ui.LambdaFlag(cmd, &x.lambda, "")
	ui.MethodFlag(cmd, &x.methods)
	ui.RoundsFlag(cmd, &x.Rounds)
	ui.SeedFlag(cmd, &x.Seed)
	predictFlag(cmd, &x.predict)
	x.Compute.Register(cmd)
	x.lineFlags.register(cmd, &x.JSON, "machine or crossover")
	return cmd
}

// experiment completes the experiment by the flags, but for the rates of the machine.
func (x *crossoverFlags) experiment() (err error) {
	if x.L < x.K {
		return ui.Usagef("--l is %d, fewer samples than the %d nodes: not every method can start from them", x.L, x.K)
	}
	if x.Variants, err = parseVariants(x.methods); err != nil {
		return err
	}
	x.Lambda = float64(x.lambda)
	if !x.predict {
		x.Rates = blsupdate.ConstantRates(1, math.Inf(1))
	}
	x.Crossover.Backend, err = x.Lookup()
	return err
}

// do runs the experiment and prints it. Finished lines are in the file, whatever happens next.
func (x *crossoverFlags) do(ctx context.Context, c *bench.Crossover, command string, s ui.Streams) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := x.Begin(s); err != nil {
		return err
	}
	out, err := x.open(&x.Reporter, result.Here(command, c.Backend))
	if err != nil {
		return err
	}
	table := newCrossoverTable(c)
	defer x.Progress.Clear()
	err = x.Attend(ctx, func(ctx context.Context) (err error) {
		if c.Rates == nil {
			if c.Rates, err = ratesFor(ctx, c.Backend, false, &x.Reporter); err != nil {
				return err
			}
		}
		if err := restore(c, out); err != nil {
			return err
		}
		text := table.head()
		for _, point := range c.Known() {
			text += table.line(point)
		}
		x.Progress.Quiet = true // without a bar, the lines of the table show the progress
		if err := x.Print(text); err != nil {
			return err
		}
		return c.Run(ctx, func(point bench.CrossoverPoint) error {
			if err := out.line("crossover", point); err != nil {
				return err
			}
			return x.Print(table.line(point))
		}, x.Part)
	})
	if err := errors.Join(err, out.close()); err != nil {
		return err
	}
	return x.Print(table.foot())
}

// restore gives the experiment the points that the file has.
func restore(c *bench.Crossover, out *lines) error {
	if out.read == nil {
		return nil
	}
	for _, part := range out.read.Parts() {
		c.Done = append(c.Done, part.Crossovers...)
		if len(part.Crossovers) == 0 {
			continue
		}
		if err := out.mayResume("a part", part.Machines...); err != nil {
			return err
		}
	}
	return nil
}

// crossoverTable has a line for each q, with time and flops of each update and of retraining.
type crossoverTable struct {
	c      *bench.Crossover
	groups []ui.Group[bench.CrossoverPoint]
	points []bench.CrossoverPoint
}

// plannerWidth is that of the name of a method with a form.
const plannerWidth = 22

func newCrossoverTable(c *bench.Crossover) *crossoverTable {
	type point = bench.CrossoverPoint
	cost := func(title string, timing func(p point) bench.CrossoverTiming) ui.Group[point] {
		return ui.Group[point]{Title: title, Heads: []string{"s", "Gflop"}, Cells: func(p point) []string {
			t := timing(p)
			return []string{fmt.Sprintf("%.4f", t.Seconds), gigaflops(t.Flops)}
		}}
	}
	groups := []ui.Group[point]{ui.One("q", func(p point) string { return fmt.Sprint(p.Q) })}
	for i, v := range c.Variants {
		groups = append(groups, cost(v.String(), func(p point) bench.CrossoverTiming { return p.Methods[i] }))
	}
	groups = append(groups,
		cost(bench.PlannerSeries, func(p point) bench.CrossoverTiming { return p.Methods[len(p.Methods)-1] }),
		ui.One(fmt.Sprintf("%*s", plannerWidth, "method"), func(p point) string { return p.Planner }),
		cost("A+ from scratch", func(p point) bench.CrossoverTiming { return p.RetrainPseudoinverse }),
		cost("W from scratch", func(p point) bench.CrossoverTiming { return p.RetrainWeights }),
		ui.One("rounds", func(p point) string { return fmt.Sprint(p.Rounds) }))
	return &crossoverTable{c: c, groups: groups}
}

// head returns the settings and the heads of the columns.
func (t *crossoverTable) head() string {
	lambda := ui.Ridge(t.c.Lambda)
	return fmt.Sprintf("model      l = %d samples, k = %d nodes, c = %d targets; lambda = %s\n", t.c.L, t.c.K, t.c.C, &lambda) +
		backendLine(t.c.Backend) + "\n" + ui.Heads(t.groups)
}

func (t *crossoverTable) line(p bench.CrossoverPoint) string {
	t.points = append(t.points, p)
	return ui.Line(t.groups, p)
}

// foot returns where the lines cross.
func (t *crossoverTable) foot() string {
	cells := [][]string{{"update", "against", "by flops", "measured"}}
	for _, c := range bench.Crossings(t.points) {
		against := "A+ from scratch"
		if c.Against == bench.AgainstWeights {
			against = "W from scratch"
		}
		cells = append(cells, []string{c.Series, against, t.q(c.Flops), t.q(c.Seconds)})
	}
	return "\nRetraining takes less than an update from this q on:\n\n" + ui.Aligned(cells)
}

// q writes a crossing.
func (t *crossoverTable) q(v float64) string {
	switch {
	case v == 0:
		return fmt.Sprintf("<= %d", slices.Min(t.c.Q))
	case math.IsInf(v, 1):
		return fmt.Sprintf("> %d", slices.Max(t.c.Q))
	case v < 10:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.0f", v)
	}
}
