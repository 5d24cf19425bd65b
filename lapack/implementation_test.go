package lapack

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/testlapack"
)

// The texts of panics and their order are gonum's, and so are the answers for empty matrices.
func TestImplementationArguments(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	sizes := []int{-1, 0, 2, 150}
	lds := []int{-1, 0, 1, 2, 3, 150, 151}
	lengths := []int{0, 1, 5, 151*149 + 149, 151 * 150}
	zeros, ints := make([]float64, 64*150+151*150), make([]int, 151)
	left, right := slices.Clone(zeros), slices.Clone(zeros)
	jobs := []gonumlapack.SVDJob{gonumlapack.SVDAll, gonumlapack.SVDStore, gonumlapack.SVDNone, gonumlapack.SVDOverwrite, 'x'}
	uplos := []blas.Uplo{blas.Upper, blas.Lower, 'x'}
	diags := []blas.Diag{blas.NonUnit, blas.Unit, 'x'}
	transposes := []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans, 'x'}
	rng := rand.New(rand.NewPCG(229, 2))
	pick := func(s []int) int { return s[rng.IntN(len(s))] }
	seen := map[any]int{}
	rounds := 1500
	if testutil.Long() {
		rounds = 6000
	}
	for range rounds {
		ul, d, tr := uplos[rng.IntN(3)], diags[rng.IntN(3)], transposes[rng.IntN(4)]
		m, n, nrhs, lda, ldb, lwork := pick(sizes), pick(sizes), pick(sizes), pick(lds), pick(lds), pick([]int{-2, -1, 0, 1, 2, 150, 9600})
		a, b := zeros[:pick(lengths)], zeros[:pick(lengths)]
		jobU, jobVT, values := jobs[rng.IntN(5)], jobs[rng.IntN(5)], make([]float64, 2*rng.IntN(2))
		job := []gonumlapack.EVJob{gonumlapack.EVNone, gonumlapack.EVCompute, 'x'}[rng.IntN(3)]
		ipiv, work := ints[:pick([]int{0, 2, 150, 151})], make([]float64, pick([]int{0, 1, 2, 150, 9600}))
		for i := range ipiv {
			ipiv[i] = i
		}
		wr, jobvl, jobvr := make([]float64, len(ipiv)), "NVx"[rng.IntN(3)], "VNx"[rng.IntN(3)]
		side := []blas.Side{blas.Left, blas.Right, 'x'}[rng.IntN(3)]
		norm := []gonumlapack.MatrixNorm{gonumlapack.MaxColumnSum, gonumlapack.MaxRowSum, 'x'}[rng.IntN(3)]
		anorm := []float64{-1, 0, 1, math.Inf(1)}[rng.IntN(4)]
		k, tau := nrhs, right[:len(ipiv)]
		calls := map[string]func(impl gonumlapack.Float64) any{
			"Dgeqrf": func(impl gonumlapack.Float64) any { impl.Dgeqrf(m, n, a, lda, tau, work, lwork); return nil },
			"Dgelqf": func(impl gonumlapack.Float64) any { impl.Dgelqf(m, n, a, lda, tau, work, lwork); return nil },
			"Dorgqr": func(impl gonumlapack.Float64) any { impl.Dorgqr(m, n, k, a, lda, tau, work, lwork); return nil },
			"Dorglq": func(impl gonumlapack.Float64) any { impl.Dorglq(m, n, k, a, lda, tau, work, lwork); return nil },
			"Dormqr": func(impl gonumlapack.Float64) any {
				impl.Dormqr(side, tr, m, n, k, a, lda, tau, b, ldb, work, lwork)
				return nil
			},
			"Dormlq": func(impl gonumlapack.Float64) any {
				impl.Dormlq(side, tr, m, n, k, a, lda, tau, b, ldb, work, lwork)
				return nil
			},
			"Dgels":  func(impl gonumlapack.Float64) any { return impl.Dgels(tr, m, n, nrhs, a, lda, b, ldb, work, lwork) },
			"Dpotrf": func(impl gonumlapack.Float64) any { return impl.Dpotrf(ul, n, a, lda) },
			"Dpotri": func(impl gonumlapack.Float64) any { return impl.Dpotri(ul, n, a, lda) },
			"Dpotrs": func(impl gonumlapack.Float64) any { impl.Dpotrs(ul, n, nrhs, a, lda, b, ldb); return nil },
			"Dgetrf": func(impl gonumlapack.Float64) any { return impl.Dgetrf(m, n, a, lda, ipiv) },
			"Dgetri": func(impl gonumlapack.Float64) any { return impl.Dgetri(n, a, lda, ipiv, work, lwork) },
			"Dgetrs": func(impl gonumlapack.Float64) any { impl.Dgetrs(tr, n, nrhs, a, lda, ipiv, b, ldb); return nil },
			"Dgesvd": func(impl gonumlapack.Float64) any {
				return impl.Dgesvd(jobU, jobVT, m, n, a, lda, values, left[:len(b)], ldb, right[:len(a)], nrhs, work, lwork)
			},
			"Dsyev": func(impl gonumlapack.Float64) any { return impl.Dsyev(job, ul, n, a, lda, b, work, lwork) },
			"Dgeev": func(impl gonumlapack.Float64) any {
				return impl.Dgeev(gonumlapack.LeftEVJob(jobvl), gonumlapack.RightEVJob(jobvr), n, a, lda, wr, slices.Clone(wr), b, ldb, slices.Clone(b), ldb, work, lwork)
			},
			"Dgecon": func(impl gonumlapack.Float64) any { return impl.Dgecon(norm, n, a, lda, anorm, work, ipiv) },
			"Dpocon": func(impl gonumlapack.Float64) any { return impl.Dpocon(ul, n, a, lda, anorm, work, ipiv) },
			"Dtrcon": func(impl gonumlapack.Float64) any { return impl.Dtrcon(norm, ul, d, n, a, lda, work, ipiv) },
			"Dtrtri": func(impl gonumlapack.Float64) any { return impl.Dtrtri(ul, d, n, a, lda) },
			"Dtrtrs": func(impl gonumlapack.Float64) any { return impl.Dtrtrs(ul, tr, d, n, nrhs, a, lda, b, ldb) },
		}
		for _, name := range slices.Sorted(maps.Keys(calls)) {
			f := calls[name]
			result := func(impl gonumlapack.Float64) (r any) {
				defer func() {
					if p := recover(); p != nil {
						r = p
					}
					clear(zeros)
				}()
				return f(impl)
			}
			want := result(gonum.Implementation{})
			_, isText := want.(string)
			if _, beyond := want.(runtime.Error); beyond || !isText && n > 2 {
				continue // where gonum's checks have a gap, and what would only be slow
			}
			got := result(Implementation{Backend: fastBLAS(t)})
			if isText && rng.IntN(16) == 0 {
				for i := range zeros {
					zeros[i] = float64(i + 1)
				}
				copy(work, zeros)
				before, order, left := slices.Clone(zeros), slices.Clone(ipiv), slices.Clone(work)
				if testutil.PanicValue(func() { f(Implementation{Backend: fastBLAS(t)}) }) == nil ||
					!slices.Equal(zeros, before) || !slices.Equal(ipiv, order) || !slices.Equal(work, left) {
					t.Errorf("%s: no panic, or something was written before it", name)
				}
				clear(zeros)
				clear(work)
			}
			if got != want {
				t.Fatalf("%s(side %c, ul %c, trans %c, diag %c, norm %c, anorm %v, m %d, n %d, nrhs or k %d, lda %d, ldb %d, lwork %d, "+
					"len(a) %d, len(b) %d, len(ipiv) %d, len(work) %d): %v, gonum %v",
					name, side, ul, tr, d, norm, anorm, m, n, nrhs, lda, ldb, lwork, len(a), len(b), len(ipiv), len(work), got, want)
			}
			seen[want]++
		}
	}
	if len(seen) < 15 {
		t.Errorf("only these outcomes: %v", seen)
	}
}

