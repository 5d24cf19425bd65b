package lapack

import (
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"blskernel"
	"blskernel/internal/backend"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/mat"
)

// Every routine announces itself once and computes on the backend that it is given: the journal
// itself cannot compute, and its inner backend need not be the default.
func TestRoutines(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		const n, c, m = 150, 3, 7
		rng := testutil.Rand(31)
		spd := symSpectrum(rng, n, func(i int) float64 { return 1 + float64(i) })
		square, tall := randomFull(rng, n, n).dense(), randomFull(rng, n+m, n).dense()
		cols, rows := randomFull(rng, n, c).dense(), randomFull(rng, m, n).dense()
		j := &journal{inner: bk}
		do := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		sym := func(f symmetricFactor) {
			do(f.Factorize(spd))
			do(f.SolveTo(&mat.Dense{}, cols))
			do(f.SolveRowsTo(&mat.Dense{}, rows))
			f.RCond()
			do(f.InverseTo(&mat.SymPacked{}))
			_, err := f.InverseInPlace()
			do(err)
		}
		sym(&Cholesky{Backend: j})
		sym(&LDLT{Backend: j})
		lu := LU{Backend: j}
		do(lu.Factorize(square))
		do(lu.SolveTo(&mat.Dense{}, cols))
		do(lu.SolveRowsTo(&mat.Dense{}, rows))
		lu.RCond()
		do(lu.InverseTo(&mat.Dense{}))
		qr := QR{Backend: j}
		do(qr.Factorize(tall))
		do(qr.SolveTo(&mat.Dense{}, randomFull(rng, n+m, c).dense()))
		qr.RCond()
		qr.QTo(&mat.Dense{})
		var r mat.Dense
		qr.RTo(&r)
		do(SolveTriangularRows(j, rows, &r, true))
		ch, f := Cholesky{Backend: j}, LDLT{Backend: j}
		do(errors.Join(ch.Factorize(spd), f.Factorize(spd)))
		do(errors.Join(ch.SolveUTo(&mat.Dense{}, cols, false), ch.SolveURowsTo(&mat.Dense{}, rows, true), ch.SolveUTriangle(square), ch.MulUTriangle(square)))
		x := randomFull(rng, n, c).dense()
		_, err1 := ch.Refine(x, spd, cols)
		_, err2 := f.Refine(x, spd, cols)
		_, err3 := lu.Refine(x, spd.Dense(), cols)
		do(errors.Join(err1, err2, err3))
		triangle := identity(n).dense()
		do(errors.Join(SolveTriangular(j, x, triangle, false), InvertTriangle(j, triangle)))
		RCondTriangle(j, triangle)
		z := randomFull(rng, n, c).dense()
		do(AppendRows(j, triangle, z, rows, randomFull(rng, m, c).dense()))
		do(MergeTriangles(j, triangle, z, identity(n).dense(), x))

		one := func(name string, nrhs int) backend.Routine {
			return backend.Routine{Name: name, M: n, N: n, NRHS: nrhs}
		}
		want := []backend.Routine{
			one("Dpptrf", 0), one("Dpptrs", c), one("Dpptrs", m), one("Dppcon", 0), one("Dpptri", 0), one("Dpptri", 0),
			one("Dsptrf", 0), one("Dsptrs", c), one("Dsptrs", m), one("Dspcon", 0), one("Dsptri", 0), one("Dsptri", 0),
			one("Dgetrf", 0), one("Dgetrs", c), one("Dgetrs", m), one("Dgecon", 0), one("Dgetri", 0),
			{Name: "Dgeqrf", M: n + m, N: n}, {Name: "Dormqr", M: n + m, N: n, NRHS: c}, one("Dtrtrs", c),
			one("Dtrcon", 0), {Name: "Dorgqr", M: n + m, N: n}, one("Dtrtrs", m),
			one("Dpptrf", 0), one("Dsptrf", 0), one("Dtptrs", c), one("Dtptrs", m), one("Dttrsm", 0), one("Dttrmm", 0),
			one("Dpprfs", c), one("Dsprfs", c), one("Dgerfs", c), one("Dtrtrs", c), one("Dtrtri", 0), one("Dtrcon", 0),
			{Name: "Dtpqrt", M: m, N: n, NRHS: c}, one("Dttqrt", c),
		}
		if !slices.Equal(j.routines, want) {
			t.Errorf("announced\n%+v\nwant\n%+v", j.routines, want)
		}
	})
}

