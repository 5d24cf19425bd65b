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
	"blskernel/internal/linalg/backend"
	"blskernel/internal/testutil"
	"blskernel/lapack"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonum "gonum.org/v1/gonum/mat"
)

// productTasks are the products of the BLAS, those with packed matrices and the fused ones, at a size
// at which they are worth several goroutines where none stands by, and at a small one.
//
// An element is a sum of at most 2K terms, for K the largest size, of which each is at most 0.7·3 (a
// diagonal 2n times larger than the rest is one of them), and of 1.3 of what C was. Each run is within
// gamma_{2K+4} of the exact one, so two of them are within twice that; Dtrsm, with ‖T⁻¹‖∞ ‖T‖∞ <= 3
// and X below 0.7/n, is well within.
func productTasks(b blskernel.Backend) []*soakTask {
	var tasks []*soakTask
	for _, size := range [][3]int{{197, 211, 183}, {29, 19, 11}} {
		rnd := rand.New(rand.NewPCG(71, uint64(size[0])))
		m, n, k := size[0], size[1], size[2]
		const alpha, beta = 0.7, -1.3
		most := max(m, n, k)
		x, y := uniform(rnd, most*most), uniform(rnd, most*most)
		lower, symmetric := dominant(rnd, m, positive), uniform(rnd, m*m)
		packed, d, bias := uniform(rnd, n*(n+1)/2), uniform(rnd, k), uniform(rnd, n)
		before := uniform(rnd, most*most)
		bound := 2 * float64(2*most+4) * soakEps * (alpha*3*2*float64(most) - beta)
		product := func(name string, length int, call func(c []float64)) {
			tasks = append(tasks, &soakTask{name: fmt.Sprintf("%s/m=%d", name, m), bound: bound, run: func() ([]float64, error) {
				c := slices.Clone(before[:length])
				call(c)
				return c, nil
			}})
		}
		product("Dgemm", m*n, func(c []float64) {
			b.Dgemm(blas.NoTrans, blas.NoTrans, m, n, k, alpha, x, k, y, n, beta, c, n)
			b.Dgemm(blas.Trans, blas.Trans, m, n, k, alpha, x, m, y, k, beta/10, c, n)
		})
		product("Dsymm", m*n, func(c []float64) { b.Dsymm(blas.Left, blas.Upper, m, n, alpha, symmetric, m, x, n, beta, c, n) })
		product("Dsyrk", n*n, func(c []float64) { b.Dsyrk(blas.Lower, blas.Trans, n, k, alpha, x, n, beta, c, n) })
		product("Dsyr2k", m*m, func(c []float64) { b.Dsyr2k(blas.Upper, blas.NoTrans, m, k, alpha, x, k, y, k, beta, c, m) })
		product("Dtrmm", m*n, func(c []float64) {
			b.Dtrmm(blas.Left, blas.Lower, blas.Trans, blas.NonUnit, m, n, alpha, lower, m, c, n)
		})
		product("Dtrsm", m*n, func(c []float64) {
			b.Dtrsm(blas.Right, blas.Lower, blas.NoTrans, blas.NonUnit, n, m, alpha, lower, m, c, m)
		})
		p, f := blskernel.Packed(b), backend.Fused(b)
		product("Dgemmt", n*n, func(c []float64) {
			p.Dgemmt(blas.Upper, blas.Trans, blas.NoTrans, n, k, alpha, x, n, x, n, beta, c, n)
		})
		product("Dgemmtp", n*(n+1)/2, func(c []float64) { p.Dgemmtp(blas.NoTrans, blas.Trans, n, k, alpha, x, k, x, k, beta, c) })
		product("Dsprk", n*(n+1)/2, func(c []float64) { p.Dsprk(blas.NoTrans, n, k, alpha, x, k, beta, c) })
		product("Dspmm", m*n, func(c []float64) { p.Dspmm(blas.Right, m, n, alpha, packed, x, n, beta, c, n) })
		product("DgemmDiag", m*n, func(c []float64) {
			f.DgemmDiag(blas.NoTrans, blas.NoTrans, m, n, k, alpha, x, k, d, y, n, beta, c, n)
		})
		product("DsprkDiag", m*(m+1)/2, func(c []float64) { f.DsprkDiag(blas.Trans, m, k, alpha, x, m, d, beta, c) })
		product("DgemmTanh", m*n, func(c []float64) {
			f.DgemmTanh(blas.NoTrans, blas.Trans, m, n, k, alpha/float64(k), x, k, y, k, bias, c, n)
		})
		product("levels-1-and-2", 2*most, func(c []float64) {
			v, w := c[:most], c[most:]
			b.Dgemv(blas.NoTrans, m, n, alpha, x, n, w[:n], 1, beta, v[:m], 1)
			b.Dsymv(blas.Lower, m, alpha, symmetric, m, v[:m], 1, beta, w[:m], 1)
			b.Dtrsv(blas.Lower, blas.NoTrans, blas.NonUnit, m, lower, m, w[:m], 1)
			b.Dscal(most, 1/(1+b.Dnrm2(most, v, 1)+b.Dasum(most, w, 1)), v, 1)
			b.Daxpy(most, b.Ddot(most, v, 1, v, 1), v, 1, w, 1)
		})
	}
	return tasks
}

