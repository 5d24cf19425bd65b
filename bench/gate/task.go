package main

import (
	"fmt"
	"slices"

	"blskernel"
	"blskernel/bench/speed"
)

// A task is an operation on operands of one size.
type task struct {
	name    string
	flops   float64 // nominal, of one call
	prepare func() operands
}

// operands are what a task is computed on.
type operands interface {
	// on returns the operation on a backend, whose result it has checked where that can be done.
	on(b blskernel.Backend) (call, error)
	// by returns what OpenBLAS has for the same purpose.
	by(library blskernel.Backend) (call, error)
}

// A call is an operation that can be timed.
type call struct {
	speed.Contender
	err func() error // of the calls that were made
}

// mostPortable is how many flops a task may have to be measured on the portable kernel too, which makes
// some 4 of them in a nanosecond.
const mostPortable = 1e8

// kernels returns those that the task is measured on: all but the portable one, where it would take too
// long.
func (t task) kernels(of []string) []string {
	return slices.DeleteFunc(slices.Clone(of), func(k string) bool { return k == "generic" && t.flops > mostPortable })
}

// tasks are the cases of the gate: the products at three orders (one that fits into the nearest cache,
// one whose blocks do, one of several blocks), the products of a matrix and a vector and of vectors
// where the caches hold them (beyond, it is memory that is measured), inverses, and updates with the
// weights after them.
func tasks() []task {
	var all []task
	for _, product := range []struct {
		op   string
		args []string
	}{
		{"dgemm", []string{"NN", "NT", "TN", "TT"}}, {"dsyrk", []string{"UN", "UT"}}, {"dsprk", []string{"T"}},
		{"dtrsm", []string{"LUN", "RUN"}}, {"dtrmm", []string{"LUN"}}, {"dsymm", []string{"LU"}},
	} {
		for _, args := range product.args {
			for _, n := range []int{100, 300, 1000} {
				all = append(all, ofSpeed(product.op, args, n))
			}
		}
	}
	for _, args := range []string{"N", "T"} {
		for _, n := range []int{100, 300} {
			all = append(all, ofSpeed("dgemv", args, n))
		}
	}
	for _, op := range []string{"ddot", "daxpy"} {
		for _, n := range []int{100, 1000} {
			all = append(all, ofSpeed(op, "", n))
		}
	}
	for _, op := range []string{"cholesky-inverse", "ldlt-inverse", "lu-inverse"} {
		for _, n := range []int{100, 300, 1000} {
			all = append(all, ofSpeed(op, "", n))
		}
	}
	return append(all, updates()...)
}

// rivals are the routines of LAPACK with which inverses are compared.
var rivals = map[string]string{
	"cholesky-inverse": "dpotrf+dpotri", "ldlt-inverse": "dsytrf+dsytri2", "lu-inverse": "dgetrf+dgetri",
}

// ofSpeed returns a case of package speed on a square.
func ofSpeed(op, args string, n int) task {
	c, ok := speed.Find(op, args)
	if !ok {
		panic("gate: no such case of package speed")
	}
	shape := speed.Square(n)
	return task{
		name: fmt.Sprintf("%v %d", c, n), flops: c.Flops(shape),
		prepare: func() operands { return problem{c.Prepare(shape, 1)} },
	}
}

// problem has the operands of package speed.
type problem struct{ *speed.Problem }

func (p problem) on(b blskernel.Backend) (call, error) { return ready(p.Problem, b) }

func (p problem) by(library blskernel.Backend) (call, error) {
	if rival, ok := rivals[p.Case.Op]; ok {
		return ready(p.Against(rival), library)
	}
	return ready(p.Problem, library)
}

// ready checks what a backend makes of a problem.
func ready(p *speed.Problem, b blskernel.Backend) (call, error) {
	if err := p.Check(b); err != nil {
		return call{}, err
	}
	return call{speed.Contender{Call: p.Bind(b), Reset: p.Reset, Most: p.Most()}, p.Err}, nil
}
