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
	"gonum.org/v1/gonum/blas/blas64"
	gonumlapack "gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/testlapack"
)

// draw returns one of the other values with probability p, and otherwise the usual one.
func draw[T any](rng *rand.Rand, p float64, usual T, others ...T) T {
	if rng.Float64() < p {
		return others[rng.IntN(len(others))]
	}
	return usual
}

// The texts of panics and their order are gonum's, as are the answers for empty matrices. Most calls
// have one or two bad arguments, some many. Without a BLAS, gonum's routine ends after its checks.
func TestImplementationArguments(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	const long = 151 * 150
	zeros, ints := make([]float64, 64*150+long), make([]int, 151)
	left, right := slices.Clone(zeros), slices.Clone(zeros)
	selected := blas64.Implementation()
	defer blas64.Use(selected)
	rng := rand.New(rand.NewPCG(229, 2))
	seen := map[any]int{}
	rounds := 1500
	if testutil.Long() {
		rounds = 6000
	}
	for range rounds {
		p := draw(rng, 0.3, 0.08, 0.6)
		size := func() int { return draw(rng, p, 150, -1, 0, 2, 149) }
		ld := func() int { return draw(rng, p, 150, -1, 0, 1, 2, 3, 151) }
		length := func() int { return draw(rng, p, long, 0, 1, 5, 151*149+149) }
		ul, d := draw(rng, 0.3+p, blas.Upper, blas.Lower, 'x'), draw(rng, 0.3+p, blas.NonUnit, blas.Unit, 'x')
		tr, side := draw(rng, 0.3+p, blas.Trans, blas.NoTrans, blas.ConjTrans, 'x'), draw(rng, 0.3+p, blas.Left, blas.Right, 'x')
		m, n, nrhs, lda, ldb := size(), size(), size(), ld(), ld()
		a, b := zeros[:length()], zeros[:length()]
		jobU := draw(rng, p, gonumlapack.SVDAll, gonumlapack.SVDStore, gonumlapack.SVDNone, gonumlapack.SVDOverwrite, 'x')
		jobVT := draw(rng, p, gonumlapack.SVDStore, gonumlapack.SVDAll, gonumlapack.SVDNone, gonumlapack.SVDOverwrite, 'x')
		job, values := draw(rng, p, gonumlapack.EVCompute, gonumlapack.EVNone, 'x'), make([]float64, draw(rng, p, 150, 0, 2))
		ipiv, work := ints[:draw(rng, p, 150, 0, 2, 151)], make([]float64, draw(rng, p, 9600, 0, 1, 2, 150))
		lwork := draw(rng, p, 9600, -2, -1, 0, 1, 2, 149, 150, 449, 599, 749) // some are one too few
		for i := range ipiv {
			ipiv[i] = i
		}
		wr, jobvl, jobvr := make([]float64, len(ipiv)), draw(rng, p, 'N', 'V', 'x'), draw(rng, p, 'V', 'N', 'x')
		norm := draw(rng, p, gonumlapack.MaxColumnSum, gonumlapack.MaxRowSum, 'x')
		anorm := draw(rng, p, 1, -1, 0, math.Inf(1))
		k, tau := nrhs, right[:len(ipiv)]
		jpvt := ints[:draw(rng, p, 150, 0, 2, 151)]
		calls := map[string]func(impl gonumlapack.Float64) any{
			"Dgeqrf": func(impl gonumlapack.Float64) any { impl.Dgeqrf(m, n, a, lda, tau, work, lwork); return nil },
			"Dgelqf": func(impl gonumlapack.Float64) any { impl.Dgelqf(m, n, a, lda, tau, work, lwork); return nil },
			"Dgeqp3": func(impl gonumlapack.Float64) any { impl.Dgeqp3(m, n, a, lda, jpvt, tau, work, lwork); return nil },
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
			blas64.Use(struct{ blas.Float64 }{})
			want := result(gonum.Implementation{})
			blas64.Use(selected)
			_, isText := want.(string)
			if _, beyond := want.(runtime.Error); beyond || !isText && n > 2 {
				continue // good arguments, or where gonum's checks have a gap
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

// checkDgetrf factors a copy of a and checks that ‖A - P L U‖ <= 30 max(m, n) eps ‖A‖, and that ok
// reports whether U has no zero on its diagonal.
func checkDgetrf(t *testing.T, name string, impl gonumlapack.Float64, a *full) {
	t.Helper()
	m, n := a.R, a.C
	k := min(m, n)
	h, ipiv := hold(a, n+3, whole), make([]int, k)
	ok := impl.Dgetrf(m, n, h.X, h.Ld, ipiv)
	lu := h.After(t, name)
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

// The factors of wide, square and tall matrices are complete, like gonum's, even for singular matrices.
func TestDgetrf(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		impl := Implementation{Backend: bk}
		rng := testutil.Rand(211)
		for _, s := range [][2]int{{1, 1}, {5, 9}, {96, 96}, {97, 130}, {130, 97}, {150, 150}, {128, 260}, {200, 130}} {
			m, n := s[0], s[1]
			a, name := testmat.Random(rng, m, n), fmt.Sprintf("%d×%d", m, n)
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
			impl.Dgels(blas.NoTrans, 0, n, 1, nil, n, got, n, make([]float64, 1), -1)
			if !testmat.SameBits(got, a.X) || !testmat.SameBits(rhs, b.X) {
				t.Errorf("n = %d: an operand was changed", n)
			}
		}
	}
}

// replaced lists gonum's own tests of the routines that are ours.
var replaced = []any{
	testlapack.DpotrfTest, testlapack.DpotriTest, testlapack.DpotrsTest, testlapack.DgeevTest,
	testlapack.DgetrfTest, testlapack.DgetriTest, testlapack.DgetrsTest, testlapack.DtrtriTest,
	testlapack.DtrtrsTest, testlapack.DorgqrTest, testlapack.DgeqrfTest, testlapack.Dgeqp3Test,
	testlapack.DgelqfTest, testlapack.DorglqTest, testlapack.DormqrTest, testlapack.DormlqTest,
	testlapack.DgeconTest, testlapack.DpoconTest, testlapack.DtrconTest, testlapack.DgelsTest,
	testlapack.DgesvdTest, testlapack.DsyevTest,
}

// inherited lists gonum's tests of the other routines, which are gonum's own and run on our BLAS.
var inherited = []any{
	testlapack.Dggsvd3Test, testlapack.DlantrTest, testlapack.DlangeTest, testlapack.DlansyTest,
	testlapack.DlapmrTest, testlapack.DlapmtTest, testlapack.DpbconTest, testlapack.DpbtrfTest,
	testlapack.DpbtrsTest, testlapack.DpstrfTest, testlapack.DtbtrsTest,
}

// TestImplementation runs gonum's own tests of every routine that is ours, and
// TestImplementationInherited the tests of all other routines of its interface, with the selected
// backend under blas64. No routine of the interface is left out.
func TestImplementation(t *testing.T) {
	// The suites make their matrices and their checks with blas64.
	useBLAS(t, fastBLAS(t))
	backends.On(t, func(t *testing.T, bk blskernel.Backend) { conforms(t, bk, replaced) })
}

func TestImplementationInherited(t *testing.T) {
	of := reflect.TypeFor[gonumlapack.Float64]()
	for k := range of.NumMethod() {
		name := of.Method(k).Name
		if !slices.ContainsFunc(slices.Concat(replaced, inherited), func(test any) bool { return testutil.RoutineOf(test) == name }) {
			t.Errorf("%s is in none of gonum's tests", name)
		}
	}
	useBLAS(t, blskernel.Default())
	conforms(t, blskernel.Default(), inherited)
}

// conforms runs gonum's tests; two that take four fifths of the total time run only in long tests.
func conforms(t *testing.T, bk blskernel.Backend, all []any) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	for _, test := range all {
		routine := testutil.RoutineOf(test)
		t.Run(routine, func(t *testing.T) {
			args := []reflect.Value{reflect.ValueOf(t), reflect.ValueOf(Implementation{Backend: bk})}
			switch routine {
			case "Dgesvd":
				args = append(args, reflect.ValueOf(1e-13)) // the tolerance
				fallthrough
			case "Dgeev":
				testutil.Slow(t)
			case "Dgeqp3", "Dormqr", "Dormlq", "Dgels":
				testutil.NotEmulated(t, "minutes")
			}
			reflect.ValueOf(test).Call(args)
		})
	}
}
