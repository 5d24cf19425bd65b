package lapack

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
)

// syev calls Dsyev on the triangle ul of a, in an array with gaps and NaN in place of the other triangle,
// and returns the eigenvalues and what is in a then: what was, without vectors and where it fails.
func syev(t *testing.T, bk blskernel.Backend, job gonumlapack.EVJob, ul blas.Uplo, a *full) (w []float64, z *full, ok bool) {
	t.Helper()
	n := a.R
	h, w, work := hold(a, n+3, triangleOf(ul, false)), make([]float64, n), make([]float64, max(1, 3*n))
	before := slices.Clone(h.x)
	ok = Implementation{Backend: bk}.Dsyev(job, ul, n, h.x, h.ld, w, work, len(work))
	if (!ok || job == gonumlapack.EVNone) && !testmat.SameBits(h.x, before) {
		t.Error("Dsyev without vectors, or without success, changed a")
	}
	h.part = whole
	return w, h.after(t, "Dsyev"), ok
}

// checkSyev holds Dsyev of a to LAPACK's ratios, and its values without vectors to those with.
func checkSyev(t *testing.T, bk blskernel.Backend, ul blas.Uplo, name string, a *full) {
	t.Helper()
	w, z, ok := syev(t, bk, gonumlapack.EVCompute, ul, a)
	values, _, alone := syev(t, bk, gonumlapack.EVNone, ul, a)
	if !ok || !alone || !slices.IsSorted(w) || !slices.IsSorted(values) {
		t.Fatalf("%s: %v, %v, or not sorted", name, ok, alone)
	}
	checkRatio(t, name+": residual", testmat.EigenRatio(a, w, z))
	checkRatio(t, name+": orthogonality", testmat.OrthogonalRatio(z))
	for i, v := range w {
		checkRatio(t, name+": values alone", testmat.Over(math.Abs(v-values[i]), float64(a.R)*eps, a.Norm()))
	}
}

// LAPACK's ratios hold for all families, triangles, and orders about the block sizes.
func TestDsyev(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine, or in those of products")
	around := []int{31, 32, 33, 63, 64, 65, 66, 96, 97, 129}
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for k, f := range testmat.Eigen() {
			rng := testutil.Rand(uint64(k))
			for n := range 131 {
				if n > 6 && (n+k)%43 > 0 && !testutil.Long() && !(f.Name == "random" && slices.Contains(around, n)) {
					continue
				}
				ul := []blas.Uplo{blas.Upper, blas.Lower}[(n+k)%2]
				checkSyev(t, bk, ul, fmt.Sprintf("%s %c n=%d", f.Name, ul, n), f.Of(rng, n))
			}
			if k%3 == 0 || testutil.Long() {
				checkSyev(t, bk, blas.Upper, f.Name+" n=200", f.Of(rng, 200)) // three merges deep
			}
		}
	})
}

// A matrix with NaN or an infinity has no eigenvalues, and stays as it is; they are NaN.
func TestDsyevNotFinite(t *testing.T) {
	for _, n := range []int{2, 3, 50, 150} {
		testmat.NotFinite(testutil.Rand(uint64(n)), n, true, func(a *full) {
			for _, job := range []gonumlapack.EVJob{gonumlapack.EVNone, gonumlapack.EVCompute} {
				w, _, ok := syev(t, fastBLAS(t), job, blas.Upper, a)
				if ok || slices.ContainsFunc(w, func(v float64) bool { return v == v }) {
					t.Errorf("n=%d: %v, values %v", n, ok, w)
				}
			}
		})
	}
}

// The eigenvalues of a diagonal matrix are its elements to the bit, in order; those of a
// complete graph are known; and a block far smaller than the rest of the matrix keeps its digits.
func TestDsyevKnown(t *testing.T) {
	diagonal := []float64{3, -1e-290, 5e-324, 0, -7, 2e10, 1e-300}
	n := len(diagonal)
	w, z, ok := syev(t, fastBLAS(t), gonumlapack.EVCompute, blas.Lower, testmat.Sym(n, func(i, j int) float64 { return diagonal[i] * testmat.Unless(i != j) }))
	slices.Sort(diagonal)
	if !ok || !testmat.SameBits(w, diagonal) || testmat.OrthogonalRatio(z) != 0 {
		t.Errorf("%v, %v, want %v", w, ok, diagonal)
	}

	for _, m := range []float64{0x1.8p1023, 0x1p-1074} { // [0 m; m 0]
		w, _, ok = syev(t, fastBLAS(t), gonumlapack.EVNone, blas.Upper, testmat.Sym(2, func(i, j int) float64 { return m * testmat.Unless(i == j) }))
		if !ok || !(math.Abs(w[0]/m+1) <= 2*eps) || !(math.Abs(w[1]/m-1) <= 2*eps) {
			t.Errorf("eigenvalues %g, want %g and %g", w, -m, m)
		}
	}

	n = 90
	for _, scale := range []float64{1, 0x1p-1000, 0x1p-1070, 0x1p1015} {
		complete := testmat.Sym(n, func(i, j int) float64 { return scale * testmat.Unless(i == j) })
		w, _, ok = syev(t, fastBLAS(t), gonumlapack.EVNone, blas.Lower, complete)
		for i, v := range w {
			want := -scale
			if i == n-1 {
				want *= float64(1 - n)
			}
			if !ok || !(math.Abs(v-want) <= max(1e-14*float64(n)*scale, 0x1p-1074)) {
				t.Errorf("eigenvalue %d is %g, want %g", i, v, want)
			}
		}
	}

	const small = 0x1p-700
	blocks := testmat.Sym(4, func(i, j int) float64 {
		if i/2 != j/2 {
			return 0
		}
		return []float64{1, small}[i/2] * float64(1+i%2+j%2)
	})
	w, z, ok = syev(t, fastBLAS(t), gonumlapack.EVCompute, blas.Upper, blocks) // [1 2; 2 3] twice
	root := math.Sqrt(5)
	for i, want := range []float64{2 - root, (2 - root) * small, (2 + root) * small, 2 + root} {
		norm := []float64{5, 5 * small, 5 * small, 5}[i]
		if !ok || !(math.Abs(w[i]-want) <= 2*eps*norm) || !(testmat.OrthogonalRatio(z) <= 4) {
			t.Errorf("eigenvalue %d is %g, want %g, or the vectors are wrong", i, w[i], want)
		}
	}
}
