package lapack

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/backend"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"
	"blskernel/mat"
)

// Every routine announces itself once and computes on the backend that it is given: the journal
// itself cannot compute, and its inner backend need not be the default.
func TestRoutines(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		const n, c, m = 150, 3, 7
		rng := testutil.Rand(31)
		spd := symOf(testmat.Spectral(rng, n, testmat.From1))
		square, tall := testmat.Random(rng, n, n).Dense(), testmat.Random(rng, n+m, n).Dense()
		cols, rows := testmat.Random(rng, n, c).Dense(), testmat.Random(rng, m, n).Dense()
		j := &journal{inner: bk}
		for _, f := range factorizations(t, j) {
			testutil.NoError(t, f.factorize(testmat.Of(spd), false))
			testutil.NoError(t, f.SolveTo(&mat.Dense{}, cols))
			testutil.NoError(t, f.SolveRowsTo(&mat.Dense{}, rows))
			f.RCond()
			_, err1 := f.refine(testmat.Random(rng, n, c).Dense(), testmat.Of(spd), cols)
			_, err2 := f.inverse(false)
			testutil.NoError(t, errors.Join(err1, err2, f.factorize(testmat.Of(spd), true)))
			_, err := f.inverse(true)
			testutil.NoError(t, err)
		}
		qr := QR{Backend: j}
		testutil.NoError(t, qr.Factorize(tall))
		testutil.NoError(t, qr.SolveTo(&mat.Dense{}, testmat.Random(rng, n+m, c).Dense()))
		qr.RCond()
		qr.QTo(&mat.Dense{})
		var r mat.Dense
		qr.RTo(&r)
		testutil.NoError(t, SolveTriangularRows(j, rows, &r, true))
		ch := Cholesky{Backend: j}
		testutil.NoError(t, errors.Join(ch.Factorize(spd), ch.SolveUTo(&mat.Dense{}, cols, false),
			ch.SolveURowsTo(&mat.Dense{}, rows, true), ch.SolveUTriangle(square), ch.MulUTriangle(square)))
		f := LDLT{Backend: j}
		testutil.NoError(t, f.Factorize(spd))
		for _, solve := range []func(x []float64){ch.Solver(), f.Solver()} {
			solve(make([]float64, n))
		}
		x := testmat.Random(rng, n, c).Dense()
		triangle := testmat.Identity(n).Dense()
		testutil.NoError(t, errors.Join(SolveTriangular(j, x, triangle, false), InvertTriangle(j, triangle)))
		RCondTriangle(j, triangle)
		z := testmat.Random(rng, n, c).Dense()
		testutil.NoError(t, AppendRows(j, triangle, z, rows, testmat.Random(rng, m, c).Dense()))
		testutil.NoError(t, MergeTriangles(j, triangle, z, testmat.Identity(n).Dense(), x))

		one := func(name string, nrhs int) backend.Routine {
			return backend.Routine{Name: name, M: n, N: n, NRHS: nrhs}
		}
		var want []backend.Routine
		for _, of := range []string{"Dpp", "Dsp", "Dge"} {
			want = append(want, one(of+"trf", 0), one(of+"trs", c), one(of+"con", 0), one(of+"trs", m), one(of+"rfs", c),
				one(of+"tri", 0), one(of+"trf", 0), one(of+"tri", 0))
		}
		want = append(want,
			backend.Routine{Name: "Dgeqrf", M: n + m, N: n}, backend.Routine{Name: "Dormqr", M: n + m, N: n, NRHS: c}, one("Dtrtrs", c),
			one("Dtrcon", 0), one("Dtrcon", 0), backend.Routine{Name: "Dorgqr", M: n + m, N: n}, one("Dtrtrs", m),
			one("Dpptrf", 0), one("Dtptrs", c), one("Dtptrs", m), one("Dttrsm", 0), one("Dttrmm", 0),
			one("Dsptrf", 0), one("Dppcon", 0), one("Dspcon", 0),
			one("Dtrtrs", c), one("Dtrtri", 0), one("Dtrcon", 0), backend.Routine{Name: "Dtpqrt", M: m, N: n, NRHS: c}, one("Dttqrt", c))
		if !slices.Equal(j.routines, want) {
			t.Errorf("announced\n%+v\nwant\n%+v", j.routines, want)
		}
	})
}

