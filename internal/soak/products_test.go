package soak

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"blskernel"
	"blskernel/bench/speed"
	"blskernel/internal/testutil"
	"blskernel/lapack"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// productTasks returns two cases of each BLAS operation of package speed, on operands that the task
// draws itself: the first case, large enough to start goroutines, and the last case, which is small.
//
// An element is a sum of at most 2n products of numbers below 1/2, and one more number. Each run is
// within gamma_{2n+4} (n/2+1) of the exact element, so two runs are within twice that, (n+2)² eps.
// Triangles are I + E, with rows of E below 1/16, and well within the bound.
func productTasks(b blskernel.Backend) []*soakTask {
	var tasks []*soakTask
	for _, op := range speed.Operations() {
		if op == "dpotrf" {
			break // the LAPACK routines begin here
		}
		cases := speed.Cases(op)
		for i, c := range []speed.Case{cases[0], cases[len(cases)-1]} {
			n := []int{197, 29}[i]
			tasks = append(tasks, &soakTask{
				name: fmt.Sprintf("%v/n=%d", c, n), bound: float64((n+2)*(n+2)) * soakEps,
				run: func() ([]float64, error) {
					p := c.Prepare(n, 71)
					p.Bind(b)()
					return p.Result(), p.Err()
				},
			})
		}
	}
	return tasks
}

// factorOrder returns the order of the matrices that are factored. Factorizations of this order reserve
// goroutines. Elsewhere than on amd64 the kernels are slower, and a lower order suffices.
func factorOrder() int {
	if runtime.GOARCH == "amd64" {
		return 290
	}
	return 120
}

// A factored is a factorization of a shared matrix, with right-hand sides, and a function that inverts
// the matrix in place; nil for QR.
type factored struct {
	solver interface {
		SolveTo(dst, b *mat.Dense) error
		RCond() float64
	}
	rhs     *mat.Dense
	inverse func() (gonum.Matrix, error)
}

// read returns a solution, the reciprocal condition number and, if there is one, the determinant. It
// does not change the factorization.
func (f factored) read() ([]float64, error) {
	var x mat.Dense
	if err := f.solver.SolveTo(&x, f.rhs); err != nil {
		return nil, err
	}
	out := append(slices.Clone(x.RawMatrix().Data), f.solver.RCond())
	if d, ok := f.solver.(interface{ LogDet() (log, sign float64) }); ok {
		log, sign := d.LogDet()
		n, _ := f.rhs.Dims()
		out = append(out, log/float64(n*n), sign)
	}
	return out, nil
}

// factorizationTasks returns tasks that factor, solve and invert, each in its own storage, and read
// factorizations that all tasks share.
//
// The matrices have |L||U| <= 2n‖A‖∞ in the elimination (N. J. Higham, Accuracy and Stability of
// Numerical Algorithms, 2nd ed., section 9.5), and a condition number of 3. So a solution is within
// gamma_{3n}·2n·3 <= 9n² eps of its norm, which is at most 1/n for right-hand sides in [-1, 1]. A
// least-squares solution takes 2n² roundings, and is within about 6n² eps of its norm, which is at most
// sqrt(2/n). Inverses and condition numbers have a few times these errors: 100 n sqrt(n) eps bounds
// all. The error of a log-determinant is the sum of n such errors times n; read divides it by n².
func factorizationTasks(t *testing.T, b blskernel.Backend) []*soakTask {
	t.Helper()
	const targets = 7
	n := factorOrder()
	rnd := rand.New(rand.NewPCG(72, 1))
	square := mat.NewDense(n, n, dominant(rnd, n, alternating))
	other := mat.NewDense(n, n, dominant(rnd, n, positive))
	spd, indefinite := mat.NewSymPacked(n, nil), mat.NewSymPacked(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			spd.SetSym(i, j, other.At(i, j))
			indefinite.SetSym(i, j, other.At(i, j))
		}
		indefinite.SetSym(i, i, alternating(i)*other.At(i, i))
	}
	rhs := mat.NewDense(n, targets, uniform(rnd, n*targets))
	tall := mat.NewDense(2*n, n, slices.Concat(other.RawMatrix().Data, uniform(rnd, n*n)))
	tallRHS := mat.NewDense(2*n, targets, uniform(rnd, 2*n*targets))

	var tasks []*soakTask
	add := func(name string, run func() ([]float64, error)) {
		tasks = append(tasks, &soakTask{name: name, bound: 100 * float64(n) * math.Sqrt(float64(n)) * soakEps, run: run})
	}
	for _, kind := range []struct {
		name   string
		factor func() (factored, error)
	}{
		{"Cholesky", func() (factored, error) {
			f := &lapack.Cholesky{Backend: b}
			return factored{f, rhs, func() (gonum.Matrix, error) { return f.InverseInPlace() }}, f.Factorize(spd)
		}},
		{"LDLT", func() (factored, error) {
			f := &lapack.LDLT{Backend: b}
			return factored{f, rhs, func() (gonum.Matrix, error) { return f.InverseInPlace() }}, f.Factorize(indefinite)
		}},
		{"LU", func() (factored, error) {
			f := &lapack.LU{Backend: b}
			return factored{f, rhs, func() (gonum.Matrix, error) { return f.InverseInPlace() }}, f.Factorize(square)
		}},
		{"QR", func() (factored, error) {
			f := &lapack.QR{Backend: b}
			return factored{f, tallRHS, nil}, f.Factorize(tall)
		}},
	} {
		add(kind.name, func() ([]float64, error) {
			f, err := kind.factor()
			if err != nil {
				return nil, err
			}
			out, err := f.read()
			if err != nil || f.inverse == nil {
				return out, err
			}
			inverse, err := f.inverse()
			if err != nil {
				return nil, err
			}
			return append(out, gonum.DenseCopyOf(inverse).RawMatrix().Data...), nil
		})
		shared, err := kind.factor()
		testutil.NoError(t, err)
		add("shared-"+kind.name, shared.read)
	}
	add("AppendRows", func() ([]float64, error) {
		r, z := mat.NewDense(n, n, nil), mat.NewDense(n, targets, nil)
		if err := lapack.AppendRows(b, r, z, tall, gonum.DenseCopyOf(tallRHS)); err != nil {
			return nil, err
		}
		err := lapack.SolveTriangular(b, z, r, false)
		return z.RawMatrix().Data, err
	})
	add("Implementation", func() ([]float64, error) {
		a, swaps := slices.Clone(square.RawMatrix().Data), make([]int, n)
		work := make([]float64, 64*n)
		impl := lapack.Implementation{Backend: b}
		if !impl.Dgetrf(n, n, a, n, swaps) || !impl.Dgetri(n, a, n, swaps, work, len(work)) {
			return nil, errors.New("the matrix is singular")
		}
		return a, nil
	})
	return tasks
}
