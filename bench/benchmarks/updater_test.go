package benchmarks

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"runtime"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/mat"
)

// lambda is the ridge of the paper.
var lambda = math.Exp2(-30)

// A model is what a benchmark of package blsupdate starts from: a method with its options, rows that it
// learned first, and rows that come or go.
type model struct {
	method       blsupdate.Method
	opt          blsupdate.Options
	l, k, q, c   int
	a, y, ax, ya *mat.Dense
	weights      []float64  // of the rows that come
	h            *mat.Dense // as many new nodes
	blsupdate.Updater
}

// fresh starts a new model, and collects the garbage of the last one before the timing.
func (m *model) fresh() {
	m.Updater = must(blsupdate.New(m.method, m.a, m.y, m.opt))
	runtime.GC()
}

// flops returns the flops of an action by the model, on l samples.
func (m *model) flops(action blsupdate.Action) float64 {
	s := blsupdate.Shape{L: m.l, K: m.k, Q: m.q, C: m.c, P: m.q}
	return blsupdate.Total(blsupdate.Model(m.method, action, m.opt, s))
}

// variant is a method in one of its forms.
type variant struct {
	method blsupdate.Method
	form   blsupdate.Form
}

// forms are all methods as they come, and the forms in which Improved may be made to work.
func forms() []variant {
	var all []variant
	for _, m := range blsupdate.Methods() {
		all = append(all, variant{m, blsupdate.Auto})
		if m == blsupdate.Improved {
			all = append(all, variant{m, blsupdate.Small}, variant{m, blsupdate.Large}, variant{m, blsupdate.Compressed})
		}
	}
	return all
}

// methods are those that can do the action, as they come.
func methods(action blsupdate.Action) []variant {
	var all []variant
	for _, m := range blsupdate.Methods() {
		if blsupdate.Supports(m, action) {
			all = append(all, variant{m, blsupdate.Auto})
		}
	}
	return all
}

// alone stands for added for actions that add nothing: the one q is in the name alone.
func alone() []int { return added[:1] }

// models runs a sub-benchmark for each backend, variant and number of added rows or nodes. The model is
// not started yet.
func models(b *testing.B, of []variant, added []int, prepare func(m *model) call) {
	backends(b, func(b *testing.B, bk blskernel.Backend) {
		for _, v := range of {
			for _, q := range added {
				name := fmt.Sprintf("method=%v/form=%v/l=%d/k=%d/q=%d", v.method, v.form, *flagL, *flagK, q)
				b.Run(name, func(b *testing.B) {
					m := &model{
						method: v.method, opt: blsupdate.Options{Lambda: lambda, Form: v.form, Backend: bk},
						l: *flagL, k: *flagK, q: q, c: *flagC,
					}
					m.a, m.y = normal(m.l, m.k, 1), normal(m.l, m.c, 2)
					m.ax, m.ya = normal(m.q, m.k, 3), normal(m.q, m.c, 4)
					m.h, m.weights = normal(m.l, m.q, 5), vector(m.q)
					for i := range m.weights {
						m.weights[i]++
					}
					prepare(m).run(b)
				})
			}
		}
	})
}

// action times an action of new models, in all the forms.
func action(b *testing.B, of []variant, added []int, what blsupdate.Action, do func(m *model) error) {
	models(b, of, added, func(m *model) call {
		return call{flops: m.flops(what), reset: m.fresh, do: func() error { return do(m) }}
	})
}

// BenchmarkUpdate is AddInputs and Weights: what a batch costs where weights are wanted after each.
func BenchmarkUpdate(b *testing.B) {
	models(b, forms(), added, func(m *model) call {
		flops := m.flops(blsupdate.ActionAdd) + m.flops(blsupdate.ActionWeights)
		return call{flops: flops, reset: m.fresh, do: func() error {
			if err := m.AddInputs(m.ax, m.ya); err != nil {
				return err
			}
			_, err := m.Weights()
			return err
		}}
	})
}

func BenchmarkUpdaterAddInputs(b *testing.B) {
	action(b, forms(), added, blsupdate.ActionAdd, func(m *model) error { return m.AddInputs(m.ax, m.ya) })
}

func BenchmarkUpdaterAddInputsWeighted(b *testing.B) {
	action(b, methods(blsupdate.ActionAdd), added, blsupdate.ActionAdd, func(m *model) error { return m.AddInputsContext(b.Context(), m.ax, m.ya, m.weights) })
}

// BenchmarkUpdaterRemoveInputs removes what was added to l samples.
func BenchmarkUpdaterRemoveInputs(b *testing.B) {
	models(b, methods(blsupdate.ActionRemove), added, func(m *model) call {
		s := blsupdate.Shape{L: m.l + m.q, K: m.k, Q: m.q, C: m.c}
		return call{
			flops: blsupdate.Total(blsupdate.Model(m.method, blsupdate.ActionRemove, m.opt, s)),
			reset: func() { m.fresh(); check(m.AddInputs(m.ax, m.ya)) },
			do:    func() error { return m.RemoveInputs(m.ax, m.ya) },
		}
	})
}

