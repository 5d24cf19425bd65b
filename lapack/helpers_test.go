package lapack

import (
	"errors"
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/backend"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/testmat"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	gonumblas "gonum.org/v1/gonum/blas/gonum"
)

const (
	eps        = testmat.Eps
	ratioBound = testmat.Bound
)

// full is the plain matrix that references compute with.
type full = testmat.Matrix

// A size is an order and the block size at which it is tested; 0 is the block size in use.
type size struct{ n, nb int }

// sizes returns every order up to 40 with small blocks, and orders around the block sizes in use.
func sizes() []size {
	var s []size
	for n := 0; n <= 40; n++ {
		s = append(s, size{n, 2 + n%7}, size{n, 0})
	}
	for _, n := range []int{47, 48, 49, 63, 64, 65, 95, 97, 127, 128, 129, 150, 200} {
		s = append(s, size{n, 0})
	}
	return append(s, size{150, 17}, size{200, 32})
}

func useBLAS(t *testing.T, bk blas.Float64) {
	before := blas64.Implementation()
	blas64.Use(bk)
	t.Cleanup(func() { blas64.Use(before) })
}

// fastBLAS returns the backend pure on its fastest kernel.
func fastBLAS(t testing.TB) blskernel.Backend {
	bk, err := blskernel.Lookup("pure")
	testutil.NoError(t, err)
	return bk
}

// A gonumBackend is gonum's BLAS alone, in Go: what all backends are compared with.
type gonumBackend struct{ gonumblas.Implementation }

func (gonumBackend) Name() string { return "gonum" }

// symOf returns the packed matrix with the upper triangle of a.
func symOf(a *full) *mat.SymPacked {
	s := mat.NewSymPacked(a.R, nil)
	for i := range a.R {
		for j := i; j < a.R; j++ {
			s.SetSym(i, j, a.At(i, j))
		}
	}
	return s
}

// perhaps returns a, or the magnitudes of its elements.
func perhaps(abs bool, a *full) *full {
	if abs {
		return a.Abs()
	}
	return a
}

// A held is a matrix in storage with gaps.
type held = testmat.Held

var hold, whole, triangleOf = testmat.Hold, testmat.Whole, testmat.TriangleOf

// newGuarded holds a triangle with the elements at(i, j).
func newGuarded(ul blas.Uplo, n, lda int, unit bool, at func(i, j int) float64) *held {
	return hold(testmat.Func(n, n, at), lda, triangleOf(ul, unit))
}

// nans returns n elements of NaN, and at least one.
func nans(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, max(1, n)) }

// wide returns a copy of a as a view with gaps between rows, and a check that they do not change.
func wide(t testing.TB, a *full) (*mat.Dense, func()) {
	h := hold(a, a.C+3, whole)
	return h.View(), func() { t.Helper(); h.Check(t, "view") }
}

// checkInverse tests ‖I - A X‖ <= 30 n eps ‖A‖ ‖X‖.
func checkInverse(t *testing.T, name string, a, x *full) {
	t.Helper()
	checkRatio(t, name+": ‖I - A X‖/(n ‖A‖ ‖X‖ eps)", testmat.InverseRatio(a, x))
}

// checkSolution tests ‖B - A X‖ <= 30 n eps ‖A‖ ‖X‖, column by column.
func checkSolution(t *testing.T, name string, a, x, b *full) {
	t.Helper()
	checkRatio(t, name+": ‖b - A x‖/(n ‖A‖ ‖x‖ eps) in a column", testmat.ResidualRatio(a, x, b))
}

// checkRatio tests that one of LAPACK's ratios is at most 30.
func checkRatio(t *testing.T, name string, ratio float64) {
	t.Helper()
	if !(ratio <= ratioBound) {
		t.Errorf("%s = %.3g", name, ratio)
	}
}

// checkRCond tests an estimate against the condition number by an explicit inverse, where that is right
// to a few digits, and elsewhere that it is small. The estimate of ‖A⁻¹‖ is a lower bound but for
// rounding in the solves and in the inverse, relative errors of at most c*n*eps*cond; it is less than a
// tenth of the norm only for matrices made for the purpose.
func checkRCond(t *testing.T, name string, got float64, a, inv *full) {
	t.Helper()
	want, tol := 1.0, 0.0
	if a.R > 0 {
		want = 1 / a.Norm() / inv.Norm()
		tol = 10 * float64(a.R) * eps / want
	}
	good := got >= want*(1-tol) && got <= 10*want*(1+tol)
	if a.R == 0 {
		good = got == 1
	} else if !(want > 1e-11) {
		good = got >= 0 && got < 1e-9
	}
	if !good {
		t.Errorf("%s: RCond = %.6g, true %.6g", name, got, want)
	}
}

// wantPivot tests that err is a *PivotError of the given kind and index.
func wantPivot(t *testing.T, name string, err, kind error, index int) {
	t.Helper()
	wantPivotIn(t, name, err, kind, index, index, math.NaN())
}

// wantElement tests that err is an *ElementError of the given kind and position.
func wantElement(t *testing.T, name string, err, kind error, i, j int) {
	t.Helper()
	var e *ElementError
	if !errors.As(err, &e) || !errors.Is(err, kind) || e.Row != i || e.Col != j {
		t.Errorf("%s: error %v, want %v at (%d, %d)", name, err, kind, i, j)
	}
}

// A journal is a Recorder that notes routines and cannot compute: inner calls go to what Begin returns.
type journal struct {
	blas.Float64
	inner    blskernel.Backend
	routines []backend.Routine
}

func (j *journal) Name() string { return "journal" }

func (j *journal) Begin(r backend.Routine) blskernel.Backend {
	j.routines = append(j.routines, r)
	return j.inner
}
