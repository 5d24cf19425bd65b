package lapack

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blskernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/testmat"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	gonumlapack "gonum.org/v1/gonum/lapack"
)

// An operand is an argument of a routine that is finite, and where it reads NaN.
type operand struct {
	name string
	good *full
	at   func(i, j int) (r, c int, read bool) // what the error names
	fits func(r, c int) bool                  // whether another shape is no misuse; nil for none
	run  func(m *mat.Dense) error
}

// operands returns the operands of all routines, for matrices of order n and c right-hand sides. Calls
// that fail or panic leave the other operands unchanged.
func operands(t *testing.T, bk blskernel.Backend, n, c int) []operand {
	rng := testutil.Rand(uint64(301 + n))
	spd := testmat.Spectral(rng, n, func(i int) float64 { return 1 + float64(i%5) })
	right, more := testmat.Random(rng, n, c), testmat.Random(rng, n, n)
	same := func(i, j int) (int, int, bool) { return i, j, true }
	upper := func(i, j int) (int, int, bool) { return i, j, i <= j }
	lower := func(i, j int) (int, int, bool) { return i, j, i >= j }
	never := func(i, j int) (int, int, bool) { return i, j, false }
	moved := func(rows, cols int) func(i, j int) (int, int, bool) {
		return func(i, j int) (int, int, bool) { return i + rows, j + cols, true }
	}
	packed := func(r, c int) bool { return r != c } // cannot be
	square := func(r, c int) bool { return r == c }
	var held []*mat.Dense
	var wanted []*full
	hold := func(a *full) *mat.Dense {
		held, wanted = append(held, a.Dense()), append(wanted, a)
		return held[len(held)-1]
	}
	var all []operand
	add := func(name string, good *full, at func(i, j int) (int, int, bool), fits func(r, c int) bool, run func(m *mat.Dense) error) {
		all = append(all, operand{name, good, at, fits, func(m *mat.Dense) (err error) {
			held, wanted = nil, nil
			err = ErrNotFinite
			defer func() {
				for i, d := range held {
					if err != nil && !testmat.SameBits(denseData(d), wanted[i].X) {
						t.Errorf("%s: another operand was changed", name)
					}
				}
			}()
			err = run(m)
			return err
		}})
	}
	// solves has a right-hand side as both arguments, and with another result, which stays as it
	// is, and which is not read.
	solves := func(name string, b *full, solve func(dst, b *mat.Dense) error) {
		one := func(r, c int) bool { return b.R == n && r == n || b.C == n && c == n }
		add(name+" in place", b, same, one, func(m *mat.Dense) error { return solve(m, m) })
		add(name, b, same, nil, func(m *mat.Dense) error { return solve(hold(b), m) })
		add(name+", result", b, never, nil, func(m *mat.Dense) error { return solve(m, b.Dense()) })
	}
	for k, f := range factorizations(t, bk) {
		at, fits, packable := same, square, func(int, int) bool { return false }
		if f.symmetric {
			at, packable, fits = upper, packed, func(int, int) bool { return true }
		}
		for _, inPlace := range []bool{false, true} {
			fresh := factorizations(t, bk)[k]
			add(f.name, spd, at, fits, func(m *mat.Dense) error { return fresh.factorize(testmat.Of(m), inPlace) })
		}
		testutil.NoError(t, f.factorize(spd, false))
		solves(f.name+".SolveTo", right, f.SolveTo)
		solves(f.name+".SolveRowsTo", right.T(), f.SolveRowsTo)
		add(f.name+".InverseTo", spd, never, packable, func(m *mat.Dense) error { return f.inverseTo(testmat.Of(m)) })
		add(f.name+".Refine, A", spd, at, packable, func(m *mat.Dense) error {
			_, err := f.refine(hold(right), testmat.Of(m), hold(right))
			return err
		})
		add(f.name+".Refine, B", right, same, nil, func(m *mat.Dense) error {
			_, err := f.refine(hold(right), spd, m)
			return err
		})
		add(f.name+".Refine, X", right, same, nil, func(m *mat.Dense) error {
			_, err := f.refine(m, spd, hold(right))
			if err != nil && !strings.HasPrefix(err.Error(), "matrix X: ") {
				t.Errorf("message %q", err)
			}
			return err
		})
	}
	qr, ch := QR{Backend: bk}, Cholesky{Backend: bk}
	tall := func(r, c int) bool { return r >= c }
	add("QR", spd, same, tall, (&QR{Backend: bk}).Factorize)
	add("QR in place", spd, same, tall, (&QR{Backend: bk}).FactorizeInPlace)
	testutil.NoError(t, errors.Join(qr.Factorize(spd.Dense()), ch.Factorize(symOf(spd))))
	add("QR.SolveTo", right, same, func(r, c int) bool { return r == n }, func(m *mat.Dense) error { return qr.SolveTo(new(mat.Dense), m) })
	add("QR.SolveTo, result", right, never, nil, func(m *mat.Dense) error { return qr.SolveTo(m, right.Dense()) })
	add("QR.RTo", spd, never, nil, func(m *mat.Dense) error { qr.RTo(m); return nil })
	add("QR.QTo", spd, never, nil, func(m *mat.Dense) error { qr.QTo(m); return nil })
	solves("Cholesky.SolveUTo", right, func(dst, b *mat.Dense) error { return ch.SolveUTo(dst, b, true) })
	solves("Cholesky.SolveURowsTo", right.T(), func(dst, b *mat.Dense) error { return ch.SolveURowsTo(dst, b, false) })
	add("Cholesky.SolveUTriangle", spd, lower, nil, ch.SolveUTriangle)
	add("Cholesky.MulUTriangle", spd, upper, nil, ch.MulUTriangle)
	for _, trans := range []bool{false, true} {
		add("SolveTriangular, B", right, same, func(r, c int) bool { return r == n },
			func(m *mat.Dense) error { return SolveTriangular(bk, m, hold(spd), trans) })
		add("SolveTriangular, R", spd, upper, nil, func(m *mat.Dense) error { return SolveTriangular(bk, hold(right), m, trans) })
		rows := right.T()
		add("SolveTriangularRows, B", rows, same, func(r, c int) bool { return c == n },
			func(m *mat.Dense) error { return SolveTriangularRows(bk, m, hold(spd), trans) })
		add("SolveTriangularRows, R", spd, upper, nil, func(m *mat.Dense) error { return SolveTriangularRows(bk, hold(rows), m, trans) })
	}
	add("InvertTriangle", spd, upper, square, func(m *mat.Dense) error { return InvertTriangle(bk, m) })
	add("RCondTriangle", spd, never, square, func(m *mat.Dense) error { RCondTriangle(bk, m); return nil })
	for name, do := range map[string]func(bk blskernel.Backend, r, z, b, y *mat.Dense) error{"AppendRows": AppendRows, "MergeTriangles": MergeTriangles} {
		below := moved(n, 0)
		if name == "MergeTriangles" {
			below = func(i, j int) (int, int, bool) { return i + n, j, i <= j }
		}
		add(name+", R", spd, upper, nil, func(m *mat.Dense) error { return do(bk, m, hold(right), hold(more), hold(right)) })
		add(name+", z", right, moved(0, n), nil, func(m *mat.Dense) error { return do(bk, hold(spd), m, hold(more), hold(right)) })
		add(name+", second matrix", more, below, nil, func(m *mat.Dense) error { return do(bk, hold(spd), hold(right), m, hold(right)) })
		add(name+", its right-hand sides", right, moved(n, n), nil,
			func(m *mat.Dense) error { return do(bk, hold(spd), hold(right), hold(more), m) })
	}
	return all
}

