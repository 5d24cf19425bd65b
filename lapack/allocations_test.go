package lapack

import (
	"runtime"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/mat"
)

// TestAllocations bounds the allocations of each call for small orders, where they would take a large
// part of the time: results, factors, what RCond keeps, but no workspace and no function.
func TestAllocations(t *testing.T) {
	testutil.NotUnderRace(t, "the detector drops workspaces from their pool")
	pure, err := blskernel.Lookup("pure")
	testutil.NoError(t, err)
	const n = 8
	rng := testutil.Rand(3)
	a, b, ax, ya := testutil.Random(rng, n, n), testutil.Random(rng, n, 1), testutil.Random(rng, 3, n), testutil.Random(rng, 3, 1)
	spd, indefinite := mat.NewSymPacked(n, nil), mat.NewSymPacked(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			indefinite.SetSym(i, j, rng.NormFloat64())
		}
		spd.SetSym(i, i, 1)
	}
	x, dense, packed := mat.NewDense(n, 1, nil), mat.NewDense(n, n, nil), mat.NewSymPacked(n, nil)
	inverse, packedInverse := mat.NewDense(n, n, nil), mat.NewSymPacked(n, nil)
	lu, cholesky, ldlt, qr := &LU{Backend: pure}, &Cholesky{Backend: pure}, &LDLT{Backend: pure}, &QR{Backend: pure}
	for _, tc := range []struct {
		name  string
		limit float64
		call  func() error
	}{
		{"LU.FactorizeInPlace", 2, func() error { dense.Copy(a); return lu.FactorizeInPlace(dense) }},
		{"LU.SolveTo", 0, func() error { return lu.SolveTo(x, b) }},
		{"LU.InverseTo", 0, func() error { return lu.InverseTo(inverse) }},
		{"Cholesky.FactorizeInPlace", 1, func() error { packed.CopySym(spd); return cholesky.FactorizeInPlace(packed) }},
		{"Cholesky.SolveTo", 0, func() error { return cholesky.SolveTo(x, b) }},
		{"Cholesky.InverseTo", 1, func() error { return cholesky.InverseTo(packedInverse) }},
		{"LDLT.FactorizeInPlace", 7, func() error { packed.CopySym(indefinite); return ldlt.FactorizeInPlace(packed) }},
		{"LDLT.SolveTo", 0, func() error { return ldlt.SolveTo(x, b) }},
		{"LDLT.InverseTo", 1, func() error { return ldlt.InverseTo(packedInverse) }},
		{"QR.FactorizeInPlace", 5, func() error { dense.Copy(a); return qr.FactorizeInPlace(dense) }},
		{"QR.SolveTo", 1, func() error { return qr.SolveTo(x, b) }},
		{"AppendRows", 1, func() error { return AppendRows(pure, dense, x, ax, ya) }},
	} {
		testutil.NoError(t, tc.call())
		if got := testing.AllocsPerRun(50, func() { _ = tc.call() }); !(got <= tc.limit) {
			t.Errorf("%s: %v allocations, want at most %v", tc.name, got, tc.limit)
		}
	}
}

// TestAppendRowsWorkspace checks that a first call allocates the documented workspace, and no more.
func TestAppendRowsWorkspace(t *testing.T) {
	const q, k, c = 3000, 300, 10
	pure, err := blskernel.Lookup("pure")
	testutil.NoError(t, err)
	rng := testutil.Rand(4)
	r, z, ax, ya := mat.NewDense(k, k, nil), mat.NewDense(k, c, nil), testutil.Random(rng, q, k), testutil.Random(rng, q, c)
	runtime.GC()
	runtime.GC() // the second one takes workspaces from their pool
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	testutil.NoError(t, AppendRows(pure, r, z, ax, ya))
	runtime.ReadMemStats(&after)
	const m, s, p = 1 << 20 / (k + c), 312, 32
	const limit = 8 * (m*(s+2*p) + p*(k+c)) * 3 / 2 // products have workspaces, too
	if got := after.TotalAlloc - before.TotalAlloc; got > limit {
		t.Errorf("%d bytes, want at most %d", got, limit)
	}
}
