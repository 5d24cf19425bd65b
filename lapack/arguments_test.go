package lapack

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"
	"blskernel/mat"

	gonummat "gonum.org/v1/gonum/mat"
)

// A misuse is a call with bad arguments on operands that lie in data.
type misuse struct {
	what string
	want any // what it panics with
	call func(data []float64)
}

// view is the r×c matrix with rows c+1 apart that begins at data[at].
func view(data []float64, at, r, c int) *mat.Dense {
	d := mat.NewDense(1, 1, nil)
	raw := d.RawMatrix()
	raw.Rows, raw.Cols, raw.Stride, raw.Data = r, c, c+1, data[at:]
	d.SetRawMatrix(raw)
	return d
}

// kept is an empty matrix that keeps data[at:at+n] for a result.
func kept(data []float64, at, n int) *mat.Dense {
	d := mat.NewDense(1, n, data[at:at+n])
	d.Reset()
	return d
}

// misuses are the bad arguments of every function and method, for factorizations of order n = 3, and a
// QR of 5 rows. data has 100 elements.
func misuses(t *testing.T, bk blskernel.Backend) []misuse {
	const n, l = 3, 5
	spd := mat.NewSymPacked(n, []float64{4, 1, 0, 3, 1, 2})
	c, f, lu, qr := Cholesky{Backend: bk}, LDLT{Backend: bk}, LU{Backend: bk}, QR{Backend: bk}
	tall := testmat.Random(testutil.Rand(5), l, n).Dense()
	testutil.NoError(t, errors.Join(c.Factorize(spd), f.Factorize(spd), lu.Factorize(spd.Dense()), qr.Factorize(tall)))
	shape := any(gonummat.ErrShape)
	var all []misuse
	add := func(what string, want any, call func(data []float64)) { all = append(all, misuse{what, want, call}) }

	// Solutions from columns, which have to have rows rows, and from rows.
	type solver func(dst, b *mat.Dense) error
	columns := map[string]struct {
		rows  int
		solve solver
	}{
		"Cholesky.SolveTo":    {n, c.SolveTo},
		"LDLT.SolveTo":        {n, f.SolveTo},
		"LU.SolveTo":          {n, lu.SolveTo},
		"QR.SolveTo":          {l, qr.SolveTo},
		"Cholesky.SolveUTo":   {n, func(dst, b *mat.Dense) error { return c.SolveUTo(dst, b, false) }},
		"Cholesky.SolveUTo T": {n, func(dst, b *mat.Dense) error { return c.SolveUTo(dst, b, true) }},
	}
	for name, s := range columns {
		add(name+": rows of b", shape, func(d []float64) { _ = s.solve(view(d, 0, n, 2), view(d, 40, s.rows+1, 2)) })
		add(name+": rows of the result", shape, func(d []float64) { _ = s.solve(view(d, 0, n-1, 2), view(d, 40, s.rows, 2)) })
		add(name+": columns of the result", shape, func(d []float64) { _ = s.solve(view(d, 0, n, 3), view(d, 40, s.rows, 2)) })
		for _, shift := range []int{-5, 0, 5} {
			add(fmt.Sprintf("%s: kept storage %d beside b", name, shift), solveAliased, func(d []float64) {
				_ = s.solve(kept(d, 40+shift, 2*n), view(d, 40, s.rows, 2))
			})
		}
		shifts := []int{-3, -1, 1, 3}
		if s.rows != n {
			shifts = append(shifts, 0)
		}
		for _, shift := range shifts {
			add(fmt.Sprintf("%s: result %d beside b", name, shift), solveAliased, func(d []float64) {
				_ = s.solve(view(d, 40+shift, n, 2), view(d, 40, s.rows, 2))
			})
		}
	}
	for name, solve := range map[string]solver{
		"Cholesky.SolveRowsTo":    c.SolveRowsTo,
		"LDLT.SolveRowsTo":        f.SolveRowsTo,
		"LU.SolveRowsTo":          lu.SolveRowsTo,
		"Cholesky.SolveURowsTo":   func(dst, b *mat.Dense) error { return c.SolveURowsTo(dst, b, false) },
		"Cholesky.SolveURowsTo T": func(dst, b *mat.Dense) error { return c.SolveURowsTo(dst, b, true) },
	} {
		add(name+": columns of b", shape, func(d []float64) { _ = solve(view(d, 0, 2, n), view(d, 40, 2, n+1)) })
		add(name+": rows of the result", shape, func(d []float64) { _ = solve(view(d, 0, 3, n), view(d, 40, 2, n)) })
		add(name+": columns of the result", shape, func(d []float64) { _ = solve(view(d, 0, 2, n-1), view(d, 40, 2, n)) })
		for _, shift := range []int{-5, 0, 5} {
			add(fmt.Sprintf("%s: kept storage %d beside b", name, shift), solveAliased, func(d []float64) {
				_ = solve(kept(d, 40+shift, 2*n), view(d, 40, 2, n))
			})
		}
		for _, shift := range []int{-4, -1, 1, 4} {
			add(fmt.Sprintf("%s: result %d beside b", name, shift), solveAliased, func(d []float64) {
				_ = solve(view(d, 40+shift, 2, n), view(d, 40, 2, n))
			})
		}
	}

	// Results of a shape that is known, and operands of one.
	for _, s := range [][2]int{{n - 1, n - 1}, {n, n + 1}, {n + 1, n}, {n + 1, n + 1}} {
		at := fmt.Sprintf(" %d×%d", s[0], s[1])
		matrix := func(d []float64) *mat.Dense { return view(d, 10, s[0], s[1]) }
		if s[0] == s[1] {
			packed := func(d []float64) *mat.SymPacked { return mat.NewSymPacked(s[0], d[:s[0]*(s[0]+1)/2]) }
			add("Cholesky.InverseTo"+at, shape, func(d []float64) { _ = c.InverseTo(packed(d)) })
			add("LDLT.InverseTo"+at, shape, func(d []float64) { _ = f.InverseTo(packed(d)) })
			x, b := func(d []float64) *mat.Dense { return view(d, 30, n, 2) }, func(d []float64) *mat.Dense { return view(d, 60, n, 2) }
			add("Cholesky.Refine of A"+at, shape, func(d []float64) { _, _ = c.Refine(x(d), packed(d), b(d)) })
			add("LDLT.Refine of A"+at, shape, func(d []float64) { _, _ = f.Refine(x(d), packed(d), b(d)) })
		} else {
			add("LU.Factorize"+at, shape, func(d []float64) { _ = (&LU{Backend: bk}).Factorize(matrix(d)) })
			add("LU.FactorizeInPlace"+at, shape, func(d []float64) { _ = (&LU{Backend: bk}).FactorizeInPlace(matrix(d)) })
			add("InvertTriangle"+at, shape, func(d []float64) { _ = InvertTriangle(bk, matrix(d)) })
			add("RCondTriangle"+at, shape, func(d []float64) { RCondTriangle(bk, matrix(d)) })
		}
		if s[0] < s[1] {
			add("QR.Factorize"+at, shape, func(d []float64) { _ = (&QR{Backend: bk}).Factorize(matrix(d)) })
			add("QR.FactorizeInPlace"+at, shape, func(d []float64) { _ = (&QR{Backend: bk}).FactorizeInPlace(matrix(d)) })
		}
		add("LU.InverseTo"+at, shape, func(d []float64) { _ = lu.InverseTo(matrix(d)) })
		add("LU.Refine of A"+at, shape, func(d []float64) { _, _ = lu.Refine(view(d, 50, n, 2), matrix(d), view(d, 70, n, 2)) })
		add("QR.RTo"+at, shape, func(d []float64) { qr.RTo(matrix(d)) })
		add("QR.QTo"+at, shape, func(d []float64) { qr.QTo(matrix(d)) })
		add("Cholesky.SolveUTriangle"+at, shape, func(d []float64) { _ = c.SolveUTriangle(matrix(d)) })
		add("Cholesky.MulUTriangle"+at, shape, func(d []float64) { _ = c.MulUTriangle(matrix(d)) })
		add("SolveTriangular, R"+at, shape, func(d []float64) { _ = SolveTriangular(bk, view(d, 50, n, 2), matrix(d), false) })
		add("SolveTriangularRows, R"+at, shape, func(d []float64) { _ = SolveTriangularRows(bk, view(d, 50, 2, n), matrix(d), false) })
	}
	square := func(d []float64) *mat.Dense { return view(d, 0, n, n) }
	add("SolveTriangular: b", shape, func(d []float64) { _ = SolveTriangular(bk, view(d, 50, n+1, 2), square(d), true) })
	add("SolveTriangularRows: b", shape, func(d []float64) { _ = SolveTriangularRows(bk, view(d, 50, 2, n+1), square(d), true) })
	for _, shift := range []int{-5, -1, 0, 1, 4, 8} {
		add(fmt.Sprintf("SolveTriangular: b %d beside R", shift), triangleAliased, func(d []float64) {
			_ = SolveTriangular(bk, view(d, 20+shift, n, n), view(d, 20, n, n), true)
		})
	}
	refines := map[string]func(d []float64, x, b *mat.Dense) (ErrorBounds, error){
		"Cholesky": func(d []float64, x, b *mat.Dense) (ErrorBounds, error) {
			return c.Refine(x, mat.NewSymPacked(n, d[:6]), b)
		},
		"LDLT": func(d []float64, x, b *mat.Dense) (ErrorBounds, error) {
			return f.Refine(x, mat.NewSymPacked(n, d[:6]), b)
		},
		"LU": func(d []float64, x, b *mat.Dense) (ErrorBounds, error) { return lu.Refine(x, square(d), b) },
	}
	for name, refine := range refines {
		add(name+".Refine: rows of x", shape, func(d []float64) { _, _ = refine(d, view(d, 20, n+1, 2), view(d, 50, n, 2)) })
		add(name+".Refine: rows of b", shape, func(d []float64) { _, _ = refine(d, view(d, 20, n, 2), view(d, 50, n-1, 2)) })
		add(name+".Refine: columns", shape, func(d []float64) { _, _ = refine(d, view(d, 20, n, 2), view(d, 50, n, 3)) })
		for _, shift := range []int{-3, -1, 0, 1, 3} {
			add(fmt.Sprintf("%s.Refine: x %d beside b", name, shift), refineAliased, func(d []float64) {
				_, _ = refine(d, view(d, 50+shift, n, 2), view(d, 50, n, 2))
			})
		}
		for at := range 6 {
			add(fmt.Sprintf("%s.Refine: x %d over A", name, at), refineAliased, func(d []float64) {
				_, _ = refine(d, view(d, at, n, 2), view(d, 50, n, 2))
			})
		}
	}
	for name, do := range map[string]func(r, z, b, y *mat.Dense) error{
		"AppendRows":     func(r, z, b, y *mat.Dense) error { return AppendRows(bk, r, z, b, y) },
		"MergeTriangles": func(r, z, b, y *mat.Dense) error { return MergeTriangles(bk, r, z, b, y) },
	} {
		z := func(d []float64) *mat.Dense { return view(d, 20, n, 2) }
		add(name+": R", shape, func(d []float64) { _ = do(view(d, 0, n, n+1), z(d), view(d, 40, n, n), view(d, 70, n, 2)) })
		add(name+": z", shape, func(d []float64) { _ = do(square(d), view(d, 20, n+1, 2), view(d, 40, n, n), view(d, 70, n, 2)) })
		add(name+": second matrix", shape, func(d []float64) { _ = do(square(d), z(d), view(d, 40, n, n+1), view(d, 70, n, 2)) })
		add(name+": rows of its right-hand sides", shape, func(d []float64) { _ = do(square(d), z(d), view(d, 40, n, n), view(d, 70, n+1, 2)) })
		add(name+": columns of its right-hand sides", shape, func(d []float64) { _ = do(square(d), z(d), view(d, 40, n, n), view(d, 70, n, 3)) })
		add(name+": no right-hand sides", shape, func(d []float64) { _ = do(square(d), z(d), view(d, 40, n, n), nil) })
		none := &mat.Dense{}
		add(name+": right-hand sides without rows", shape, func(d []float64) { _ = do(square(d), nil, none, view(d, 70, n, 2)) })
		add(name+": rows without R", shape, func(d []float64) { _ = do(none, nil, view(d, 40, n, n), nil) })
		add(name+": no z", shape, func(d []float64) { _ = do(square(d), nil, view(d, 40, n, n), view(d, 70, n, 2)) })
	}

	for name, solve := range map[string]func(x []float64){"Cholesky": c.Solver(), "LDLT": f.Solver()} {
		add(name+".Solver: a short vector", solverLength, func(d []float64) { solve(d[: n-1 : n-1]) })
		add(name+".Solver: a long vector", solverLength, func(d []float64) { solve(d[:n+1]) })
	}

	// Methods of receivers that hold nothing.
	var noC Cholesky
	var noF LDLT
	var noLU LU
	var noQR QR
	sym := func(d []float64) *mat.SymPacked { return mat.NewSymPacked(n, d[:6]) }
	b := func(d []float64) *mat.Dense { return view(d, 30, n, n) }
	empty := func(name string, call func(d []float64)) {
		add(name+": empty receiver", notFactorized, call)
	}
	for name, call := range map[string]func(d []float64){
		"Cholesky.SolveUTo":       func(d []float64) { _ = noC.SolveUTo(square(d), b(d), true) },
		"Cholesky.SolveURowsTo":   func(d []float64) { _ = noC.SolveURowsTo(square(d), b(d), true) },
		"Cholesky.SolveUTriangle": func(d []float64) { _ = noC.SolveUTriangle(square(d)) },
		"Cholesky.MulUTriangle":   func(d []float64) { _ = noC.MulUTriangle(square(d)) },
		"LDLT.Inertia":            func([]float64) { noF.Inertia() },
		"LU.InverseTo":            func(d []float64) { _ = noLU.InverseTo(square(d)) },
		"LU.InverseInPlace":       func([]float64) { _, _ = noLU.InverseInPlace() },
		"LU.Refine":               func(d []float64) { _, _ = noLU.Refine(square(d), b(d), view(d, 60, n, n)) },
		"QR.SolveTo":              func(d []float64) { _ = noQR.SolveTo(square(d), b(d)) },
		"QR.QTo":                  func(d []float64) { noQR.QTo(square(d)) },
		"QR.QInPlace":             func([]float64) { noQR.QInPlace() },
		"QR.RTo":                  func(d []float64) { noQR.RTo(square(d)) },
		"QR.RCond":                func([]float64) { noQR.RCond() },
	} {
		empty(name, call)
	}
	for name, f := range map[string]reads{"Cholesky": &noC, "LDLT": &noF, "LU": &noLU} {
		empty(name+".SolveTo", func(d []float64) { _ = f.SolveTo(square(d), b(d)) })
		empty(name+".SolveRowsTo", func(d []float64) { _ = f.SolveRowsTo(square(d), b(d)) })
		empty(name+".RCond", func([]float64) { f.RCond() })
		empty(name+".LogDet", func([]float64) { f.LogDet() })
	}
	empty("Cholesky.Solver", func([]float64) { noC.Solver() })
	empty("LDLT.Solver", func([]float64) { noF.Solver() })
	for name, f := range map[string]typed[*mat.SymPacked]{"Cholesky": &noC, "LDLT": &noF} {
		empty(name+".InverseTo", func(d []float64) { _ = f.InverseTo(sym(d)) })
		empty(name+".InverseInPlace", func([]float64) { _, _ = f.InverseInPlace() })
		empty(name+".Refine", func(d []float64) { _, _ = f.Refine(square(d), sym(d), b(d)) })
	}
	return all
}

