package openblas_test

import (
	"math"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/openblas/opponents"
	"blskernel/internal/testutil"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// needLAPACK returns the LAPACK of the backend openblas.
func needLAPACK(t *testing.T) opponents.LAPACK {
	t.Helper()
	b, err := blskernel.Lookup("openblas")
	if err != nil {
		t.Skip(err)
	}
	l, err := opponents.Of(b)
	if err != nil {
		t.Skip(err)
	}
	return l
}

// columns is a matrix by columns with two elements between one column and the next.
type columns struct {
	m, n, ld int
	data     []float64
}

// between are those elements.
const between = 12345.0

func newColumns(a mat.Matrix) columns {
	m, n := a.Dims()
	c := columns{m, n, m + 2, make([]float64, max(0, (n-1)*(m+2)+m))}
	for i := range c.data {
		c.data[i] = between
	}
	for j := range n {
		for i := range m {
			c.data[i+j*c.ld] = a.At(i, j)
		}
	}
	return c
}

// columns are a mat.Matrix.

func (c columns) Dims() (m, n int)    { return c.m, c.n }
func (c columns) At(i, j int) float64 { return c.data[i+j*c.ld] }
func (c columns) T() mat.Matrix       { return mat.Transpose{Matrix: c} }

// intact reports whether what stands between the columns is untouched.
func (c columns) intact() bool {
	for k, v := range c.data {
		if k%c.ld >= c.m && v != between {
			return false
		}
	}
	return true
}

// checkResidual requires that ‖A·X - C‖ is within the threshold of LAPACK's own tests of factorizations
// and inverses, 30n·eps·‖A‖·‖X‖, n the largest dimension ("LAPACK Working Note 41: Installation Guide",
// section 7), which is taken for solutions too. The product that finds it adds less than
// n·eps·‖A‖·‖X‖.
func checkResidual(t *testing.T, routine string, a, x, c mat.Matrix) {
	t.Helper()
	var r mat.Dense
	r.Mul(a, x)
	r.Sub(&r, c)
	m, k := a.Dims()
	bound := 31 * float64(max(m, k)) * 0x1p-52 * mat.Norm(a, math.Inf(1)) * mat.Norm(x, math.Inf(1))
	if got := mat.Norm(&r, math.Inf(1)); !(got <= bound) {
		t.Errorf("%s %d×%d: residual %g, want at most %g", routine, m, k, got, bound)
	}
}

// part returns the elements of a for which at returns true, and v for the others.
func part(a mat.Matrix, v float64, at func(i, j int) bool) *mat.Dense {
	m, n := a.Dims()
	p := mat.NewDense(m, n, nil)
	p.Apply(func(i, j int, x float64) float64 {
		if at(i, j) {
			return x
		}
		return v
	}, a)
	return p
}

// inTriangle reports whether an element is in a triangle, the diagonal included.
func inTriangle(ul blas.Uplo) func(i, j int) bool {
	return func(i, j int) bool { return i == j || i < j == (ul == blas.Upper) }
}

// half is a with NaN in the triangle that a routine must not read.
func half(ul blas.Uplo, a mat.Matrix) columns { return newColumns(part(a, math.NaN(), inTriangle(ul))) }

// mirrored returns the symmetric matrix of which a has one triangle, with NaN in the other, and fails
// the test if that or the elements between the columns were written.
func mirrored(t *testing.T, routine string, ul blas.Uplo, a columns) *mat.Dense {
	t.Helper()
	kept := inTriangle(ul)
	s := mat.NewDense(a.n, a.n, nil)
	for i := range a.n {
		for j := range a.n {
			if kept(i, j) {
				s.Set(i, j, a.At(i, j))
				s.Set(j, i, a.At(i, j))
			} else if !math.IsNaN(a.At(i, j)) {
				t.Fatalf("%s %c %d writes element %d, %d", routine, ul, a.n, i, j)
			}
		}
	}
	if !a.intact() {
		t.Errorf("%s %c %d writes between the columns", routine, ul, a.n)
	}
	return s
}

// lapackSizes are small and odd, and for the blocked codes beyond one block of 64.
var lapackSizes = []int{1, 2, 3, 5, 13, 33, 70, 131}

var bothTriangles = []blas.Uplo{blas.Upper, blas.Lower}

func identity(n int) *mat.Dense {
	d := mat.NewDense(n, n, nil)
	for i := range n {
		d.Set(i, i, 1)
	}
	return d
}

// symmetric returns a random symmetric matrix with shift added to its diagonal.
func symmetric(n int, shift float64) *mat.Dense {
	a := testutil.Random(testutil.Rand(uint64(n)), n, n)
	a.Add(mat.DenseCopyOf(a), a.T())
	for i := range n {
		a.Set(i, i, a.At(i, i)+shift)
	}
	return a
}
