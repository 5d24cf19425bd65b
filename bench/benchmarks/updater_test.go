package benchmarks

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/mat"
)

// lambda is the ridge of the paper.
var lambda = math.Exp2(-30)

// A model is the start of a benchmark of package blsupdate. It has a method with its options, rows that
// it learned first, and rows to add or remove.
type model struct {
	method       blsupdate.Method
	opt          blsupdate.Options
	q            int
	a, y, ax, ya *mat.Dense
	weights      []float64         // of the rows to add
	h            *mat.Dense        // as many new nodes
	other        blsupdate.Updater // of the rows to add, without a ridge
	state        bytes.Buffer
	blsupdate.Updater
}

// solve calls Weights, and encode writes the state, which has A⁺ for Original and Improved.
func (m *model) solve() error  { _, err := m.Weights(); return err }
func (m *model) encode() error { m.state.Reset(); return blsupdate.Encode(&m.state, m.Updater) }
func (m *model) add() error    { return m.AddInputs(m.ax, m.ya) }

// An action is a call on a new model, which prepare, if not nil, changes before the timing.
type action struct {
	call        string
	of          []blsupdate.Action // which the method supports, and whose flops count
	added       bool               // with all numbers of -q
	prepare, do func(m *model) error
}

var actions = []action{
	{"Update", []blsupdate.Action{blsupdate.ActionAdd, blsupdate.ActionWeights}, true, nil, func(m *model) error {
		if err := m.add(); err != nil {
			return err
		}
		return m.solve()
	}},
	{"AddInputs", []blsupdate.Action{blsupdate.ActionAdd}, true, nil, (*model).add},
	{"AddInputsWeighted", []blsupdate.Action{blsupdate.ActionAdd}, true, nil, func(m *model) error {
		return m.AddInputsContext(context.Background(), m.ax, m.ya, m.weights)
	}},
	{"RemoveInputs", []blsupdate.Action{blsupdate.ActionRemove}, true, (*model).add, func(m *model) error {
		return m.RemoveInputs(m.ax, m.ya)
	}},
	{"New", []blsupdate.Action{blsupdate.ActionStart}, false, nil, func(m *model) error {
		_, err := blsupdate.New(m.method, m.a, m.y, m.opt)
		return err
	}},
	{"AddNodes", []blsupdate.Action{blsupdate.ActionNodes}, true, nil, func(m *model) error {
		return m.AddNodes(m.a, m.h, m.y)
	}},
	{"Merge", []blsupdate.Action{blsupdate.ActionMerge}, true, nil, func(m *model) error { return m.Merge(m.other) }},
	{"SetLambda", []blsupdate.Action{blsupdate.ActionRidge}, false, nil, func(m *model) error { return m.SetLambda(1) }},
	{"AddTargets", []blsupdate.Action{blsupdate.ActionTargets}, false, nil, func(m *model) error {
		t := mat.NewDense(*flagC, 1, nil)
		t.Set(0, 0, -1) // a class that no sample had, the negative of the first target
		return m.AddTargets(t)
	}},
	{"MapTargets", []blsupdate.Action{blsupdate.ActionMap}, false, nil, func(m *model) error {
		t := mat.NewDense(*flagC, *flagC, nil)
		for i := range *flagC {
			t.Set(i, *flagC-1-i, 1) // the opposite order
		}
		return m.MapTargets(t)
	}},
	// The first time after a change, when Gram and QR solve for the weights; the others have them.
	{"Weights", []blsupdate.Action{blsupdate.ActionWeights}, false, nil, (*model).solve},
	{"Condition", nil, false, (*model).solve, func(m *model) error { sink = m.Condition().RCond; return nil }},
	{"Encode", nil, false, nil, (*model).encode},
	{"Decode", nil, false, (*model).encode, func(m *model) error {
		_, err := blsupdate.Decode(bytes.NewReader(m.state.Bytes()), m.opt.Backend)
		return err
	}},
	// Weights that have been solved for hardly change.
	{"Refine", nil, false, (*model).solve, func(m *model) error { return m.Updater.(blsupdate.Refiner).Refine(m.a, m.y) }},
}

// flops returns the flops of an action according to the model.
func (m *model) flops(of action) (all float64) {
	s := blsupdate.Shape{L: *flagL, K: *flagK, Q: m.q, C: *flagC, P: m.q}
	for _, a := range of.of {
		switch a {
		case blsupdate.ActionRemove:
			s.L += m.q
		case blsupdate.ActionTargets:
			s.P = 1
		case blsupdate.ActionMap:
			s.P = *flagC
		}
		all += blsupdate.Total(blsupdate.Model(m.method, a, m.opt, s))
	}
	if of.call == "Refine" {
		all = 8*f3(s.L, s.K, s.C) + 4*f3(s.K, s.K, s.C)
	}
	return all
}

// BenchmarkUpdater times every action for every method that has it, and Improved's Update and AddInputs
// in every form. Update is AddInputs and Weights: the cost of a batch with weights after each.
func BenchmarkUpdater(b *testing.B) {
	backends(b, func(b *testing.B, bk blskernel.Backend) {
		for _, of := range actions {
			for _, method := range blsupdate.Methods() {
				forms, qs := []blsupdate.Form{blsupdate.Auto}, added[:1]
				if of.call == "Refine" && method != blsupdate.Gram ||
					slices.ContainsFunc(of.of, func(a blsupdate.Action) bool { return !blsupdate.Supports(method, a) }) {
					continue
				}
				if method == blsupdate.Improved && (of.call == "Update" || of.call == "AddInputs") {
					forms = append(forms, blsupdate.Small, blsupdate.Large, blsupdate.Compressed)
				}
				if of.added {
					qs = added
				}
				for _, form := range forms {
					for _, q := range qs {
						name := fmt.Sprintf("call=%s/method=%v/form=%v/l=%d/k=%d/q=%d", of.call, method, form, *flagL, *flagK, q)
						b.Run(name, func(b *testing.B) { newModel(bk, method, form, q).run(b, of) })
					}
				}
			}
		}
	})
}

func newModel(bk blskernel.Backend, method blsupdate.Method, form blsupdate.Form, q int) *model {
	m := &model{
		method: method, opt: blsupdate.Options{Lambda: lambda, Form: form, Backend: bk}, q: q,
		a: normal(*flagL, *flagK, 1), y: normal(*flagL, *flagC, 2), ax: normal(q, *flagK, 3), ya: normal(q, *flagC, 4),
		h: normal(*flagL, q, 5), weights: vector(q),
	}
	for i := range m.weights {
		m.weights[i]++
	}
	return m
}

// run times an action. The garbage of the last model is collected before the timing.
func (m *model) run(b *testing.B, of action) {
	if of.call == "Merge" {
		shard := m.opt
		shard.Lambda = 0
		m.other = must(blsupdate.New(m.method, m.ax, m.ya, shard))
	}
	call{flops: m.flops(of), do: func() error { return of.do(m) }, reset: func() {
		m.Updater = must(blsupdate.New(m.method, m.a, m.y, m.opt))
		if of.prepare != nil {
			check(of.prepare(m))
		}
		runtime.GC()
	}}.run(b)
}