// factorOrder is the order of the matrices that are factored: on amd64 one at which factorizations
// hold goroutines for themselves, and elsewhere, where kernels are slower and do so before, one that
// takes as little time.
func factorOrder() int {
	if runtime.GOARCH == "amd64" {
		return 290
	}
	return 120
}

// A factored is a factorization of a shared matrix, with right-hand sides for it, and its inverse if
// it has one.
type factored struct {
	solver interface {
		SolveTo(dst, b *mat.Dense) error
		RCond() float64
	}
	rhs     *mat.Dense
	inverse func() ([]float64, error)
}

// read returns what can be read of a factorization without changing it.
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

// factorizationTasks factor, solve and invert, each in storage of its own, and read factorizations
// that all share.
//
// The matrices are such that |L||U| <= 2n‖A‖∞ in the elimination (N. J. Higham, Accuracy and Stability
// of Numerical Algorithms, 2nd ed., section 9.5), and have a condition of 3, so that a solution is
// within gamma_{3n}·2n·3 <= 9n² eps of its norm, and that is at most 1/n for right-hand sides in [-1,
// 1]. Solutions of the least-squares problem, by 2n² roundings on the way, are within some 6n² eps of
// theirs, which is at most sqrt(2/n). Inverses and conditions take as much again some times over: 100
// n sqrt(n) eps is the bound for all. The logarithm of a determinant is the sum of n such errors times
// n, and is divided by n².
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
			return factored{f, rhs, func() ([]float64, error) {
				x, err := f.InverseInPlace()
				return x.RawSymPacked().Data, err
			}}, f.Factorize(spd)
		}},
		{"LDLT", func() (factored, error) {
			f := &lapack.LDLT{Backend: b}
			return factored{f, rhs, func() ([]float64, error) {
				x, err := f.InverseInPlace()
				return x.RawSymPacked().Data, err
			}}, f.Factorize(indefinite)
		}},
		{"LU", func() (factored, error) {
			f := &lapack.LU{Backend: b}
			return factored{f, rhs, func() ([]float64, error) {
				x, err := f.InverseInPlace()
				return x.RawMatrix().Data, err
			}}, f.Factorize(square)
		}},
		{"QR", func() (factored, error) {
			f := &lapack.QR{Backend: b}
			return factored{f, tallRHS, func() ([]float64, error) { return nil, nil }}, f.Factorize(tall)
		}},
	} {
		add(kind.name, func() ([]float64, error) {
			f, err := kind.factor()
			if err != nil {
				return nil, err
			}
			out, err := f.read()
			if err != nil {
				return nil, err
			}
			inverse, err := f.inverse()
			return append(out, inverse...), err
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