// TestHostileNaN gives each operand of each routine a NaN or an infinity, of each kind, in every place
// of small operands, and another at the end: the error has the place and the value of the first, and
// nothing is written. What a routine does not read may be anything.
func TestHostileNaN(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	backends.On(t, func(t *testing.T, bk blskernel.Backend) {
		for _, n := range []int{1, 2, 5, 17, 65, 130} {
			rng := testutil.Rand(uint64(n))
			for _, o := range operands(t, bk, n, min(n, 3)) {
				kinds := testutil.NotNumbers
				if n > 5 {
					kinds = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}
				}
				for k, bad := range kinds {
					for i, at := range positions(rng, o.good.R, o.good.C) {
						if n == 5 && (i+k)%3 > 0 || n > 5 && i%len(kinds) != k {
							// All places and all kinds, but not all pairs.
							continue
						}
						o.check(t, n, bad, at[0], at[1])
					}
				}
			}
		}
	})
}

func (o operand) check(t *testing.T, n int, bad float64, i, j int) {
	t.Helper()
	m := o.good.Dense()
	m.Set(i, j, bad)
	r, c, read := o.at(i, j)
	if read {
		m.Set(o.good.R-1, o.good.C-1, bad)
	}
	before := testmat.Of(m)
	name := fmt.Sprintf("n=%d: %s: %v (%x) at (%d, %d)", n, o.name, bad, math.Float64bits(bad), i, j)
	err := o.run(m)
	if !read {
		if err != nil {
			t.Errorf("%s, which is not read: %v", name, err)
		}
		return
	}
	wantElement(t, name, err, ErrNotFinite, r, c)
	var e *ElementError
	if errors.As(err, &e) && e.Value != bad && !(math.IsNaN(e.Value) && math.IsNaN(bad)) {
		t.Errorf("%s: the value is said to be %v", name, e.Value)
	}
	if !testmat.SameBits(before.X, denseData(m)) {
		t.Errorf("%s: the operand was changed", name)
	}
}

