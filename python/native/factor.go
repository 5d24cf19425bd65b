package main

import (
	"math"

	"blskernel"
	"blskernel/bls"
	"blskernel/internal/io/memory"
	"blskernel/lapack"
	"blskernel/mat"
)

// A library is the object with the handle 0. Its methods need no other object.
type library struct{}

func (library) methods() map[string]method {
	return map[string]method{
		"matmul":   {2, 1, true, (*call).matmul},
		"describe": {reads: true, run: func(c *call) error { return c.inFrame(c.describe()) }},
		"inputs":   {0, 1, true, func(c *call) error { return c.inFrame(c.inputs()) }},
		"threads": {run: func(c *call) error {
			if c.Threads < 0 {
				return valueError("threads is %d; want a positive number, or 0 for all CPUs", c.Threads)
			}
			blskernel.SetThreads(c.Threads)
			return nil
		}},
	}
}

func (c *call) matmul() error {
	x, y := c.arrays[0], c.arrays[1]
	if x.cols != y.rows {
		return valueError("matmul: A is %d×%d and B is %d×%d; want as many columns in A as rows in B", x.rows, x.cols, y.rows, y.cols)
	}
	dst, err := c.out(int(x.rows), int(y.cols))
	switch {
	case err != nil || dst.IsEmpty():
	case x.cols == 0:
		dst.Zero()
	default:
		mat.Mul(c.backend, dst, c.in[0], c.in[1])
	}
	return err
}

// A factorization is a Cholesky, an LDLT or an LU.
type factorization interface {
	Dim() int
	RCond() float64
	LogDet() (log, sign float64)
	SolveTo(dst, b *mat.Dense) error
}

type factor struct {
	kind string
	f    factorization // nil before the first factorize
}

func (o *factor) methods() map[string]method {
	fitted := func(run func(c *call) error) func(c *call) error {
		return func(c *call) error {
			if o.f == nil {
				return bls.ErrNotFitted
			}
			return run(c)
		}
	}
	return map[string]method{
		"factorize":  {operands: 1, run: o.factorize},
		"solve":      {1, 1, true, fitted(o.solve)},
		"inverse":    {0, 1, true, fitted(o.inverse)},
		"attributes": {run: fitted(o.attributes)},
	}
}

func (o *factor) solve(c *call) error {
	a := c.arrays[0]
	if a.rows != int64(o.f.Dim()) {
		return valueError("B is %d×%d; want as many rows as A has, %d", a.rows, a.cols, o.f.Dim())
	}
	dst, err := c.out(int(a.rows), int(a.cols))
	if err != nil || dst.IsEmpty() {
		return err
	}
	return o.f.SolveTo(dst, c.in[0])
}

func (o *factor) attributes(c *call) error {
	log, sign := o.f.LogDet()
	out := map[string]any{"n": o.f.Dim(), "rcond": o.f.RCond(), "log_det": log, "sign": sign}
	if f, ok := o.f.(*lapack.LDLT); ok {
		positive, negative, zero := f.Inertia()
		out["inertia"] = []int{positive, negative, zero}
	}
	return c.give(out)
}

func (o *factor) factorize(c *call) error {
	a, x := c.arrays[0], c.in[0]
	n := int(a.cols)
	if c.Packed {
		n = int(math.Sqrt(2 * float64(a.cols))) // n² < n(n+1) < (n+1)²
	}
	if c.Packed && (a.rows != 1 || int64(n)*int64(n+1)/2 != a.cols || o.kind == "lu") || !c.Packed && a.rows != a.cols {
		return valueError("A is %d×%d; want a square matrix, or for cholesky and ldlt n(n+1)/2 packed numbers", a.rows, a.cols)
	}
	if err := room(memory.Floats(n, n), "a factorization"); err != nil {
		return err
	}
	var f factorization
	var err error
	none := math.Inf(1) // the Python package checks rcond, and warns
	switch o.kind {
	case "lu":
		lu := &lapack.LU{Backend: c.backend, MaxCondition: none}
		f, err = lu, lu.Factorize(x)
	case "cholesky":
		cholesky := &lapack.Cholesky{Backend: c.backend, MaxCondition: none}
		f, err = cholesky, cholesky.FactorizeInPlace(upper(x, n))
	default:
		ldlt := &lapack.LDLT{Backend: c.backend, MaxCondition: none}
		f, err = ldlt, ldlt.FactorizeInPlace(upper(x, n))
	}
	if err == nil {
		o.f = f
	}
	return err
}

// upper returns the upper triangle of x, which is n×n or holds the triangle packed in one row.
func upper(x *mat.Dense, n int) *mat.SymPacked {
	s := mat.NewSymPacked(n, nil)
	to := s.RawSymPacked().Data
	for i := range x.RawMatrix().Rows {
		to = to[copy(to, x.RawRowView(i)[i:]):]
	}
	return s
}

func (o *factor) inverse(c *call) error {
	n := o.f.Dim()
	rows, cols := n, n
	s, isSymmetric := o.f.(interface {
		InverseTo(dst *mat.SymPacked) error
	})
	if isSymmetric {
		rows, cols = min(n, 1), n*(n+1)/2
	}
	dst, err := c.out(rows, cols)
	switch {
	case err != nil || n == 0:
		return err
	case isSymmetric:
		return s.InverseTo(mat.NewSymPacked(n, dst.RawRowView(0)))
	}
	return o.f.(*lapack.LU).InverseTo(dst)
}
