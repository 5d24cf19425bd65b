package experiment

import (
	"fmt"
	"io"
	"text/tabwriter"

	"blskernel/bench"
	"blskernel/bench/result"
)

// A costPrinter prints the costs of updates as they come, and the quality of their prediction.
type costPrinter interface {
	print(c bench.Cost) error
	sum(backend string, a bench.Agreement) error
	compare(m bench.Measured) error
}

// costTables prints a table of the steps for each setting.
type costTables struct{ w io.Writer }

func (p costTables) print(c bench.Cost) error {
	fmt.Fprintf(p.w, "%s: l = %d, k = %d, q = %d, c = %d, backend %s\n", c.Variant(), c.L, c.K, c.Q, c.C, c.Backend)
	t := tabwriter.NewWriter(p.w, 0, 0, 3, ' ', tabwriter.AlignRight)
	measured := c.Total.MeasuredSeconds > 0
	fmt.Fprint(t, "step\tflops\tGflop by model\t")
	if measured {
		fmt.Fprint(t, "counted\tpredicted, s\tmeasured, s\tGFLOP/s\t")
	}
	fmt.Fprintln(t)
	for _, s := range append(c.Steps[:len(c.Steps):len(c.Steps)], c.Total) {
		fmt.Fprintf(t, "%s\t%s\t%s\t", s.Step, s.Formula, gigaflops(s.Model))
		if measured {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t", gigaflops(s.Counted), seconds(s.PredictedSeconds), seconds(s.MeasuredSeconds), gigaflops(s.Counted/s.MeasuredSeconds))
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(p.w)
	return err
}

func (p costTables) sum(string, bench.Agreement) error { return nil }

// compare prints the speed and the flops of the first setting against each other one.
func (p costTables) compare(m bench.Measured) error {
	for i, c := range m.Costs[1:] {
		_, err := fmt.Fprintf(p.w, "%s (l = %d, q = %d): %.3f times the speed of %s (l = %d, q = %d), %.3f of its flops, median of %d rounds\n",
			c.Variant(), c.L, c.Q, m.Speed[i+1], m.Costs[0].Variant(), m.Costs[0].L, m.Costs[0].Q, 1/m.Flops[i+1], m.Rounds)
		if err != nil {
			return err
		}
	}
	return nil
}

// costLines prints a line for each setting.
type costLines struct {
	w      io.Writer
	headed bool
}

const costLine = "%-9s %-25s %6d %5d %6d %4d  %9s  %-7s %10s %10s %+7.1f%%\n"

func (p *costLines) print(c bench.Cost) error {
	if !p.headed {
		p.headed = true
		fmt.Fprintf(p.w, "%-9s %-25s %6s %5s %6s %4s  %9s  %-7s %10s %10s %8s\n", "backend", "method", "l", "k", "q", "c", "Gflop", "counted", "predict, s", "measure, s", "differ")
	}
	counted := "equal"
	if c.Total.Counted != c.Total.Model {
		counted = fmt.Sprintf("%+.0e", c.Total.Counted-c.Total.Model)
	}
	_, err := fmt.Fprintf(p.w, costLine, c.Backend, c.Variant(), c.L, c.K, c.Q, c.C, gigaflops(c.Total.Model), counted,
		seconds(c.Total.PredictedSeconds), seconds(c.Total.MeasuredSeconds), 100*c.Deviation())
	return err
}

func (p *costLines) sum(backend string, a bench.Agreement) error {
	_, err := fmt.Fprintf(p.w, "%s: %d settings, the predicted time differs from the measured one by %.1f%% in the median, %.1f%% at the 95th percentile, %.1f%% at most; flops counted equal the model's in %d\n",
		backend, a.Settings, 100*a.Median, 100*a.P95, 100*a.Worst, a.Settings-a.Unequal)
	return err
}

func (p *costLines) compare(bench.Measured) error { return nil }

// costJSON prints an object for each setting and each sum.
type costJSON struct{ w io.Writer }

func (p costJSON) print(c bench.Cost) error {
	if c.Total.MeasuredSeconds == 0 { // by the model alone
		return result.Write(p.w, "model", modelJSONOf(c))
	}
	return result.Write(p.w, "cost", c)
}

// modelJSON is a Cost without the counted flops and the times.
type modelJSON struct {
	bench.Cost
	Steps []modelStep `json:"steps"`
	Total modelStep   `json:"total"`
}

type modelStep struct {
	Step    string  `json:"step"`
	Formula string  `json:"formula"`
	Model   float64 `json:"flops_model"`
}

func modelJSONOf(c bench.Cost) modelJSON {
	step := func(s bench.CostStep) modelStep { return modelStep{s.Step, s.Formula, s.Model} }
	m := modelJSON{Cost: c, Total: step(c.Total)}
	for _, s := range c.Steps {
		m.Steps = append(m.Steps, step(s))
	}
	return m
}

func (p costJSON) sum(backend string, a bench.Agreement) error {
	return result.Write(p.w, "agreement", result.Agreement{Backend: backend, Agreement: a})
}

func (p costJSON) compare(m bench.Measured) error {
	for i, c := range m.Costs[1:] {
		err := result.Write(p.w, "comparison", struct {
			First  string  `json:"first"`
			Second string  `json:"second"`
			Speed  float64 `json:"speed"`
			Flops  float64 `json:"flops"`
			Rounds int     `json:"rounds"`
		}{m.Costs[0].Variant(), c.Variant(), m.Speed[i+1], m.Flops[i+1], m.Rounds})
		if err != nil {
			return err
		}
	}
	return nil
}
