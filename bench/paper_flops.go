package bench

import (
	"context"
	"fmt"
	"math/rand/v2"

	"blskernel/blsupdate"
	"blskernel/internal/linalg/backend"
)

// A FlopsCase is the paper's Table 1 for one choice of l, k and q. It holds the flops of each step of
// Original and Improved: by the paper's formulas, and as counted in an update.
type FlopsCase struct {
	Backend  string      `json:"backend"`
	Seed     uint64      `json:"seed"` // of the rows
	L        int         `json:"l"`    // samples before the update
	K        int         `json:"k"`
	Q        int         `json:"q"`
	Steps    []FlopsStep `json:"steps"`
	Original FlopsCount  `json:"original"` // the sum of the steps
	Improved FlopsCount  `json:"improved"`
}

// Factor returns Original's flops divided by Improved's in a step, as a formula and as a number. Table
// 1 has three of these factors for q > k, and one for q ≤ k. In the other steps both methods need the
// same flops: the formula is then empty, and the factor 1.
func (c FlopsCase) Factor(step string) (formula string, factor float64) {
	l, k, q := float64(c.L), float64(c.K), float64(c.Q)
	switch {
	case q > k && step == stepInverse:
		return "(q/k)³/2", q * q * q / (2 * k * k * k)
	case q > k && step == stepInner:
		return "ql/(2k²)", q * l / (2 * k * k)
	case q > k && step == stepB:
		return "q/k", q / k
	case step == stepInner:
		return "l/k", l / k
	}
	return "", 1
}

// The steps of Table 1, as blsupdate names them.
const (
	stepDbar, stepInner, stepInverse, stepB = "Dbar = A+ D", "inner product", "inverse", "B"
)

// A FlopsStep is a row of Table 1.
type FlopsStep struct {
	Step     string     `json:"step"`
	Original FlopsCount `json:"original"`
	Improved FlopsCount `json:"improved"`
}

// A FlopsCount holds flops by a formula of the paper, and as counted by the backend.
type FlopsCount struct {
	Formula string  `json:"formula,omitempty"`
	Paper   float64 `json:"flops_paper"`
	Counted float64 `json:"flops_counted"`
}

// paperFormulas returns the steps of Table 1 with the formulas as printed in the paper. The tests of
// blsupdate compare counted flops with blsupdate's own formulas.
func paperFormulas(l, k, q float64) []FlopsStep {
	formula := func(text string, flops float64) FlopsCount { return FlopsCount{Formula: text, Paper: flops} }
	product := formula("2qkl", 2*q*k*l)
	if q > k {
		return []FlopsStep{
			{stepDbar, product, product},
			{stepInner, formula("q²l", q*q*l), formula("2k²q", 2*k*k*q)},
			{stepInverse, formula("q³", q*q*q), formula("2k³", 2*k*k*k)},
			{stepB, formula("2q²k", 2*q*q*k), formula("2k²q", 2*k*k*q)},
		}
	}
	return []FlopsStep{
		{stepDbar, product, product},
		{stepInner, formula("q²l", q*q*l), formula("q²k", q*q*k)},
		{stepInverse, formula("q³", q*q*q), formula("q³", q*q*q)},
		{stepB, formula("2q²k", 2*q*q*k), formula("2q²k", 2*q*q*k)},
	}
}

// PaperFlops adds q >= 1 random rows to models of l rows and k nodes with Original and with Improved.
// It returns the flops by the formulas of the paper's Table 1, and as counted by the backend. l must be
// at least k, so that the rows have rank k.
func PaperFlops(ctx context.Context, l, k, q int, opt blsupdate.Options, seed uint64) (FlopsCase, error) {
	if k < 1 || l < k || q < 1 {
		return FlopsCase{}, fmt.Errorf("bench: l is %d, k is %d and q is %d; want l >= k >= 1 and q >= 1", l, k, q)
	}
	opt.Backend = backend.Or(opt.Backend)
	opt.Form, opt.Lambda = blsupdate.Paper, 0
	steps := paperFormulas(float64(l), float64(k), float64(q))
	out := FlopsCase{Backend: opt.Backend.Name(), Seed: seed, L: l, K: k, Q: q, Steps: steps}
	for _, m := range []blsupdate.Method{blsupdate.Original, blsupdate.Improved} {
		if err := ctx.Err(); err != nil {
			return FlopsCase{}, err
		}
		r := rand.New(rand.NewPCG(seed, 0))
		u, err := blsupdate.New(m, normal(r, l, k), normal(r, l, 1), opt)
		if err == nil {
			err = u.AddInputs(normal(r, q, k), normal(r, q, 1))
		}
		if err != nil {
			return FlopsCase{}, fmt.Errorf("bench: %v with l=%d, k=%d, q=%d: %w", m, l, k, q, err)
		}
		for i := range steps {
			count, sum := &steps[i].Original, &out.Original
			if m == blsupdate.Improved {
				count, sum = &steps[i].Improved, &out.Improved
			}
			for _, s := range u.Report().Steps {
				if string(s.Step) == steps[i].Step {
					count.Counted = s.Counted
				}
			}
			sum.Paper += count.Paper
			sum.Counted += count.Counted
		}
	}
	return out, nil
}