// Methods that only read may run concurrently; this test is for the race detector.
func TestConcurrentReads(t *testing.T) {
	const n = 40
	rng := testutil.Rand(41)
	a, b := testmat.Spectral(rng, n, testmat.From1), testmat.Random(rng, n, 2).Dense()
	all, qr := blocked(t, nil, 7), QR{nb: 7}
	err := qr.Factorize(a.Dense())
	for _, f := range all {
		err = errors.Join(err, f.factorize(a, false))
	}
	testutil.NoError(t, err)
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for _, f := range all {
				_, err := f.inverse(false)
				if err = errors.Join(err, f.SolveTo(&mat.Dense{}, b)); err != nil || !(f.RCond() > 0) {
					t.Errorf("%s: %v, condition %v", f.name, err, f.RCond())
				}
			}
			qr.QTo(&mat.Dense{})
			if err := qr.SolveTo(&mat.Dense{}, b); err != nil || !(qr.RCond() > 0) {
				t.Errorf("QR: %v, condition %v", err, qr.RCond())
			}
		}()
	}
	wg.Wait()
}

// SolveRowsTo solves for more rows than a panel has.
func TestSolveRowsPanels(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		rng := testutil.Rand(5)
		const n, m = 23, 2*rowPanel + 7
		b := testmat.Random(rng, n, m)
		a := testmat.Spectral(rng, n, testmat.From1)
		for _, f := range factorizations(t, bk) {
			if !f.symmetric {
				a = testmat.Random(rng, n, n)
			}
			testutil.NoError(t, f.factorize(a, false))
			_, x := solutions(t, f.name, f, b)
			checkSolution(t, f.name, a.T(), x, b)
		}
	})
}

// An order of zero, or no right-hand sides, is not an error.
func TestEmpty(t *testing.T) {
	none := &mat.Dense{}
	for _, f := range factorizations(t, nil) {
		testutil.NoError(t, f.factorize(testmat.New(0, 0), true))
		_, err1 := f.inverse(false)
		_, err2 := f.refine(none, testmat.New(0, 0), none)
		if err := errors.Join(err1, err2, f.SolveTo(none, none), f.SolveRowsTo(none, none)); err != nil || f.RCond() != 1 {
			t.Errorf("%s: %v, condition %v", f.name, err, f.RCond())
		}
		if f.ldlt != nil {
			checkInertia(t, "empty", f.ldlt, 0)
		}
		if x, err := f.inverse(true); err != nil || x.R != 0 {
			t.Errorf("%s: %v", f.name, err)
		}
	}
	var c Cholesky
	var qr QR
	testutil.NoError(t, errors.Join(
		c.Factorize(&mat.SymPacked{}), qr.Factorize(none), qr.SolveTo(none, none), SolveTriangularRows(nil, none, none, true),
		c.SolveUTo(none, none, true), c.SolveURowsTo(none, none, true), c.SolveUTriangle(none), c.MulUTriangle(none),
		SolveTriangular(nil, none, none, true), InvertTriangle(nil, none),
	))
	eye, rows := func() *mat.Dense { return testmat.Identity(2).Dense() }, mat.NewDense(4, 2, nil)
	testutil.NoError(t, errors.Join(
		AppendRows(nil, eye(), nil, none, nil), AppendRows(nil, eye(), mat.NewDense(2, 3, nil), none, none),
		AppendRows(nil, eye(), none, rows, none), AppendRows(nil, none, nil, none, mat.NewDense(4, 3, nil)),
		MergeTriangles(nil, none, nil, none, nil), MergeTriangles(nil, eye(), nil, eye(), nil),
	))
	qr.QTo(none)
	qr.RTo(none)
}
