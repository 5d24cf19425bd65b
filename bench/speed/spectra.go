package speed

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"blskernel"
	"blskernel/internal/linalg/openblas/opponents"
	"blskernel/lapack"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
)

// A decomposition is a routine of lapack.Implementation on a matrix A of order n, and LAPACK's own. x
// are A, which is overwritten, more matrices of order n and then lists of n numbers that it writes.
type decomposition struct {
	matrices, lists int
	own             func(l lapack.Implementation, n int, x [][]float64, work []float64) (ok bool)
	theirs          func(l opponents.LAPACK, n int, x [][]float64, work []float64, iwork []int32) (info int)
	// compared are numbers on which all implementations agree, computed from A and their results:
	// equal ones, and the residual, which is 0. Vectors agree up to signs.
	compared func(n int, a []float64, x [][]float64) []float64
}

var (
	qr = decomposition{
		1, 1,
		func(l lapack.Implementation, n int, x [][]float64, work []float64) bool {
			l.Dgeqrf(n, n, x[0], n, x[1], work, len(work))
			return true
		},
		func(l opponents.LAPACK, n int, x [][]float64, work []float64, _ []int32) int {
			return l.Dgeqrf(n, n, x[0], n, x[1], work)
		},
		func(n int, a []float64, x [][]float64) []float64 { // RᵀR·1 - AᵀA·1
			var diagonal []float64
			for i := range n {
				diagonal = append(diagonal, math.Abs(x[0][i*n+i]))
				clear(x[0][i*n : i*n+i])
			}
			return append(diagonal, minus(times(true, x[0], times(false, x[0], ones(n))), times(true, a, times(false, a, ones(n))))...)
		},
	}
	eigenSym = decomposition{
		1, 1,
		func(l lapack.Implementation, n int, x [][]float64, work []float64) bool {
			return l.Dsyev(gonumlapack.EVCompute, blas.Upper, n, x[0], n, x[1], work, len(work))
		},
		func(l opponents.LAPACK, n int, x [][]float64, work []float64, iwork []int32) int {
			return l.Dsyevd(gonumlapack.EVCompute, blas.Upper, n, x[0], n, x[1], work, iwork)
		},
		func(n int, a []float64, x [][]float64) []float64 { // V·W·Vᵀ·1 - A·1
			symmetric := slices.Clone(a)
			for i := range n {
				for j := range i {
					symmetric[i*n+j] = a[j*n+i]
				}
			}
			y := times(false, x[0], scaled(x[1], times(true, x[0], ones(n))))
			return append(slices.Clone(x[1]), minus(y, times(false, symmetric, ones(n)))...)
		},
	}
	svd = decomposition{
		3, 1,
		func(l lapack.Implementation, n int, x [][]float64, work []float64) bool {
			return l.Dgesvd(gonumlapack.SVDStore, gonumlapack.SVDStore, n, n, x[0], n, x[3], x[1], n, x[2], n, work, len(work))
		},
		func(l opponents.LAPACK, n int, x [][]float64, work []float64, iwork []int32) int {
			return l.Dgesdd(gonumlapack.SVDStore, n, n, x[0], n, x[3], x[1], n, x[2], n, work, iwork)
		},
		func(n int, a []float64, x [][]float64) []float64 { // U·Σ·Vᵀ·1 - A·1
			y := times(false, x[1], scaled(x[3], times(false, x[2], ones(n))))
			return append(slices.Clone(x[3]), minus(y, times(false, a, ones(n)))...)
		},
	}
	eigen = decomposition{
		2, 2,
		func(l lapack.Implementation, n int, x [][]float64, work []float64) bool {
			return l.Dgeev(gonumlapack.LeftEVNone, gonumlapack.RightEVCompute, n, x[0], n, x[2], x[3], nil, 1, x[1], n, work, len(work)) == 0
		},
		func(l opponents.LAPACK, n int, x [][]float64, work []float64, _ []int32) int {
			return l.Dgeev(gonumlapack.LeftEVNone, gonumlapack.RightEVCompute, n, x[0], n, x[2], x[3], nil, 1, x[1], n, work)
		},
		eigenCompared,
	}
)

