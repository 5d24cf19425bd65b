package lapack

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	gonumlapack "gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
	gonummat "gonum.org/v1/gonum/mat"
)

// useBLAS makes gonum use bk for the time of the test.
func useBLAS(t *testing.T, bk blas.Float64) {
	before := blas64.Implementation()
	blas64.Use(bk)
	t.Cleanup(func() { blas64.Use(before) })
}

func fastBLAS(t *testing.T) blskernel.Backend {
	bk, err := blskernel.Lookup("pure")
	if err != nil {
		t.Fatal(err)
	}
	return bk
}

// The texts of panics and their order are gonum's, and so are the answers for empty matrices.
func TestImplementationArguments(t *testing.T) {
	sizes := []int{-1, 0, 2, 150}
	lds := []int{-1, 0, 1, 2, 3, 150, 151}
	lengths := []int{0, 1, 5, 151*149 + 149, 151 * 150}
	zeros, ints := make([]float64, 64*150+151*150), make([]int, 151)
	uplos := []blas.Uplo{blas.Upper, blas.Lower, 'x'}
	diags := []blas.Diag{blas.NonUnit, blas.Unit, 'x'}
	transposes := []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans, 'x'}
	rng := rand.New(rand.NewPCG(229, 2))
	pick := func(s []int) int { return s[rng.IntN(len(s))] }
	seen := map[any]int{}
	for range 6000 {
		ul, d, tr := uplos[rng.IntN(3)], diags[rng.IntN(3)], transposes[rng.IntN(4)]
		m, n, nrhs, lda, ldb, lwork := pick(sizes), pick(sizes), pick(sizes), pick(lds), pick(lds), pick([]int{-2, -1, 0, 1, 2, 150, 9600})
		a, b := zeros[:pick(lengths)], zeros[:pick(lengths)]
		ipiv, work := ints[:pick([]int{0, 2, 150, 151})], make([]float64, pick([]int{0, 1, 2, 150, 9600}))
		for i := range ipiv {
			ipiv[i] = i
		}
		for name, f := range map[string]func(impl gonumlapack.Float64) any{
			"Dpotrf": func(impl gonumlapack.Float64) any { return impl.Dpotrf(ul, n, a, lda) },
			"Dpotri": func(impl gonumlapack.Float64) any { return impl.Dpotri(ul, n, a, lda) },
			"Dpotrs": func(impl gonumlapack.Float64) any { impl.Dpotrs(ul, n, nrhs, a, lda, b, ldb); return nil },
			"Dgetrf": func(impl gonumlapack.Float64) any { return impl.Dgetrf(m, n, a, lda, ipiv) },
			"Dgetri": func(impl gonumlapack.Float64) any { return impl.Dgetri(n, a, lda, ipiv, work, lwork) },
			"Dgetrs": func(impl gonumlapack.Float64) any { impl.Dgetrs(tr, n, nrhs, a, lda, ipiv, b, ldb); return nil },
			"Dorgqr": func(impl gonumlapack.Float64) any {
				impl.Dorgqr(m, n, nrhs, a, lda, b[:min(len(b), len(ipiv))], work, lwork)
				return nil
			},
			"Dtrtri": func(impl gonumlapack.Float64) any { return impl.Dtrtri(ul, d, n, a, lda) },
			"Dtrtrs": func(impl gonumlapack.Float64) any { return impl.Dtrtrs(ul, tr, d, n, nrhs, a, lda, b, ldb) },
		} {
			result := func(impl gonumlapack.Float64) (r any) {
				defer func() {
					if p := recover(); p != nil {
						r = p
					}
					clear(zeros)
				}()
				return f(impl)
			}
			if _, isText := result(gonum.Implementation{}).(string); !isText && n > 2 {
				continue // which would only be slow
			}
			want, got := result(gonum.Implementation{}), result(Implementation{Backend: fastBLAS(t)})
			if _, isText := want.(string); isText && rng.IntN(16) == 0 {
				checkNothingWritten(t, name, f, zeros, ints, work)
			}
			if got != want {
				t.Fatalf("%s(ul %c, trans %c, diag %c, m %d, n %d, nrhs %d, lda %d, ldb %d, lwork %d, len(a) %d, len(b) %d, len(ipiv) %d, len(work) %d): %v, gonum %v",
					name, ul, tr, d, m, n, nrhs, lda, ldb, lwork, len(a), len(b), len(ipiv), len(work), got, want)
			}
			seen[want]++
		}
	}
	if len(seen) < 15 {
		t.Errorf("only these outcomes: %v", seen)
	}
}

// A workspace of any legal length gives the inverse, and the length that is asked for is legal.
func TestImplementationDgetriWork(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		impl := Implementation{Backend: bk}
		rng := testutil.Rand(233)
		for _, n := range []int{1, 13, 20, 65, 130} {
			a := randomFull(rng, n, n)
			query := make([]float64, 1)
			impl.Dgetri(n, nil, n, nil, query, -1)
			for _, lwork := range []int{n, 3*n - 1, 17 * n, int(query[0])} {
				if lwork < n {
					t.Fatalf("n = %d: asks for a workspace of %d", n, lwork)
				}
				x, ipiv := newFull(n, n), make([]int, n)
				copy(x.x, a.x)
				impl.Dgetrf(n, n, x.x, n, ipiv)
				work := make([]float64, lwork)
				if !impl.Dgetri(n, x.x, n, ipiv, work, lwork) {
					t.Fatalf("n = %d: singular", n)
				}
				// The left residual is the small one.
				checkInverse(t, fmt.Sprintf("n = %d, lwork = %d", n, lwork), x, a)
				if work[0] < float64(n) {
					t.Errorf("n = %d: recommends a workspace of %v", n, work[0])
				}
			}
		}
	})
}

// gonum's matrices work on it.
func TestImplementationMat(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		useBLAS(t, bk)
		lapack64.Use(Implementation{Backend: bk})
		defer lapack64.Use(gonum.Implementation{})
		const n = 150
		rng := testutil.Rand(239)
		spd := fullOf(spdOf(rng, n))
		sym := gonummat.NewSymDense(n, append([]float64(nil), spd.x...))
		b := randomFull(rng, n, 3)
		var c gonummat.Cholesky
		var inverse gonummat.SymDense
		var x gonummat.Dense
		if !c.Factorize(sym) {
			t.Fatal("not positive definite")
		}
		if err := c.InverseTo(&inverse); err != nil {
			t.Fatal(err)
		}
		checkInverse(t, "Cholesky", spd, fullOf(&inverse))
		if err := c.SolveTo(&x, b.dense()); err != nil {
			t.Fatal(err)
		}
		checkSolution(t, "Cholesky", spd, fullOf(&x), b)
		a := randomFull(rng, n, n)
		var lu gonummat.LU
		lu.Factorize(a.dense())
		x.Reset()
		if err := lu.SolveTo(&x, false, b.dense()); err != nil {
			t.Fatal(err)
		}
		checkSolution(t, "LU", a, fullOf(&x), b)
		var inv gonummat.Dense
		if err := inv.Inverse(a.dense()); err != nil {
			t.Fatal(err)
		}
		checkInverse(t, "Dense", fullOf(&inv), a)
		// A singular matrix has a determinant of zero, for which the factors have to be
		// complete.
		for i := range n {
			a.set(i, n/2, 0)
		}
		lu.Factorize(a.dense())
		if det := lu.Det(); det != 0 {
			t.Errorf("determinant of a singular matrix: %v", det)
		}
	})
}