// Bad arguments of every function and method panic with a constant, on every backend, and nothing has
// been written then.
func TestArguments(t *testing.T) {
	backends.OnKernels(t, func(t *testing.T, bk blskernel.Backend) {
		for _, m := range misuses(t, bk) {
			data := make([]float64, 100)
			for i := range data {
				data[i] = float64(i + 1)
			}
			before := slices.Clone(data)
			if got := testutil.PanicValue(func() { m.call(data) }); got != m.want {
				t.Errorf("%s: panics with %v, want %v", m.what, got, m.want)
			}
			if !testmat.SameBits(data, before) {
				t.Fatalf("%s: storage was written: %v", m.what, data)
			}
		}
	})
}

// A solution may overwrite its right-hand sides by another view of the same storage, and columns of one
// matrix are apart.
func TestSharedStorage(t *testing.T) {
	for _, f := range factorizations(t, nil) {
		data, both := []float64{2, 4, 8, 16}, mat.NewDense(2, 4, nil)
		b, same := mat.NewDense(2, 2, data), mat.NewDense(2, 2, data)
		left, right := both.Slice(0, 2, 0, 2).(*mat.Dense), both.Slice(0, 2, 2, 4).(*mat.Dense)
		err := errors.Join(f.factorize(testmat.Identity(2), false), f.SolveTo(same, b), f.SolveRowsTo(same, b), f.SolveTo(right, left))
		if _, errRefine := f.refine(right, testmat.Identity(2), left); err != nil || errRefine != nil {
			t.Errorf("%s: %v, %v", f.name, err, errRefine)
		}
	}
}