// eigenCompared returns the eigenvalues in order, the sum of the squares of all vectors, and A·V·1 -
// V·Λ·1, where Λ has a block [re im; -im re] for each pair.
func eigenCompared(n int, a []float64, x [][]float64) (all []float64) {
	v, re, im := x[1], x[2], x[3]
	order, sums, lengths := make([]int, n), slices.Clone(re), 0.0
	for j, b := range im {
		order[j] = j
		if b > 0 {
			sums[j], sums[j+1] = re[j]+b, re[j]-b
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(re[i], re[j]), cmp.Compare(im[i], im[j])) })
	for _, j := range order {
		all = append(all, re[j], im[j])
	}
	for _, e := range v {
		lengths += float64(e * e)
	}
	return append(append(all, lengths), minus(times(false, a, times(false, v, ones(n))), times(false, v, sums))...)
}

// prepare returns the problem of A of order n. LAPACK has Aᵀ by rows, which is A by columns, and its
// matrices are transposed before they are compared. Workspaces are made before a call.
func (d decomposition) prepare(_ string, n int, r source) *Problem {
	a := r.draw(n * n)
	problem := func(initial []float64, bind func(be blskernel.Backend, x [][]float64) func() error) *Problem {
		p := once(initial, func(be blskernel.Backend, x []float64) func() error { return bind(be, d.parts(n, x)) })
		p.out = make([]float64, d.matrices*n*n+d.lists*n)
		return p
	}
	p := problem(a, func(be blskernel.Backend, x [][]float64) func() error {
		l, work := lapack.Implementation{Backend: be}, make([]float64, 64*n)
		return func() error {
			if !d.own(l, n, x, work) {
				return errors.New("the algorithm does not converge")
			}
			return nil
		}
	})
	p.compared = func() []float64 { return d.compared(n, a, d.parts(n, slices.Clone(p.out))) }
	p.against = func(string) *Problem {
		q := problem(transposed(n, a), func(be blskernel.Backend, x [][]float64) func() error {
			work, iwork := make([]float64, n*(4*n+260)), make([]int32, 8*n+3) // enough for blocks
			return onLAPACK(be, func(l opponents.LAPACK) int { return d.theirs(l, n, x, work, iwork) })
		})
		q.compared = func() []float64 {
			x := d.parts(n, slices.Clone(q.out))
			for i := range d.matrices {
				x[i] = transposed(n, x[i])
			}
			return d.compared(n, a, x)
		}
		return q
	}
	return p
}

// parts splits x into its matrices and lists.
func (d decomposition) parts(n int, x []float64) (parts [][]float64) {
	for i := range d.matrices + d.lists {
		size := n
		if i < d.matrices {
			size *= n
		}
		parts, x = append(parts, x[:size:size]), x[size:]
	}
	return parts
}

func transposed(n int, a []float64) []float64 {
	t := make([]float64, len(a))
	for i := range a {
		t[i%n*n+i/n] = a[i]
	}
	return t
}

func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

// times returns A·x or Aᵀ·x.
func times(transpose bool, a, x []float64) []float64 {
	n := len(x)
	y := make([]float64, n)
	for i := range n {
		for j, e := range a[i*n : (i+1)*n] {
			if transpose {
				y[j] += float64(e * x[i])
			} else {
				y[i] += float64(e * x[j])
			}
		}
	}
	return y
}

// scaled overwrites x by its products with the elements of d, and minus by its differences to y.

func scaled(d, x []float64) []float64 {
	for i, v := range d {
		x[i] *= v
	}
	return x
}

func minus(x, y []float64) []float64 {
	for i, v := range y {
		x[i] -= v
	}
	return x
}
