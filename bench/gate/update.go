package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"blskernel"
	"blskernel/bench/speed"
	"blskernel/blsupdate"
	"blskernel/mat"
)

// The shapes of updates: three samples for each node, and a third as many new ones as nodes. The
// largest and the smallest singular value of random rows are then sqrt(3)±1 times sqrt(k), the
// condition number below 4.
const (
	samplesForNode = 3
	targets        = 10
	ridge          = 1e-3
)

// mostUpdates is after how many updates a model is started anew: it then has some twenty times the
// samples of the start.
const mostUpdates = 200

// updates are tasks of the methods that keep a matrix of the order of the nodes.
func updates() []task {
	var all []task
	for _, method := range []blsupdate.Method{blsupdate.Gram, blsupdate.QR, blsupdate.RidgeInverse} {
		for _, k := range []int{100, 300} {
			m := model{method: method, shape: blsupdate.Shape{L: samplesForNode * k, K: k, Q: k / 3, C: targets}}
			all = append(all, task{name: fmt.Sprintf("%v-update %d", method, k), flops: m.flops(), prepare: m.prepare})
		}
	}
	return all
}

// A model is an update by q rows with the weights after it.
type model struct {
	method       blsupdate.Method
	shape        blsupdate.Shape
	a, y, ax, ya *mat.Dense
}

// flops returns those of an update and of the weights by the model of package blsupdate.
func (m model) flops() float64 {
	opt := blsupdate.Options{Lambda: ridge}
	return blsupdate.Total(blsupdate.Model(m.method, blsupdate.ActionAdd, opt, m.shape)) +
		blsupdate.Total(blsupdate.Model(m.method, blsupdate.ActionWeights, opt, m.shape))
}

// prepare draws rows and targets.
func (m model) prepare() operands {
	random := rand.New(rand.NewPCG(1, 0))
	normal := func(rows, cols int) *mat.Dense {
		x := make([]float64, rows*cols)
		for i := range x {
			x[i] = random.NormFloat64()
		}
		return mat.NewDense(rows, cols, x)
	}
	s := m.shape
	m.a, m.y, m.ax, m.ya = normal(s.L, s.K), normal(s.L, s.C), normal(s.Q, s.K), normal(s.Q, s.C)
	return m
}

// on returns an update that goes on from the one before, so that a start is due only now and then.
func (m model) on(b blskernel.Backend) (call, error) {
	var u blsupdate.Updater
	var first error
	note := func(err error) {
		if first == nil && err != nil {
			first = fmt.Errorf("%v on %s: %w", m.method, b.Name(), err)
		}
	}
	c := call{speed.Contender{
		Call: func() {
			note(u.AddInputs(m.ax, m.ya))
			_, err := u.Weights()
			note(err)
		},
		Reset: func() {
			var err error
			u, err = blsupdate.New(m.method, m.a, m.y, blsupdate.Options{Lambda: ridge, Backend: b})
			note(err)
		},
		Most: mostUpdates,
	}, func() error { return first }}
	c.Reset()
	if first == nil {
		note(m.check(u))
	}
	return c, first
}

// mostResidual is far above what rounding makes of the residual of a model whose condition number is
// below 4, and far below that of weights that are wrong.
const mostResidual = 1e-10

// check adds the rows to a model that has been started, and returns an error unless the weights solve
// the normal equations of all rows: the largest element of Aᵀ(Y - A·W) - ridge·W is at most
// mostResidual times that of AᵀY.
func (m model) check(u blsupdate.Updater) error {
	if err := u.AddInputs(m.ax, m.ya); err != nil {
		return err
	}
	w, err := u.Weights()
	if err != nil {
		return err
	}
	var all, aim, off, right, residual mat.Dense
	all.Stack(m.a, m.ax)
	aim.Stack(m.y, m.ya)
	off.Mul(&all, w)
	off.Sub(&aim, &off)
	right.Mul(all.T(), &aim)
	residual.Mul(all.T(), &off)
	w.Scale(ridge, w)
	residual.Sub(&residual, w)
	if r := largest(&residual) / largest(&right); !(r <= mostResidual) {
		return fmt.Errorf("the weights leave a residual of %.2g; want at most %g", r, mostResidual)
	}
	return nil
}

// largest returns the largest absolute value of an element, or NaN if there is one.
func largest(a *mat.Dense) float64 {
	size := 0.0
	for _, v := range a.RawMatrix().Data {
		size = max(size, math.Abs(v))
	}
	return size
}

func (m model) by(library blskernel.Backend) (call, error) { return m.on(library) }
