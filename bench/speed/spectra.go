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
	"gonum.org/v1/gonum/mat"
)

// A decomposition is a routine of lapack.Implementation for a matrix A of order n, and its counterpart
// in LAPACK. x holds matrices of order n, the first of which is A, and then lists of n numbers; the
// routine overwrites them all.
type decomposition struct {
	matrices, lists int
	own             func(l lapack.Implementation, n int, x [][]float64, work []float64) (ok bool)
	theirs          func(l opponents.LAPACK, n int, x [][]float64, work []float64, iwork []int32) (info int)
	// compared returns the numbers on which all implementations agree, computed from A and x.
	// Vectors agree up to signs.
	compared func(n int, a []float64, x [][]float64) []float64
}

var decompositions = []Case{
	{"qr", "", []string{"dgeqrf"}, 4. / 3, 3, decomposition{
		1, 1,
		func(l lapack.Implementation, n int, x [][]float64, work []float64) bool {
			l.Dgeqrf(n, n, x[0], n, x[1], work, len(work))
			return true
		},
		func(l opponents.LAPACK, n int, x [][]float64, work []float64, _ []int32) int {
			return l.Dgeqrf(n, n, x[0], n, x[1], work)
		},
		func(n int, _ []float64, x [][]float64) (all []float64) { // |diagonal of R|, RᵀR·1 = AᵀA·1
			r := mat.NewTriDense(n, mat.Upper, x[0])
			for i := range n {
				all = append(all, math.Abs(r.At(i, i)))
			}
			return append(all, times(r.T(), times(r, ones(n))).RawVector().Data...)
		},
	}.prepare},
	{"eigensym", "", []string{"dsyevd"}, 9, 3, decomposition{
		1, 1,
		func(l lapack.Implementation, n int, x [][]float64, work []float64) bool {
			return l.Dsyev(gonumlapack.EVCompute, blas.Upper, n, x[0], n, x[1], work, len(work))
		},
		func(l opponents.LAPACK, n int, x [][]float64, work []float64, iwork []int32) int {
			return l.Dsyevd(gonumlapack.EVCompute, blas.Upper, n, x[0], n, x[1], work, iwork)
		},
		func(n int, _ []float64, x [][]float64) []float64 {
			v := mat.NewDense(n, n, x[0])
			return spectral(x[1], v, v.T())
		},
	}.prepare},
	{"svd", "", []string{"dgesdd"}, 22, 3, decomposition{
		3, 1,
		func(l lapack.Implementation, n int, x [][]float64, work []float64) bool {
			return l.Dgesvd(gonumlapack.SVDStore, gonumlapack.SVDStore, n, n, x[0], n, x[3], x[1], n, x[2], n, work, len(work))
		},
		func(l opponents.LAPACK, n int, x [][]float64, work []float64, iwork []int32) int {
			return l.Dgesdd(gonumlapack.SVDStore, n, n, x[0], n, x[3], x[1], n, x[2], n, work, iwork)
		},
		func(n int, _ []float64, x [][]float64) []float64 {
			return spectral(x[3], mat.NewDense(n, n, x[1]), mat.NewDense(n, n, x[2]))
		},
	}.prepare},
	{"eigen", "", []string{"dgeev"}, 25, 3, decomposition{
		2, 2,
		func(l lapack.Implementation, n int, x [][]float64, work []float64) bool {
			return l.Dgeev(gonumlapack.LeftEVNone, gonumlapack.RightEVCompute, n, x[0], n, x[2], x[3], nil, 1, x[1], n, work, len(work)) == 0
		},
		func(l opponents.LAPACK, n int, x [][]float64, work []float64, _ []int32) int {
			return l.Dgeev(gonumlapack.LeftEVNone, gonumlapack.RightEVCompute, n, x[0], n, x[2], x[3], nil, 1, x[1], n, work)
		},
		eigenCompared,
	}.prepare},
}

// eigenCompared returns the eigenvalues in order, the squared Frobenius norm of V, and A·V·1 - V·Λ·1,
// where Λ has a block [re im; -im re] for each pair.
func eigenCompared(n int, a []float64, x [][]float64) (all []float64) {
	v, re, im := mat.NewDense(n, n, x[1]), x[2], x[3]
	order, sums := make([]int, n), slices.Clone(re)
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
	residual := times(mat.NewDense(n, n, a), times(v, ones(n)))
	residual.SubVec(residual, times(v, mat.NewVecDense(n, sums)))
	length := mat.Norm(v, 2)
	return append(append(all, length*length), residual.RawVector().Data...)
}

// prepare returns the problem of A of order n. LAPACK gets Aᵀ by rows, which is A by columns, and its
// matrices are transposed before they are compared. Workspaces are allocated before the calls.
func (d decomposition) prepare(_ string, n int, r source) *Problem {
	a, room := r.draw(n*n), (d.matrices-1)*n*n+d.lists*n
	p := once(a, room, func(be blskernel.Backend, x []float64) func() error {
		l, work := lapack.Implementation{Backend: be}, make([]float64, 64*n)
		return func() error {
			if !d.own(l, n, d.parts(n, x), work) {
				return errors.New("the algorithm did not converge")
			}
			return nil
		}
	})
	p.compared = func() []float64 { return d.compared(n, a, d.parts(n, slices.Clone(p.out))) }
	p.against = func(string) *Problem {
		work, iwork := make([]float64, n*(4*n+260)), make([]int32, 8*n+3) // enough for the blocked algorithms
		q := byLAPACK(transposed(n, a), room, func(l opponents.LAPACK, x []float64) int {
			return d.theirs(l, n, d.parts(n, x), work, iwork)
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
	return mat.DenseCopyOf(mat.NewDense(n, n, a).T()).RawMatrix().Data
}

func ones(n int) *mat.VecDense { return mat.NewVecDense(n, slices.Repeat([]float64{1}, n)) }

func times(a mat.Matrix, x mat.Vector) *mat.VecDense {
	y := new(mat.VecDense)
	y.MulVec(a, x)
	return y
}

// spectral returns the numbers s and the vector U·diag(s)·Vᵀ·1, in which the signs of vectors cancel.
func spectral(s []float64, u, vt mat.Matrix) []float64 {
	n := len(s)
	x := times(vt, ones(n))
	x.MulElemVec(x, mat.NewVecDense(n, s))
	return append(slices.Clone(s), times(u, x).RawVector().Data...)
}