func BenchmarkBlsupdateNew(b *testing.B) {
	models(b, methods(blsupdate.ActionStart), alone(), func(m *model) call {
		return call{flops: m.flops(blsupdate.ActionStart), do: func() error {
			_, err := blsupdate.New(m.method, m.a, m.y, m.opt)
			return err
		}}
	})
}

// BenchmarkUpdaterAddNodes adds q nodes.
func BenchmarkUpdaterAddNodes(b *testing.B) {
	action(b, methods(blsupdate.ActionNodes), added, blsupdate.ActionNodes, func(m *model) error { return m.AddNodes(m.a, m.h, m.y) })
}

// BenchmarkUpdaterMerge merges with a model of q samples, and no ridge of its own.
func BenchmarkUpdaterMerge(b *testing.B) {
	models(b, methods(blsupdate.ActionMerge), added, func(m *model) call {
		shard := m.opt
		shard.Lambda = 0
		other := must(blsupdate.New(m.method, m.ax, m.ya, shard))
		return call{
			flops: m.flops(blsupdate.ActionMerge),
			reset: m.fresh,
			do:    func() error { return m.Merge(other) },
		}
	})
}

func BenchmarkUpdaterSetLambda(b *testing.B) {
	action(b, methods(blsupdate.ActionRidge), alone(), blsupdate.ActionRidge, func(m *model) error { return m.SetLambda(1) })
}

// BenchmarkUpdaterAddTargets adds a class that no sample had, the negative of the first target.
func BenchmarkUpdaterAddTargets(b *testing.B) {
	targets(b, blsupdate.ActionTargets, 1, func(m *model, t *mat.Dense) error {
		t.Set(0, 0, -1)
		return m.AddTargets(t)
	})
}

// BenchmarkUpdaterMapTargets brings the targets into the opposite order.
func BenchmarkUpdaterMapTargets(b *testing.B) {
	targets(b, blsupdate.ActionMap, 0, func(m *model, t *mat.Dense) error {
		for i := range m.c {
			t.Set(i, m.c-1-i, 1)
		}
		return m.MapTargets(t)
	})
}

// targets measures an action with a T of p columns, or of as many as there are targets for 0.
func targets(b *testing.B, what blsupdate.Action, p int, do func(m *model, t *mat.Dense) error) {
	models(b, methods(what), alone(), func(m *model) call {
		p := cmp.Or(p, m.c)
		shape := blsupdate.Shape{L: m.l, K: m.k, C: m.c, P: p}
		return call{flops: blsupdate.Total(blsupdate.Model(m.method, what, m.opt, shape)), reset: m.fresh,
			do: func() error { return do(m, mat.NewDense(m.c, p, nil)) }}
	})
}

// BenchmarkUpdaterWeights is of the first time after a change, where Gram and QR solve for the weights;
// the others have them.
func BenchmarkUpdaterWeights(b *testing.B) {
	action(b, methods(blsupdate.ActionWeights), alone(), blsupdate.ActionWeights, func(m *model) error { _, err := m.Weights(); return err })
}

// BenchmarkUpdaterCondition is of a model whose weights are known.
func BenchmarkUpdaterCondition(b *testing.B) {
	models(b, methods(blsupdate.ActionAdd), alone(), func(m *model) call {
		reset := func() { m.fresh(); must(m.Weights()) }
		return call{reset: reset, do: func() error { sink = m.Condition().RCond; return nil }}
	})
}

// BenchmarkRefinerRefine starts from weights that are solved for already, which a second time hardly
// changes.
func BenchmarkRefinerRefine(b *testing.B) {
	models(b, []variant{{blsupdate.Gram, blsupdate.Auto}}, alone(), func(m *model) call {
		m.fresh()
		must(m.Weights())
		p := m.Updater.(blsupdate.Refiner)
		return call{flops: 8*f3(m.l, m.k, m.c) + 4*f3(m.k, m.k, m.c), do: func() error { return p.Refine(m.a, m.y) }}
	})
}

// BenchmarkBlsupdateEncode and the next one are of the state of each method, which for Original and
// Improved has A⁺.
func BenchmarkBlsupdateEncode(b *testing.B) {
	encoded(b, func(m *model, state *bytes.Buffer) error {
		state.Reset()
		return blsupdate.Encode(state, m.Updater)
	})
}

func BenchmarkBlsupdateDecode(b *testing.B) {
	encoded(b, func(m *model, state *bytes.Buffer) error {
		_, err := blsupdate.Decode(bytes.NewReader(state.Bytes()), m.opt.Backend)
		return err
	})
}

// encoded times what is done with a model and its encoded state.
func encoded(b *testing.B, do func(m *model, state *bytes.Buffer) error) {
	models(b, methods(blsupdate.ActionAdd), alone(), func(m *model) call {
		m.fresh()
		var state bytes.Buffer
		check(blsupdate.Encode(&state, m.Updater))
		return call{bytes: int64(state.Len()), do: func() error { return do(m, &state) }}
	})
}