// checkDgetrf factorizes a copy of a and checks P L U against a, ‖A - P L U‖ <= 30 max(m, n) eps ‖A‖,
// and that ok says whether U has a zero on its diagonal.
func checkDgetrf(t *testing.T, name string, impl gonumlapack.Float64, a *full) {
	t.Helper()
	m, n := a.R, a.C
	k := min(m, n)
	h, ipiv := hold(a, n+3, whole), make([]int, k)
	ok := impl.Dgetrf(m, n, h.x, h.ld, ipiv)
	lu := h.after(t, name)
	u := lu.Part(0, 0, k, n).Upper(0)
	l := testmat.Func(m, k, func(i, j int) float64 {
		if v := lu.At(i, j); j >= i {
			return testmat.Unless(i != j)
		} else if !(math.Abs(v) <= 1) {
			t.Fatalf("%s: l(%d, %d) = %v", name, i, j, v)
		}
		return lu.At(i, j)
	})
	zero := false
	for i := range k {
		zero = zero || u.At(i, i) == 0
	}
	if ok == zero {
		t.Errorf("%s: ok = %v, a zero on the diagonal: %v", name, ok, zero)
	}
	p := l.Mul(u)
	for i := k - 1; i >= 0; i-- {
		if ipiv[i] < i || ipiv[i] >= m {
			t.Fatalf("%s: ipiv[%d] = %d", name, i, ipiv[i])
		}
		p.SwapRows(i, ipiv[i])
	}
	checkRatio(t, name+": ‖A - P L U‖/(n ‖A‖ eps)", testmat.Over(a.Sub(p).Norm(), float64(max(m, n))*eps, a.Norm()))
}

