package bench

import (
	"context"
	"fmt"
	"math/rand/v2"

	"blskernel/blsupdate"
	"blskernel/internal/backend"
)

// A FlopsCase is the paper's Table 1 at one choice of l, k and q: the flops of the steps in which
// Original and Improved differ, by the paper's formulas and as counted in an update.
type FlopsCase struct {
	Backend  string      `json:"backend"`
	Seed     uint64      `json:"seed"` // of the rows; 0 in files written before it was kept
	L        int         `json:"l"`    // samples before the update
	K        int         `json:"k"`
	Q        int         `json:"q"`
	Steps    []FlopsStep `json:"steps"`
	Original FlopsCount  `json:"original"` // the sum of the steps
	Improved FlopsCount  `json:"improved"`
}

// A FlopsStep is a row of Table 1.
type FlopsStep struct {
	Step     string     `json:"step"`
	Original FlopsCount `json:"original"`
	Improved FlopsCount `json:"improved"`
}

// A FlopsCount has flops by a formula and as counted.
type FlopsCount struct {
	Formula string  `json:"formula,omitempty"`
	Paper   float64 `json:"flops_paper"`
	Counted float64 `json:"flops_counted"`
}

// formula is a step as the paper has it.
type formula struct {
	text  string
	flops func(q, k, l float64) float64
}

// The formulas of Table 1 are typed from the paper. They are not those of the model, with which other
// tests compare the counts.
var (
	fullProduct = formula{"2qkl", func(q, k, l float64) float64 { return 2 * q * k * l }}

	paperOriginal = []formula{
		fullProduct,
		{"q²l", func(q, _, l float64) float64 { return q * q * l }},
		{"q³", func(q, _, _ float64) float64 { return q * q * q }},
		{"2q²k", func(q, k, _ float64) float64 { return 2 * q * q * k }},
	}
	paperSmall = []formula{ // q <= k
		fullProduct,
		{"q²k", func(q, k, _ float64) float64 { return q * q * k }},
		{"q³", func(q, _, _ float64) float64 { return q * q * q }},
		{"2q²k", func(q, k, _ float64) float64 { return 2 * q * q * k }},
	}
	paperLarge = []formula{ // q > k
		fullProduct,
		{"2k²q", func(q, k, _ float64) float64 { return 2 * k * k * q }},
		{"2k³", func(_, k, _ float64) float64 { return 2 * k * k * k }},
		{"2k²q", func(q, k, _ float64) float64 { return 2 * k * k * q }},
	}
	paperSteps = []blsupdate.Step{"Dbar = A+ D", "inner product", "inverse", "B"}
)

// PaperFlops adds q >= 1 random rows to models of k nodes by both methods and compares the flops that
// the backend counted with the paper's Table 1. l is at least k, so that the l rows have rank k.
func PaperFlops(ctx context.Context, l, k, q int, opt blsupdate.Options, seed uint64) (FlopsCase, error) {
	if k < 1 || l < k || q < 1 {
		return FlopsCase{}, fmt.Errorf("bench: l is %d, k is %d and q is %d; want l >= k >= 1 and q >= 1", l, k, q)
	}
	opt.Backend = backend.Or(opt.Backend)
	out := FlopsCase{Backend: opt.Backend.Name(), Seed: seed, L: l, K: k, Q: q, Steps: make([]FlopsStep, len(paperSteps))}
	opt.Form, opt.Lambda = blsupdate.Paper, 0
	improved := paperSmall
	if q > k {
		improved = paperLarge
	}
	for _, way := range []struct {
		method   blsupdate.Method
		formulas []formula
		count    func(*FlopsStep) *FlopsCount
		sum      *FlopsCount
	}{
		{blsupdate.Original, paperOriginal, func(s *FlopsStep) *FlopsCount { return &s.Original }, &out.Original},
		{blsupdate.Improved, improved, func(s *FlopsStep) *FlopsCount { return &s.Improved }, &out.Improved},
	} {
		if err := ctx.Err(); err != nil {
			return FlopsCase{}, err
		}
		r := rand.New(rand.NewPCG(seed, 0))
		u, err := blsupdate.New(way.method, normal(r, l, k), normal(r, l, 1), opt)
		if err == nil {
			err = u.AddInputs(normal(r, q, k), normal(r, q, 1))
		}
		if err != nil {
			return FlopsCase{}, fmt.Errorf("bench: %v with l=%d, k=%d, q=%d: %w", way.method, l, k, q, err)
		}
		for i, step := range paperSteps {
			f := way.formulas[i]
			count := FlopsCount{Formula: f.text, Paper: f.flops(float64(q), float64(k), float64(l))}
			for _, s := range u.Report().Steps {
				if s.Step == step {
					count.Counted = s.Counted
				}
			}
			out.Steps[i].Step = string(step)
			*way.count(&out.Steps[i]) = count
			way.sum.Paper += count.Paper
			way.sum.Counted += count.Counted
		}
	}
	return out, nil
}
