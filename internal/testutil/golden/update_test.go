package golden_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/internal/selftest"
	"blskernel/mat"
)

// settings returns options for updates by method m: every form of m, with inverses and by solving.
func settings(m blsupdate.Method) (all []blsupdate.Options) {
	forms := []blsupdate.Form{blsupdate.Auto}
	switch m {
	case blsupdate.Improved:
		forms = []blsupdate.Form{blsupdate.Auto, blsupdate.Paper, blsupdate.Small, blsupdate.Large, blsupdate.Compressed}
		for _, f := range []blsupdate.Form{blsupdate.Small, blsupdate.Large} {
			all = append(all, blsupdate.Options{Form: f, Solve: true})
		}
		all = append(all, blsupdate.Options{Workspace: -1})
	case blsupdate.RidgeInverse, blsupdate.InverseCholesky:
		forms = []blsupdate.Form{blsupdate.Auto, blsupdate.Small, blsupdate.Large}
	}
	for _, f := range forms {
		all = append(all, blsupdate.Options{Form: f})
	}
	return all
}

// A life is an Updater with the weights after each of its changes.
type life struct {
	u blsupdate.Updater
	s *selftest.Source
	k int
	x []float64
}

// step records the weights after a change, and the type of an error.
func (l *life) step(err error) {
	if err != nil {
		l.x = append(l.x, failure(err)...)
	}
	w, err := l.u.Weights()
	if err != nil {
		l.x = append(l.x, failure(err)...)
		return
	}
	l.x = append(l.x, numbers(w)...)
}

const targets = 3

func (l *life) rows(q int) (x, y *mat.Dense) { return dense(l.s, q, l.k), dense(l.s, q, targets) }

// live makes every kind of change to a model, with batches of q rows. It records the weights after each
// change, and the final state.
func live(r recorder, m blsupdate.Method, opt blsupdate.Options, start, k, q int) {
	s := selftest.Source(1000*start + 100*k + q)
	l := &life{s: &s, k: k}
	name := fmt.Sprintf("%v %v lambda=%g l=%d k=%d q=%d", m, opt.Form, opt.Lambda, start, k, q)
	if opt.Solve {
		name += " solve"
	}
	if opt.Workspace != 0 {
		name += " no workspace"
	}
	x, y := l.rows(start)
	u, err := blsupdate.New(m, x, y, opt)
	if err != nil {
		r.add(name+" start", ruleUpdate, failure(err))
		return
	}
	l.u = u
	l.step(nil)
	r.add(name+" New", ruleUpdate, l.x)
	firstX, firstY := l.rows(q)
	l.step(u.AddInputs(firstX, firstY))
	l.step(u.AddInputs(l.rows(q)))
	r.add(name+" AddInputs", ruleUpdate, l.x)
	l.step(u.RemoveInputs(firstX, firstY))
	r.add(name+" RemoveInputs", ruleUpdate, l.x)
	if p, ok := u.(blsupdate.Pseudoinverter); ok {
		r.add(name+" Pseudoinverse", ruleUpdate, numbers(p.Pseudoinverse()))
	}
	if leverage, err := u.Leverage(firstX); err != blsupdate.ErrApproximate {
		r.must(err)
		r.add(name+" Leverage", ruleUpdate, leverage)
	}
	weighted, of := l.rows(q)
	weights := s.Vector(q)
	for i := range weights {
		weights[i] = 1.25 + weights[i]
	}
	l.step(u.AddInputsContext(r.Context(), weighted, of, weights))
	r.add(name+" AddWeightedInputs", ruleUpdate, l.x)
	l.step(u.Forget(0.9))
	l.step(u.SetLambda(opt.Lambda + 0.001))
	l.step(u.SetLambda(opt.Lambda / 3))
	r.add(name+" Forget, SetLambda", ruleUpdate, l.x)
	other, err := blsupdate.New(m, dense(&s, start, k), dense(&s, start, targets), opt)
	r.must(err)
	l.step(u.Merge(other))
	r.add(name+" Merge", ruleUpdate, l.x)
	r.add(name+" state", ruleUpdate, encoded(r, func(w io.Writer) error { return blsupdate.Encode(w, u) }))
	c := u.Condition()
	r.add(name+" Condition", ruleFeatures, []float64{c.RCond, c.Digits})
}

// grow adds nodes to a model of all its rows, then rows to the larger model, and refines.
func grow(r recorder, m blsupdate.Method, opt blsupdate.Options, start, k, q int) {
	s := selftest.Source(q)
	l := &life{s: &s, k: k}
	name := fmt.Sprintf("%v %v lambda=%g l=%d k=%d q=%d", m, opt.Form, opt.Lambda, start, k, q)
	x, y := l.rows(start)
	u, err := blsupdate.New(m, x, y, opt)
	r.must(err)
	l.u = u
	ax, ay := l.rows(q)
	l.step(u.AddInputs(ax, ay))
	var a, all, of mat.Dense
	a.Stack(x, ax)
	of.Stack(y, ay)
	h := dense(&s, start+q, 7)
	l.step(u.AddNodes(&a, h, &of))
	l.k = u.Nodes()
	ax, ay = l.rows(q)
	l.step(u.AddInputs(ax, ay))
	r.add(name+" AddNodes", ruleUpdate, l.x)
	if refiner, ok := u.(blsupdate.Refiner); ok {
		var wide, more mat.Dense
		wide.Augment(&a, h)
		all.Stack(&wide, ax)
		more.Stack(&of, ay)
		l.step(refiner.Refine(&all, &more))
		r.add(name+" Refine", ruleUpdate, l.x)
	}
}

// encoded returns the bytes that encode writes, each as a number.
func encoded(r recorder, encode func(io.Writer) error) []float64 {
	var b bytes.Buffer
	r.must(encode(&b))
	return bytesOf(b.Bytes())
}

func bytesOf(data []byte) []float64 {
	x := make([]float64, len(data))
	for i, v := range data {
		x[i] = float64(v)
	}
	return x
}

func TestGoldenUpdates(t *testing.T) {
	each(t, "update", func(r recorder, b blskernel.Backend) {
		for _, m := range blsupdate.Methods() {
			if m == blsupdate.Improved || m == blsupdate.Original { // these compute singular values
				for _, q := range []int{1, 15, 60} {
					live(r, m, blsupdate.Options{Backend: b}, 20, 40, q)
				}
			}
			for _, opt := range settings(m) {
				opt.Backend = b
				for _, lambda := range []float64{0, 0.01} {
					opt.Lambda = lambda
					live(r, m, opt, 120, 40, 3)
					live(r, m, opt, 120, 40, 30)
					live(r, m, opt, 120, 40, 90)
				}
				live(r, m, opt, 260, 130, 45)
				if opt.Form == blsupdate.Auto && !opt.Solve && opt.Workspace == 0 {
					grow(r, m, opt, 120, 40, 30)
					grow(r, m, opt, 260, 130, 45)
				}
			}
		}
	})
}