// positions returns every element of a small r×c matrix, and otherwise the corners, elements around the
// middle, and random ones.
func positions(rng *rand.Rand, r, c int) (all [][2]int) {
	if r*c <= 36 {
		for i := range r * c {
			all = append(all, [2]int{i / c, i % c})
		}
		return all
	}
	all = [][2]int{{0, 0}, {0, c - 1}, {r - 1, 0}, {r - 1, c - 1}, {r / 2, c / 2}, {r / 2, min(c/2+1, c-1)}, {r / 2, max(c/2-1, 0)}}
	for range 5 {
		all = append(all, [2]int{rng.IntN(r), rng.IntN(c)})
	}
	return all
}

// NaN and infinities in a matrix end a routine at once, and are reported: eigenvalues and singular
// values are NaN, and R is finite before their column. If the routine is ours and not gonum's, the end
// of R is not finite.
func TestImplementationNotFinite(t *testing.T) {
	testutil.NotUnderRace(t, "computing in one goroutine")
	rng, bk := testutil.Rand(27), fastBLAS(t)
	for _, n := range []int{1, 2, 3, 7, 100, 150} {
		for _, at := range [][2]int{{0, 0}, {0, n - 1}, {n / 2, n / 2}, {n / 3, n / 2}, {n - 1, n - 1}} {
			for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				a := testmat.Random(rng, n, n)
				a.Set(at[0], at[1], v)
				check := func(name string, failed bool, values ...float64) {
					t.Helper()
					if !failed || slices.ContainsFunc(values, func(v float64) bool { return v == v }) {
						t.Errorf("n=%d: %v at %v: %s: an error is %v, values %v", n, v, at, name, failed, values)
					}
				}
				for _, vectors := range []bool{false, true} {
					e := dgeev(t, Implementation{Backend: bk}, a, vectors, vectors)
					check("Dgeev", e.first == n, append(e.wr, e.wi...)...)
				}
				for _, job := range []gonumlapack.EVJob{gonumlapack.EVNone, gonumlapack.EVCompute} {
					w, _, ok := syev(t, bk, job, blas.Upper, a)
					check("Dsyev", !ok, w...)
				}
				definite := testmat.Sym(n, func(i, j int) float64 { return a.At(i, j) + float64(4*n)*testmat.Unless(i != j) })
				for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
					check("Dpotrf", !Implementation{Backend: bk}.Dpotrf(ul, n, slices.Clone(definite.X), n))
				}
				d := svdOf(t, bk, a, gonumlapack.SVDStore, gonumlapack.SVDStore)
				check("Dgesvd", !d.ok, d.values...)
				for _, lq := range []bool{false, true} {
					x, tau := orthogonal{Implementation{Backend: bk}, t, lq}.factor(a)
					r := append(x.Upper(0).Part(0, 0, n, at[1]).X, tau[:at[1]]...)
					last := x.At(n-1, n-1)
					if slices.ContainsFunc(r, func(v float64) bool { return v-v != 0 }) || n >= 100 && last-last == 0 {
						t.Errorf("n=%d: %v at %v: LQ %v: R is not finite before that column, or ends in %v", n, v, at, lq, last)
					}
				}
			}
		}
	}
}