// Wide, square and tall matrices of full rank, and singular ones: the factors are complete all the
// same, as gonum's are.
func TestDgetrf(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		impl := Implementation{Backend: bk}
		rng := testutil.Rand(211)
		for _, s := range [][2]int{{1, 1}, {5, 9}, {96, 96}, {97, 130}, {130, 97}, {150, 150}, {128, 260}, {200, 130}} {
			m, n := s[0], s[1]
			a := testmat.Random(rng, m, n)
			name := fmt.Sprintf("%d×%d", m, n)
			checkDgetrf(t, name, impl, a)
			// Column j is zero, so is all of A, and columns j and j+1 are the same, to the
			// bit in the elimination too.
			for _, j := range []int{0, min(m, n) / 2, min(m, n) - 1} {
				b := a.Weigh(func(_, column int) float64 { return testmat.Unless(column == j) })
				checkDgetrf(t, fmt.Sprintf("%s column %d = 0", name, j), impl, b)
				if j+1 < n {
					for i := range m {
						b.Set(i, j, b.At(i, j+1))
					}
					checkDgetrf(t, fmt.Sprintf("%s columns %d = %d", name, j, j+1), impl, b)
				}
			}
			checkDgetrf(t, name+" zero", impl, testmat.New(m, n))
		}
	})
}

// A zero on the diagonal of a triangle, or of U, is found, and nothing is written.
func TestImplementationSingular(t *testing.T) {
	impl := Implementation{Backend: fastBLAS(t)}
	rng := testutil.Rand(223)
	for _, n := range []int{3, 20, 150} {
		for _, at := range []int{0, n / 2, n - 1} {
			a := testmat.Random(rng, n, n)
			a.Set(at, at, 0)
			b := testmat.Random(rng, n, 2)
			ipiv := make([]int, n)
			for i := range ipiv {
				ipiv[i] = i
			}
			got, rhs := append([]float64(nil), a.X...), append([]float64(nil), b.X...)
			for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
				if impl.Dpotri(ul, n, got, n) || impl.Dtrtri(ul, blas.NonUnit, n, got, n) ||
					impl.Dtrtrs(ul, blas.Trans, blas.NonUnit, n, 2, got, n, rhs, 2) {
					t.Errorf("n = %d: zero %d on the diagonal not found", n, at)
				}
			}
			if impl.Dgetri(n, got, n, ipiv, make([]float64, n), n) {
				t.Errorf("n = %d: zero %d on the diagonal of U not found", n, at)
			}
			if !testmat.SameBits(got, a.X) || !testmat.SameBits(rhs, b.X) {
				t.Errorf("n = %d: an operand was changed", n)
			}
		}
	}
}

// A conformance is one of gonum's own tests of LAPACK.
type conformance struct {
	routine string
	run     func(t *testing.T, impl Implementation)
	slow    bool // two take four fifths of the time of all, and run in long tests only
	minutes bool // in an emulator
}

