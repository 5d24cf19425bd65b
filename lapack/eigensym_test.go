package lapack

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
)

// syev calls Dsyev on a copy of the triangle ul of a, in an array with gaps and NaN in place of the
// other triangle, and returns the eigenvalues and what is in a then.
func syev(t *testing.T, bk blskernel.Backend, job gonumlapack.EVJob, ul blas.Uplo, a *full) (w []float64, z *full, ok bool) {
	t.Helper()
	n, lda := a.r, a.r+3
	triangle := newFull(n, n)
	for i := range n {
		for j := range n {
			if triangle.set(i, j, a.at(i, j)); (j < i) == (ul == blas.Upper) && i != j {
				triangle.set(i, j, math.NaN())
			}
		}
	}
	x, w, work := padded(triangle, lda), make([]float64, n), make([]float64, max(1, 3*n))
	ok = Implementation{Backend: bk}.Dsyev(job, ul, n, x, lda, w, work, len(work))
	z = unpadded(t, x, n, n, lda)
	if ok && job == gonumlapack.EVNone && !sameBits(z.x, triangle.x) {
		t.Error("Dsyev without vectors changed a")
	}
	return w, z, ok
}

// checkSyev holds Dsyev of a to LAPACK's ratios, and its values without vectors to those with.
func checkSyev(t *testing.T, bk blskernel.Backend, ul blas.Uplo, family string, a *full, ratios ratioTable) {
	t.Helper()
	n := a.r
	w, z, ok := syev(t, bk, gonumlapack.EVCompute, ul, a)
	values, _, alone := syev(t, bk, gonumlapack.EVNone, ul, a)
	if !ok || !alone || !slices.IsSorted(w) || !slices.IsSorted(values) {
		t.Fatalf("%s: n=%d: %v, %v, or not sorted", family, n, ok, alone)
	}
	ratios.check(t, family, "residual", n, eigenRatio(a, w, z), ratioBound)
	ratios.check(t, family, "orthogonality", n, orthogonalRatio(z), ratioBound)
	most := 0.0
	for i, v := range w {
		most = max(most, over(math.Abs(v-values[i]), float64(n)*eps, a.norm()))
	}
	ratios.check(t, family, "values", n, most, ratioBound)
}

// compareEigenSym compares the values of Dsyev with vectors and without, and Z Λ Zᵀ.
func compareEigenSym(t *testing.T, bk blskernel.Backend, rng *rand.Rand, most int) []result {
	n := 1 + order(rng, most)
	a := normal(true, constant(1))(rng, n)
	w, z, ok := syev(t, bk, gonumlapack.EVCompute, blas.Upper, a)
	values, _, alone := syev(t, bk, gonumlapack.EVNone, blas.Lower, a)
	if !ok || !alone {
		t.Fatalf("n=%d: %v, %v", n, ok, alone)
	}
	diagonal, tolerance := symFunc(n, func(i, j int) float64 { return w[i] * unless(i != j) }), between(n, 1, a)
	return []result{{"values", numbers(w...), tolerance}, {"values alone", numbers(values...), tolerance},
		{"Z Λ Zᵀ", z.mul(diagonal).mul(z.transpose()), tolerance}}
}

// LAPACK's ratios hold for all families, triangles, and orders about the block sizes.
func TestDsyev(t *testing.T) {
	onEach(t, func(t *testing.T, bk blskernel.Backend, ratios ratioTable) {
		for k, f := range eigenFamilies() {
			rng := testutil.Rand(uint64(k))
			for n := range 131 {
				if n > 6 && (n+k)%43 > 0 && !testutil.Long() && !(f.name == "random" && slices.Contains([]int{31, 32, 33, 63, 64, 65, 66, 96, 97, 129}, n)) {
					continue
				}
				ul := []blas.Uplo{blas.Upper, blas.Lower}[(n+k)%2]
				checkSyev(t, bk, ul, fmt.Sprintf("%s %c", f.name, ul), f.of(rng, n), ratios)
			}
			checkSyev(t, bk, blas.Upper, f.name, f.of(rng, 200), ratios) // three merges deep
		}
	})
}

// No bit depends on the number of threads.
func TestDsyevThreads(t *testing.T) {
	defer blskernel.SetThreads(0)
	for _, n := range []int{33, 300, 500} {
		a := normal(true, constant(1))(testutil.Rand(uint64(n)), n)
		var first, vectors []float64
		for _, threads := range []int{1, 2, 3} {
			blskernel.SetThreads(threads)
			w, z, ok := syev(t, fastBLAS(t), gonumlapack.EVCompute, blas.Upper, a)
			if threads == 1 {
				first, vectors = w, z.x
			}
			if !ok || !sameBits(w, first) || !sameBits(z.x, vectors) {
				t.Errorf("n=%d: %v, or other bits on %d threads", n, ok, threads)
			}
		}
	}
}

// A matrix with NaN or an infinity has no eigenvalues, and stays as it is; they are NaN.
func TestDsyevNotFinite(t *testing.T) {
	for _, n := range []int{2, 3, 50, 150} {
		notFinite(testutil.Rand(uint64(n)), n, true, func(a *full) {
			for _, job := range []gonumlapack.EVJob{gonumlapack.EVNone, gonumlapack.EVCompute} {
				x, w, work := slices.Clone(a.x), make([]float64, n), make([]float64, 3*n)
				ok := Implementation{Backend: fastBLAS(t)}.Dsyev(job, blas.Upper, n, x, n, w, work, len(work))
				if ok || !sameBits(x, a.x) || slices.ContainsFunc(w, func(v float64) bool { return v == v }) {
					t.Errorf("n=%d: %v, values %v, or the matrix changed", n, ok, w)
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
	w, z, ok := syev(t, fastBLAS(t), gonumlapack.EVCompute, blas.Lower, symFunc(n, func(i, j int) float64 { return diagonal[i] * unless(i != j) }))
	slices.Sort(diagonal)
	if !ok || !sameBits(w, diagonal) || orthogonalRatio(z) != 0 {
		t.Errorf("%v, %v, want %v", w, ok, diagonal)
	}

	for _, m := range []float64{0x1.8p1023, 0x1p-1074} { // [0 m; m 0]
		w, _, ok = syev(t, fastBLAS(t), gonumlapack.EVNone, blas.Upper, symFunc(2, func(i, j int) float64 { return m * unless(i == j) }))
		if !ok || !(math.Abs(w[0]/m+1) <= 2*eps) || !(math.Abs(w[1]/m-1) <= 2*eps) {
			t.Errorf("eigenvalues %g, want %g and %g", w, -m, m)
		}
	}

	n = 90
	for _, scale := range []float64{1, 0x1p-1000, 0x1p-1070, 0x1p1015} {
		complete := symFunc(n, func(i, j int) float64 { return scale * unless(i == j) })
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
	blocks := symFunc(4, func(i, j int) float64 {
		if i/2 != j/2 {
			return 0
		}
		return []float64{1, small}[i/2] * float64(1+i%2+j%2)
	})
	w, z, ok = syev(t, fastBLAS(t), gonumlapack.EVCompute, blas.Upper, blocks) // [1 2; 2 3] twice
	root := math.Sqrt(5)
	for i, want := range []float64{2 - root, (2 - root) * small, (2 + root) * small, 2 + root} {
		norm := []float64{5, 5 * small, 5 * small, 5}[i]
		if !ok || !(math.Abs(w[i]-want) <= 2*eps*norm) || !(orthogonalRatio(z) <= 4) {
			t.Errorf("eigenvalue %d is %g, want %g, or the vectors are wrong", i, w[i], want)
		}
	}
}
