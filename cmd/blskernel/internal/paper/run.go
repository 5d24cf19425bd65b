package paper

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"blskernel/bench"
	"blskernel/bench/report"
	"blskernel/bench/result"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/experiment"
	"blskernel/internal/io/names"
)

func (x *paper) run(ctx context.Context) error {
	if err := experiment.Emit(&x.Reporter, "machine", x.machine, ""); err != nil {
		return err
	}
	for _, n := range x.tables {
		run := x.table
		if n == 1 {
			run = x.flops
		}
		if err := run(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// table runs Table n, 2 to 9, once with each seed, and prints it.
func (x *paper) table(ctx context.Context, n int) error {
	t := bench.LookupPaperTable(n).Scaled(x.size)
	train, test, data, err := x.load(t)
	if err != nil {
		return err
	}
	t.Data = data
	recipe := bench.LookupRecipe(x.recipe)
	recipe.Lambda, recipe.Shrink = x.lambda, x.shrink
	choice, err := bench.PlanVariant(t, train.Classes, blsupdate.Options{Lambda: recipe.Lambda, Backend: x.backend})
	if err != nil {
		return err
	}
	variants, err := x.variants(n, choice)
	if err != nil {
		return err
	}
	head := bench.TableHead{
		PaperTable: t, Scale: x.size, Targets: train.Classes, FeatureNodes: t.FeatureNodes(),
		Recipe: recipe.Name, Lambda: recipe.Lambda, Shrink: recipe.Shrink, Whitening: x.zca,
	}
	if slices.Contains(variants, choice) {
		head.Planner = choice.String()
	}
	for _, v := range variants {
		head.Methods = append(head.Methods, v.String())
	}
	for i := range uint64(x.runs) {
		head.Seeds = append(head.Seeds, x.seed+i)
	}
	done, steps := result.Table{TableHead: head, Machine: x.machine}, experiment.StepTable{Variants: variants}
	if err := experiment.Emit(&x.Reporter, "table", head, x.head(head)+steps.Heads()); err != nil {
		return err
	}
	began := time.Now()
	for i, seed := range head.Seeds {
		e := t.Experiment(seed, recipe)
		e.Train, e.Test, e.Retrain, e.Variants = train, test, x.retrain && i == 0, variants
		e.Features.Backend, e.Update.Backend, e.Whitening = x.backend, x.backend, x.zca
		err := e.Run(ctx, func(row bench.TableRow) error {
			row.Table = n
			text := "" // none for later seeds
			if i == 0 {
				text = steps.Lines(row)
			}
			done.Rows = append(done.Rows, row)
			return experiment.Emit(&x.Reporter, "row", row, text)
		}, func(share float64, doing string) {
			share = (float64(i) + share) / float64(x.runs)
			x.Show(share, fmt.Sprintf("table %d, seed %d%s, %s", n, seed, timeLeft(time.Since(began), share), doing))
		})
		if err != nil {
			return err
		}
	}
	return x.show(&result.File{Tables: []result.Table{done}})
}

func (x *paper) head(h bench.TableHead) string {
	data := map[string]string{
		bench.SyntheticDigits: "synthetic digits instead of MNIST: the accuracies say nothing about MNIST",
		bench.RandomImages:    "random images instead of small NORB: there are no accuracies, but the times are real",
	}[h.Data]
	method := ""
	if h.Planner != "" {
		method = "; the planner's method is " + h.Planner
	}
	return fmt.Sprintf("Table %d    %s\ndata       %s\nscale      %v; c = %d\n", h.Table, h.TitleOn(h.Data), cmp.Or(data, h.Data), h.Scale, h.Targets) +
		fmt.Sprintf("settings   recipe of the %s, lambda = %s, s = %v, %d feature nodes, seed %d%s\n",
			h.Recipe, names.Ridge(h.Lambda), h.Shrink, h.FeatureNodes, h.Seeds[0], method) + experiment.BackendLine(x.backend) + "\n"
}

func (x *paper) show(f *result.File) error {
	page, err := report.New([]*result.File{f})
	if err != nil {
		return err
	}
	return x.Print(experiment.Tables(page.Sections...) + "\n")
}

// minKnown is the minimum share of finished work from which the remaining time is estimated.
const minKnown = 0.03

// timeLeft returns ", TIME left" if share of the work took since, or "" below minKnown and at 1.
func timeLeft(since time.Duration, share float64) string {
	if !(share >= minKnown && share < 1) {
		return ""
	}
	return fmt.Sprintf(", %v left", time.Duration(float64(since)*(1-share)/share).Round(time.Second))
}

// The sizes of the updates of Table 1, before --size scales them: l, k, a q above k, and a q below k.
const flopsL, flopsK, flopsMany, flopsFew = 4000, 500, 1000, 300

func (x *paper) flops(ctx context.Context, _ int) error {
	scaled := func(n int) int { return max(1, int(math.Round(float64(n)*x.size))) }
	l, k, done := scaled(flopsL), scaled(flopsK), &result.File{}
	for _, q := range []int{scaled(flopsMany), scaled(flopsFew)} {
		c, err := bench.PaperFlops(ctx, l, k, q, blsupdate.Options{Backend: x.backend}, x.seed)
		if err != nil {
			return err
		}
		if err := experiment.Emit(&x.Reporter, "flops", c, ""); err != nil {
			return err
		}
		done.Flops = append(done.Flops, result.On[bench.FlopsCase]{Machine: &x.machine, Value: c})
	}
	return x.show(done)
}
