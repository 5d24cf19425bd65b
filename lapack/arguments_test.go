package lapack

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
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

// misuses are calls with results that overlap operands, of AppendRows and MergeTriangles without some
// operands, and on empty receivers, for factorizations of order n = 3, and a QR of 5 rows. data has 100
// elements.
func misuses(t *testing.T, bk blskernel.Backend) []misuse {
	const n, l = 3, 5
	spd := mat.NewSymPacked(n, []float64{4, 1, 0, 3, 1, 2})
	c, f, lu, qr := Cholesky{Backend: bk}, LDLT{Backend: bk}, LU{Backend: bk}, QR{Backend: bk}
	tall := testmat.Random(testutil.Rand(5), l, n).Dense()
	testutil.NoError(t, errors.Join(c.Factorize(spd), f.Factorize(spd), lu.Factorize(spd.Dense()), qr.Factorize(tall)))
	shape := any(gonummat.ErrShape)
	var all []misuse
	add := func(what string, want any, call func(data []float64)) { all = append(all, misuse{what, want, call}) }

	for name, s := range map[string]struct {
		r, c  int // of the right-hand sides
		solve func(dst, b *mat.Dense) error
	}{
		"Cholesky.SolveTo":        {n, 2, c.SolveTo},
		"LDLT.SolveTo":            {n, 2, f.SolveTo},
		"LU.SolveTo":              {n, 2, lu.SolveTo},
		"QR.SolveTo":              {l, 2, qr.SolveTo},
		"Cholesky.SolveUTo":       {n, 2, func(dst, b *mat.Dense) error { return c.SolveUTo(dst, b, false) }},
		"Cholesky.SolveUTo T":     {n, 2, func(dst, b *mat.Dense) error { return c.SolveUTo(dst, b, true) }},
		"Cholesky.SolveRowsTo":    {2, n, c.SolveRowsTo},
		"LDLT.SolveRowsTo":        {2, n, f.SolveRowsTo},
		"LU.SolveRowsTo":          {2, n, lu.SolveRowsTo},
		"Cholesky.SolveURowsTo":   {2, n, func(dst, b *mat.Dense) error { return c.SolveURowsTo(dst, b, false) }},
		"Cholesky.SolveURowsTo T": {2, n, func(dst, b *mat.Dense) error { return c.SolveURowsTo(dst, b, true) }},
	} {
		for _, shift := range []int{-5, 0, 5} {
			add(fmt.Sprintf("%s: kept storage %d beside b", name, shift), solveAliased, func(d []float64) {
				_ = s.solve(kept(d, 40+shift, 2*n), view(d, 40, s.r, s.c))
			})
		}
		for _, shift := range []int{-4, -3, -1, 0, 1, 3, 4} {
			if shift != 0 || s.r == l {
				add(fmt.Sprintf("%s: result %d beside b", name, shift), solveAliased, func(d []float64) {
					_ = s.solve(view(d, 40+shift, min(s.r, n), s.c), view(d, 40, s.r, s.c))
				})
			}
		}
	}
	add("QR.SolveTo: rows of b", shape, func(d []float64) { _ = qr.SolveTo(view(d, 0, n, 2), view(d, 40, n, 2)) })
	square := func(d []float64) *mat.Dense { return view(d, 0, n, n) }
	for _, shift := range []int{-5, -1, 0, 1, 4, 8} {
		add(fmt.Sprintf("SolveTriangular: b %d beside R", shift), triangleAliased, func(d []float64) {
			_ = SolveTriangular(bk, view(d, 20+shift, n, n), view(d, 20, n, n), true)
		})
	}
	sym := func(d []float64) *mat.SymPacked { return mat.NewSymPacked(n, d[:6]) }
	for name, refine := range map[string]func(d []float64, x, b *mat.Dense) (ErrorBounds, error){
		"Cholesky": func(d []float64, x, b *mat.Dense) (ErrorBounds, error) { return c.Refine(x, sym(d), b) },
		"LDLT":     func(d []float64, x, b *mat.Dense) (ErrorBounds, error) { return f.Refine(x, sym(d), b) },
		"LU":       func(d []float64, x, b *mat.Dense) (ErrorBounds, error) { return lu.Refine(x, square(d), b) },
	} {
		for _, at := range []int{0, 1, 2, 3, 4, 5, 47, 49, 50, 51, 53} {
			add(fmt.Sprintf("%s.Refine: A at 0, x at %d, b at 50", name, at), refineAliased, func(d []float64) {
				_, _ = refine(d, view(d, at, n, 2), view(d, 50, n, 2))
			})
		}
	}
	for name, do := range map[string]elimination{"AppendRows": AppendRows, "MergeTriangles": MergeTriangles} {
		none, b, y := &mat.Dense{}, func(d []float64) *mat.Dense { return view(d, 40, n, n) }, func(d []float64) *mat.Dense { return view(d, 70, n, 2) }
		add(name+": no right-hand sides", shape, func(d []float64) { _ = do(bk, square(d), view(d, 20, n, 2), b(d), nil) })
		add(name+": right-hand sides without rows", shape, func(d []float64) { _ = do(bk, square(d), nil, none, y(d)) })
		add(name+": rows without R", shape, func(d []float64) { _ = do(bk, none, nil, b(d), nil) })
		add(name+": no z", shape, func(d []float64) { _ = do(bk, square(d), nil, b(d), y(d)) })
	}
	for name, solve := range map[string]func(x []float64){"Cholesky": c.Solver(), "LDLT": f.Solver()} {
		add(name+".Solver: a short vector", gonummat.ErrSliceLengthMismatch, func(d []float64) { solve(d[: n-1 : n-1]) })
		add(name+".Solver: a long vector", gonummat.ErrSliceLengthMismatch, func(d []float64) { solve(d[:n+1]) })
	}

	// Methods of receivers that hold nothing look at no argument.
	for _, f := range []any{&Cholesky{}, &LDLT{}, &LU{}, &QR{}, &LeastSquares{}} {
		of := reflect.ValueOf(f)
		for i := range of.NumMethod() {
			name := of.Type().Method(i).Name
			if strings.HasPrefix(name, "Factorize") || slices.Contains([]string{"Dim", "Dims", "Reset"}, name) {
				continue
			}
			method, args := of.Method(i), []reflect.Value{}
			for k := range method.Type().NumIn() {
				args = append(args, reflect.Zero(method.Type().In(k)))
			}
			add(fmt.Sprintf("%T.%s: empty receiver", f, name), notFactorized, func([]float64) { method.Call(args) })
		}
	}
	return all
}

// Every function and method panics with a constant on bad arguments, operands of another shape and
// misuses, on every backend, before it writes anything. For a mistake that gonum's types know, the
// value is theirs, which gonum's mat.Maybe recovers.
func TestArguments(t *testing.T) {
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
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
		rng := testutil.Rand(6)
		for _, o := range operands(t, bk, 3, 2) {
			for _, by := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {-1, 0}, {0, -1}} {
				r, c := o.good.R+by[0], o.good.C+by[1]
				if o.fits != nil && o.fits(r, c) {
					continue
				}
				m := testmat.Random(rng, r, c)
				d := m.Dense()
				want := gonummat.ErrShape
				if o.fits != nil && o.fits(9, 9) && !o.fits(9, 8) { // all that it asks for
					want = gonummat.ErrSquare
				}
				if got := testutil.PanicValue(func() { _ = o.run(d) }); got != want {
					t.Errorf("%s of %d×%d: panics with %v", o.name, r, c, got)
				}
				if !testmat.SameBits(denseData(d), m.X) {
					t.Errorf("%s of %d×%d was written", o.name, r, c)
				}
			}
		}
	})
}

// A solution may overwrite its right-hand sides through another view of the same storage. Different
// columns of one matrix do not overlap.
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