// replaced are those of the routines that are ours.
var replaced = []conformance{
	{routine: "Dpotrf", run: func(t *testing.T, impl Implementation) { testlapack.DpotrfTest(t, impl) }},
	{routine: "Dpotri", run: func(t *testing.T, impl Implementation) { testlapack.DpotriTest(t, impl) }},
	{routine: "Dpotrs", run: func(t *testing.T, impl Implementation) { testlapack.DpotrsTest(t, impl) }},
	{routine: "Dgeev", run: func(t *testing.T, impl Implementation) { testlapack.DgeevTest(t, impl) }, slow: true},
	{routine: "Dgetrf", run: func(t *testing.T, impl Implementation) { testlapack.DgetrfTest(t, impl) }},
	{routine: "Dgetri", run: func(t *testing.T, impl Implementation) { testlapack.DgetriTest(t, impl) }},
	{routine: "Dgetrs", run: func(t *testing.T, impl Implementation) { testlapack.DgetrsTest(t, impl) }},
	{routine: "Dtrtri", run: func(t *testing.T, impl Implementation) { testlapack.DtrtriTest(t, impl) }},
	{routine: "Dtrtrs", run: func(t *testing.T, impl Implementation) { testlapack.DtrtrsTest(t, impl) }},
	{routine: "Dorgqr", run: func(t *testing.T, impl Implementation) { testlapack.DorgqrTest(t, impl) }},
	{routine: "Dgeqrf", run: func(t *testing.T, impl Implementation) { testlapack.DgeqrfTest(t, impl) }},
	{routine: "Dgelqf", run: func(t *testing.T, impl Implementation) { testlapack.DgelqfTest(t, impl) }},
	{routine: "Dorglq", run: func(t *testing.T, impl Implementation) { testlapack.DorglqTest(t, impl) }},
	{routine: "Dormqr", run: func(t *testing.T, impl Implementation) { testlapack.DormqrTest(t, impl) }, minutes: true},
	{routine: "Dormlq", run: func(t *testing.T, impl Implementation) { testlapack.DormlqTest(t, impl) }, minutes: true},
	{routine: "Dgecon", run: func(t *testing.T, impl Implementation) { testlapack.DgeconTest(t, impl) }},
	{routine: "Dpocon", run: func(t *testing.T, impl Implementation) { testlapack.DpoconTest(t, impl) }},
	{routine: "Dtrcon", run: func(t *testing.T, impl Implementation) { testlapack.DtrconTest(t, impl) }},
	{routine: "Dgels", run: func(t *testing.T, impl Implementation) { testlapack.DgelsTest(t, impl) }, minutes: true},
	{routine: "Dgesvd", run: func(t *testing.T, impl Implementation) { testlapack.DgesvdTest(t, impl, 1e-13) }, slow: true},
	{routine: "Dsyev", run: func(t *testing.T, impl Implementation) { testlapack.DsyevTest(t, impl) }},
}

// inherited are those of gonum's own routines of the interface, which run on our BLAS.
var inherited = []conformance{
	{routine: "Dgeqp3", run: func(t *testing.T, impl Implementation) { testlapack.Dgeqp3Test(t, impl) }, minutes: true},
	{routine: "Dggsvd3", run: func(t *testing.T, impl Implementation) { testlapack.Dggsvd3Test(t, impl) }},
	{routine: "Dlantr", run: func(t *testing.T, impl Implementation) { testlapack.DlantrTest(t, impl) }},
	{routine: "Dlange", run: func(t *testing.T, impl Implementation) { testlapack.DlangeTest(t, impl) }},
	{routine: "Dlansy", run: func(t *testing.T, impl Implementation) { testlapack.DlansyTest(t, impl) }},
	{routine: "Dlapmr", run: func(t *testing.T, impl Implementation) { testlapack.DlapmrTest(t, impl) }},
	{routine: "Dlapmt", run: func(t *testing.T, impl Implementation) { testlapack.DlapmtTest(t, impl) }},
	{routine: "Dpbcon", run: func(t *testing.T, impl Implementation) { testlapack.DpbconTest(t, impl) }},
	{routine: "Dpbtrf", run: func(t *testing.T, impl Implementation) { testlapack.DpbtrfTest(t, impl) }},
	{routine: "Dpbtrs", run: func(t *testing.T, impl Implementation) { testlapack.DpbtrsTest(t, impl) }},
	{routine: "Dpstrf", run: func(t *testing.T, impl Implementation) { testlapack.DpstrfTest(t, impl) }},
	{routine: "Dtbtrs", run: func(t *testing.T, impl Implementation) { testlapack.DtbtrsTest(t, impl) }},
}

// TestImplementation runs gonum's own tests of every routine that is ours, and
// TestImplementationInherited those of all other routines of its interface, with the selected backend
// under blas64. No routine of the interface is left out.
func TestImplementation(t *testing.T) {
	// The suites make their matrices and their checks with blas64.
	useBLAS(t, fastBLAS(t))
	backends.On(t, func(t *testing.T, bk blskernel.Backend) { conforms(t, bk, replaced) })
}

func TestImplementationInherited(t *testing.T) {
	of := reflect.TypeFor[gonumlapack.Float64]()
	for k := range of.NumMethod() {
		name := of.Method(k).Name
		if !slices.ContainsFunc(slices.Concat(replaced, inherited), func(c conformance) bool { return c.routine == name }) {
			t.Errorf("%s is in none of gonum's tests", name)
		}
	}
	useBLAS(t, blskernel.Default())
	conforms(t, blskernel.Default(), inherited)
}

func conforms(t *testing.T, bk blskernel.Backend, all []conformance) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	for _, c := range all {
		t.Run(c.routine, func(t *testing.T) {
			if c.slow {
				testutil.Slow(t)
			}
			if c.minutes {
				testutil.NotEmulated(t, "minutes")
			}
			c.run(t, Implementation{Backend: bk})
		})
	}
}