// Methods that only read may run at once; this test is for the race detector.
func TestConcurrentReads(t *testing.T) {
	const n = 40
	rng := testutil.Rand(41)
	spd := symSpectrum(rng, n, func(i int) float64 { return 1 + float64(i) })
	c, f, lu, qr := Cholesky{symmetric: symmetric{nb: 7}}, LDLT{symmetric: symmetric{nb: 7}}, LU{base: 7, nb: 7}, QR{nb: 7}
	general := randomFull(rng, n, n)
	if err := errors.Join(c.Factorize(spd), f.Factorize(spd), lu.Factorize(general.dense()), qr.Factorize(general.dense())); err != nil {
		t.Fatal(err)
	}
	b := randomFull(rng, n, 2).dense()
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := errors.Join(
				c.SolveTo(&mat.Dense{}, b), f.SolveTo(&mat.Dense{}, b), lu.SolveTo(&mat.Dense{}, b), qr.SolveTo(&mat.Dense{}, b),
				c.InverseTo(&mat.SymPacked{}), f.InverseTo(&mat.SymPacked{}), lu.InverseTo(&mat.Dense{}),
			); err != nil {
				t.Error(err)
			}
			qr.QTo(&mat.Dense{})
			if !(c.RCond() > 0 && f.RCond() > 0 && lu.RCond() > 0 && qr.RCond() > 0) {
				t.Error("singular")
			}
		}()
	}
	wg.Wait()
}

// An order of zero, and no right-hand sides, are no errors.
func TestEmpty(t *testing.T) {
	var c Cholesky
	var f LDLT
	var lu LU
	var qr QR
	none := &mat.Dense{}
	if err := errors.Join(c.Factorize(&mat.SymPacked{}), f.Factorize(&mat.SymPacked{}), lu.Factorize(none), qr.Factorize(none)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(
		c.SolveTo(none, none), f.SolveTo(none, none), lu.SolveTo(none, none), qr.SolveTo(none, none),
		c.SolveRowsTo(none, none), f.SolveRowsTo(none, none), lu.SolveRowsTo(none, none), SolveTriangularRows(nil, none, none, true),
		c.InverseTo(&mat.SymPacked{}), f.InverseTo(&mat.SymPacked{}), lu.InverseTo(none),
		c.SolveUTo(none, none, true), c.SolveURowsTo(none, none, true), c.SolveUTriangle(none), c.MulUTriangle(none),
		SolveTriangular(nil, none, none, true), InvertTriangle(nil, none),
	); err != nil {
		t.Fatal(err)
	}
	_, err1 := c.Refine(none, &mat.SymPacked{}, none)
	_, err2 := f.Refine(none, &mat.SymPacked{}, none)
	_, err3 := lu.Refine(none, none, none)
	eye, rows := func() *mat.Dense { return identity(2).dense() }, mat.NewDense(4, 2, nil)
	if err := errors.Join(
		err1, err2, err3,
		AppendRows(nil, eye(), nil, none, nil), AppendRows(nil, eye(), mat.NewDense(2, 3, nil), none, none),
		AppendRows(nil, eye(), none, rows, none), AppendRows(nil, none, nil, none, mat.NewDense(4, 3, nil)),
		MergeTriangles(nil, none, nil, none, nil), MergeTriangles(nil, eye(), nil, eye(), nil),
	); err != nil {
		t.Fatal(err)
	}
	qr.QTo(none)
	qr.RTo(none)
	if p, n, z := f.Inertia(); p+n+z != 0 {
		t.Error("inertia of nothing")
	}
}

// The message says what, where and what to do.
func TestErrorMessages(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&PivotError{"Dpptrf", 17, -0.25, ErrNotPositiveDefinite}, "lapack: Dpptrf: pivot 17 is -0.25: matrix is not positive definite; use LDLT, or add a ridge to the diagonal"},
		{&PivotError{"Dgetrf", 3, 0, ErrSingular}, "lapack: Dgetrf: pivot 3 is exactly zero: matrix is singular; remove dependent rows or columns, or add a ridge to the diagonal"},
		{&PivotError{"Dsptrf", 1, math.Inf(1), ErrNotFinite}, "lapack: Dsptrf: pivot 1 is +Inf: the elimination overflows; scale the matrix"},
		{&ElementError{"Dgeqrf", 2, 5, math.NaN(), ErrNotFinite}, "lapack: Dgeqrf: element (2, 5) of the input is NaN: NaN or infinity; clean the data first"},
		{&ElementError{"Dsptri", 0, 4, math.Inf(-1), ErrSingular}, "lapack: Dsptri: element (0, 4) of the result is -Inf: matrix is singular to working precision; look at RCond, or add a ridge to the diagonal"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
