package lapack

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/internal/kernel"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/fuzz"
	"blskernel/internal/testutil/guard"
	"blskernel/mat"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// A problem is what a fuzzer decides: numbers taken from its data, zeros where that ends, and memory in which
// what lies beside an operand cannot be touched.
type problem struct {
	fuzz.Choices
	t       *testing.T
	rng     *rand.Rand
	bk      blskernel.Backend
	edge    guard.Edge
	regions []*guard.Region
}

// order returns an order up to most; the smaller ones have the block sizes of the tests, two to nine.
func (p *problem) order(most int) (n, nb int) { return p.Below(most + 1), 2 + p.Below(8) }

// region returns memory for n elements that nobody has.
func (p *problem) region(n int) []float64 {
	r := p.regions[0]
	p.regions = p.regions[1:]
	return r.Slice(n, p.edge)
}

// dense puts a into guarded memory, with canaries between its rows.
func (p *problem) dense(a *full) *mat.Dense {
	stride := max(1, a.c) + p.Below(4)
	if a.r == 0 || a.c == 0 {
		return &mat.Dense{}
	}
	x := p.region((a.r-1)*stride + a.c)
	for i := range x {
		x[i] = canary
	}
	for i := range a.r {
		copy(x[i*stride:], a.row(i))
	}
	d := new(mat.Dense)
	d.SetRawMatrix(blas64.General{Rows: a.r, Cols: a.c, Stride: stride, Data: x})
	return d
}

const canary = 12345.678

// intact fails if something between the rows of d has changed.
func (p *problem) intact(d *mat.Dense) {
	p.t.Helper()
	raw := d.RawMatrix()
	for i, v := range raw.Data {
		if raw.Cols > 0 && i%raw.Stride >= raw.Cols && v != canary {
			p.t.Fatalf("element %d between the rows was written", i)
		}
	}
}

// packed puts a into guarded memory.
func (p *problem) packed(a *mat.SymPacked) *mat.SymPacked {
	ap := a.RawSymPacked().Data
	x := p.region(len(ap))
	copy(x, ap)
	return mat.NewSymPacked(a.SymmetricDim(), x)
}

// do runs f, which touches nothing beside its operands.
func (p *problem) do(f func() error) error {
	p.t.Helper()
	var err error
	if guard.Faults(func() { err = f() }) {
		p.t.Fatal("something beside an operand was read or written")
	}
	return err
}

// mostGuarded is the number of elements that a guarded operand has room for.
const mostGuarded = 1 << 13

// fuzzed adds seeds for orders about the boundaries of tiles and blocks, and runs f on a backend that the
// fuzzer chooses: the pure one on each kernel, and gonum's BLAS, for which packed blocks are copied.
func fuzzed(f *testing.F, run func(p *problem)) {
	for form := range byte(5) {
		for _, n := range []byte{0, 1, 2, 3, 5, 7, 8, 9, 16, 17, 23, 24, 25, 40} {
			f.Add([]byte{form, form, n, n / 3, 1, 2, 3, form}, uint64(n))
		}
	}
	rnd := testutil.Rand(21)
	for range 40 {
		data := make([]byte, 16)
		for i := range data {
			data[i] = byte(rnd.IntN(256))
		}
		f.Add(data, rnd.Uint64())
	}
	backends := []blskernel.Backend{gonumBackend{}}
	for _, name := range kernel.Names() {
		bk, err := blskernel.Lookup("pure/" + name)
		if err != nil {
			f.Fatal(err)
		}
		backends = append(backends, bk)
	}
	var regions []*guard.Region
	for range 6 {
		regions = append(regions, guard.New(f, mostGuarded))
	}
	blskernel.SetThreads(1) // a fault in another goroutine would end the program
	f.Cleanup(func() { blskernel.SetThreads(0) })
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		p := &problem{t: t, Choices: data, rng: testutil.Rand(seed), regions: regions}
		p.bk = backends[p.Below(len(backends))]
		p.edge = guard.Edges[p.Below(len(guard.Edges))]
		run(p)
	})
}

// matrix returns a symmetric matrix of one of some kinds, which make pivots of either size and exchanges of
// any distance.
func (p *problem) matrix(n int) *mat.SymPacked {
	kind := p.Below(4)
	return symFunc(n, func(i, j int) float64 {
		v := p.rng.NormFloat64()
		switch {
		case kind == 1 && i == j, kind == 2 && p.rng.IntN(3) > 0:
			return 0
		case kind == 3:
			return v * math.Pow(10, -float64((i*7+j*3)%9))
		}
		return v
	})
}

// symmetric checks a factorization in place, solutions and the inverse in place of a in guarded memory.
func (p *problem) symmetric(f symmetricFactor, a *mat.SymPacked) {
	t, af, n := p.t, fullOf(a), a.SymmetricDim()
	held := p.packed(a)
	if err := p.do(func() error { return f.FactorizeInPlace(held) }); errors.Is(err, ErrSingular) {
		return // which some kinds are
	} else if err != nil {
		t.Fatal(err)
	}
	if r := over(af.sub(reconstruct(f)).norm(), float64(n)*eps, af.norm()); !(r <= ratioBound) {
		t.Errorf("n=%d: ‖A - UᵀDU‖/(n ‖A‖ eps) = %.3g", n, r)
	}
	b := randomFull(p.rng, n, p.Below(9))
	if b.r > 0 && b.c > 0 {
		x := p.dense(b)
		if err := p.do(func() error { return f.SolveTo(x, x) }); err == nil {
			checkSolution(t, "SolveTo", af, fullOf(x), b)
		} else if !errors.Is(err, ErrSingular) {
			t.Error(err)
		}
		p.intact(x)
		rows := p.dense(b.transpose())
		if err := p.do(func() error { return f.SolveRowsTo(rows, rows) }); err == nil {
			checkSolution(t, "SolveRowsTo", af, fullOf(rows).transpose(), b)
		} else if !errors.Is(err, ErrSingular) {
			t.Error(err)
		}
		p.intact(rows)
	}
	var inverse *mat.SymPacked
	err := p.do(func() (err error) { inverse, err = f.InverseInPlace(); return err })
	if err != nil {
		if !errors.Is(err, ErrSingular) {
			t.Error(err)
		}
		return
	}
	checkInverse(t, "InverseInPlace", af, fullOf(inverse))
}

func FuzzLDLT(f *testing.F) {
	fuzzed(f, func(p *problem) {
		n, nb := p.order(60)
		p.symmetric(&LDLT{Backend: p.bk, nb: nb}, p.matrix(n))
	})
}

func FuzzCholesky(f *testing.F) {
	fuzzed(f, func(p *problem) {
		n, nb := p.order(60)
		top := math.Pow(10, float64(p.Below(9)))
		a := symSpectrum(p.rng, n, func(i int) float64 { return math.Pow(top, -float64(i)/float64(max(1, n-1))) })
		p.symmetric(&Cholesky{Backend: p.bk, nb: nb}, a)
	})
}

// FuzzCholeskyTriangle has the products and solutions of two triangles, by halves down to small squares:
// each within 30 n eps of the product of their norms.
func FuzzCholeskyTriangle(f *testing.F) {
	fuzzed(f, func(p *problem) {
		t := p.t
		n, nb := p.order(60)
		c := Cholesky{Backend: p.bk, nb: nb}
		a := symSpectrum(p.rng, n, func(i int) float64 { return 1 + float64(i) })
		if err := p.do(func() error { return c.FactorizeInPlace(p.packed(a)) }); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return
		}
		u, r := upperOf(n, c.u, false), randomFull(p.rng, n, n)
		lower, upper := upperPart(r).transpose(), upperPart(r)
		// The other triangle is NaN, and stays so.
		held := func(a *full, mine func(i, j int) bool) *mat.Dense {
			h := newFull(n, n)
			for i := range n {
				for j := range n {
					h.set(i, j, math.NaN())
					if mine(i, j) {
						h.set(i, j, a.at(i, j))
					}
				}
			}
			return p.dense(h)
		}
		part := func(d *mat.Dense, mine func(i, j int) bool) *full {
			h := newFull(n, n)
			for i := range n {
				for j := range n {
					if v := d.At(i, j); mine(i, j) {
						h.set(i, j, v)
					} else if !math.IsNaN(v) {
						t.Fatalf("element (%d,%d) of the other triangle was written", i, j)
					}
				}
			}
			p.intact(d)
			return h
		}
		below, above := func(i, j int) bool { return i >= j }, func(i, j int) bool { return i <= j }
		l := held(lower, below)
		if err := p.do(func() error { return c.SolveUTriangle(l) }); err != nil {
			t.Fatal(err)
		}
		x := part(l, below)
		ut := u.transpose()
		if r := over(lower.sub(ut.mul(x)).norm(), float64(n)*eps, ut.norm(), x.norm()); !(r <= ratioBound) {
			t.Errorf("SolveUTriangle, n=%d: ‖L - Uᵀ X‖/(n ‖U‖ ‖X‖ eps) = %.3g", n, r)
		}
		m := held(upper, above)
		if err := p.do(func() error { return c.MulUTriangle(m) }); err != nil {
			t.Fatal(err)
		}
		if r := over(part(m, above).sub(u.mul(upper)).norm(), float64(n)*eps, u.norm(), upper.norm()); !(r <= ratioBound) {
			t.Errorf("MulUTriangle, n=%d: ‖X - U R‖/(n ‖U‖ ‖R‖ eps) = %.3g", n, r)
		}
	})
}

func FuzzLU(f *testing.F) {
	fuzzed(f, func(p *problem) {
		t := p.t
		n, nb := p.order(60)
		lu := LU{Backend: p.bk, base: 1 + p.Below(20), nb: nb}
		a := newFull(n, n)
		zeros := p.Below(4)
		for i := range a.x {
			if p.rng.IntN(4) >= zeros {
				a.x[i] = p.rng.NormFloat64()
			}
		}
		held := p.dense(a)
		if err := p.do(func() error { return lu.FactorizeInPlace(held) }); errors.Is(err, ErrSingular) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		p.intact(held)
		if n == 0 {
			return
		}
		b := randomFull(p.rng, n, 1+p.Below(8))
		x := p.dense(b)
		if err := p.do(func() error { return lu.SolveTo(x, x) }); err == nil {
			checkSolution(t, "SolveTo", a, fullOf(x), b)
		} else if !errors.Is(err, ErrSingular) {
			t.Error(err)
		}
		p.intact(x)
		rows := p.dense(b.transpose())
		if err := p.do(func() error { return lu.SolveRowsTo(rows, rows) }); err == nil {
			checkSolution(t, "SolveRowsTo", a.transpose(), fullOf(rows).transpose(), b)
		} else if !errors.Is(err, ErrSingular) {
			t.Error(err)
		}
		p.intact(rows)
		var inverse *mat.Dense
		err := p.do(func() (err error) { inverse, err = lu.InverseInPlace(); return err })
		if err != nil {
			if !errors.Is(err, ErrSingular) {
				t.Error(err)
			}
			return
		}
		p.intact(inverse)
		checkInverse(t, "InverseInPlace", fullOf(inverse), a)
	})
}

// FuzzQR reconstructs A from Q and R, ‖A - Q R‖ <= 30 l eps ‖A‖, and Q is orthonormal,
// ‖I - QᵀQ‖ <= 30 l eps.
func FuzzQR(f *testing.F) {
	fuzzed(f, func(p *problem) {
		t := p.t
		k, nb := p.order(40)
		l := k + p.Below(20)
		if k == 0 {
			return
		}
		qr := QR{Backend: p.bk, base: 1 + p.Below(6), nb: nb}
		a := randomFull(p.rng, l, k)
		for range p.Below(4) { // columns of zeros, which no reflection turns
			j := p.Below(k)
			for i := range l {
				a.set(i, j, 0)
			}
		}
		held := p.dense(a)
		if err := p.do(func() error { return qr.FactorizeInPlace(held) }); err != nil {
			t.Fatal(err)
		}
		p.intact(held)
		r := p.dense(newFull(k, k))
		if err := p.do(func() error { qr.RTo(r); return nil }); err != nil {
			t.Fatal(err)
		}
		p.intact(r)
		var q *mat.Dense
		if err := p.do(func() error { q = qr.QInPlace(); return nil }); err != nil {
			t.Fatal(err)
		}
		p.intact(q)
		qf := fullOf(q)
		if r := over(a.sub(qf.mul(fullOf(r))).norm(), float64(l)*eps, a.norm()); !(r <= ratioBound) {
			t.Errorf("%d×%d: ‖A - Q R‖/(l ‖A‖ eps) = %.3g", l, k, r)
		}
		if r := over(identity(k).sub(qf.transpose().mul(qf)).norm(), float64(l)*eps); !(r <= ratioBound) {
			t.Errorf("%d×%d: ‖I - QᵀQ‖/(l eps) = %.3g", l, k, r)
		}
	})
}

// FuzzElimination has AppendRows and MergeTriangles: R'ᵀR' is the sum of the two, and R'ᵀz' that of the
// right-hand sides, within 4·30 (k+q) eps of the products of norms.
func FuzzElimination(f *testing.F) {
	fuzzed(f, func(p *problem) {
		t := p.t
		k, q, c := 1+p.Below(40), 1+p.Below(40), 1+p.Below(8)
		merge := p.Below(2) == 1
		if merge {
			q = k
		}
		r1, held := triangleOf(p.rng, k)
		z1, r2, z2 := randomFull(p.rng, k, c), randomFull(p.rng, q, k), randomFull(p.rng, q, c)
		second := p.dense(r2)
		if merge {
			var heldSecond *full
			r2, heldSecond = triangleOf(p.rng, k)
			second = p.dense(heldSecond)
		}
		r, z, y := p.dense(held), p.dense(z1), p.dense(z2)
		err := p.do(func() error {
			if merge {
				return MergeTriangles(p.bk, r, z, second, y)
			}
			return AppendRows(p.bk, r, z, second, y)
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []*mat.Dense{r, z, second, y} {
			p.intact(d)
		}
		for i := range k {
			for j := range i {
				if !math.IsNaN(r.At(i, j)) {
					t.Fatalf("element (%d,%d) below the diagonal was written", i, j)
				}
			}
		}
		u := upperPart(fullOf(r))
		size, rhs := r1.norm()+r1.transpose().norm()+r2.norm()+r2.transpose().norm(), z1.norm()+z2.norm()
		most := 4 * ratioBound * float64(k+q) * eps * size
		want := r1.transpose().mul(r1)
		added := r2.transpose().mul(r2)
		if d := u.transpose().mul(u).sub(want).sub(added).norm(); !(d <= most*size) {
			t.Errorf("k=%d q=%d: R'ᵀR' is off by %.3g, the bound is %.3g", k, q, d, most*size)
		}
		want, added = r1.transpose().mul(z1), r2.transpose().mul(z2)
		if d := u.transpose().mul(fullOf(z)).sub(want).sub(added).norm(); !(d <= most*rhs) {
			t.Errorf("k=%d q=%d: R'ᵀz' is off by %.3g, the bound is %.3g", k, q, d, most*rhs)
		}
	})
}

// FuzzDenseTriangles has the dense routines on one triangle of a matrix, by halves down to tiles, whose other
// triangle is NaN: Cholesky factor and inverse, and the inverse of a triangle.
func FuzzDenseTriangles(f *testing.F) {
	fuzzed(f, func(p *problem) {
		t := p.t
		n := p.Below(80)
		ul, diag := []blas.Uplo{blas.Upper, blas.Lower}[p.Below(2)], []blas.Diag{blas.NonUnit, blas.Unit}[p.Below(2)]
		lda := max(1, n) + p.Below(4)
		if n == 0 {
			return
		}
		spd := fullOf(symSpectrum(p.rng, n, func(i int) float64 { return 1 + float64(i) }))
		hold := func(unit bool, at func(i, j int) float64) *guarded {
			g := newGuarded(ul, n, lda, unit, at)
			x := p.region(len(g.a))
			copy(x, g.a)
			g.a = x
			return g
		}
		// check looks at what lies in the other triangle and between the rows; what lies outside cannot be
		// touched.
		check := func(g *guarded) {
			t.Helper()
			copy(g.all[guardLength:], g.a)
			g.check(t, "dense")
		}
		g := hold(false, spd.at)
		if bad := -1; p.do(func() error { bad = dpotrf(p.bk, ul, n, g.a, lda); return nil }) != nil || bad >= 0 {
			t.Fatalf("n=%d %c: pivot %d is not positive", n, ul, bad)
		}
		check(g)
		u := g.upper()
		if r := over(spd.sub(u.transpose().mul(u)).norm(), float64(n)*eps, spd.norm()); !(r <= ratioBound) {
			t.Errorf("n=%d %c: ‖A - UᵀU‖/(n ‖A‖ eps) = %.3g", n, ul, r)
		}
		_ = p.do(func() error { dpotri(p.bk, ul, n, g.a, lda); return nil })
		check(g)
		checkInverse(t, "dpotri", spd, g.symmetric())

		triangle, _ := triangleOf(p.rng, n)
		g = hold(diag == blas.Unit, func(i, j int) float64 { return triangle.at(min(i, j), max(i, j)) })
		before := g.triangular()
		_ = p.do(func() error { dtrtri(p.bk, ul, diag, n, g.a, lda); return nil })
		check(g)
		checkInverse(t, "dtrtri", before, g.triangular())

		// The same triangle to solve with, from either side, for columns of any number.
		g = hold(diag == blas.Unit, func(i, j int) float64 { return triangle.at(min(i, j), max(i, j)) })
		before = g.triangular()
		side, tr := []blas.Side{blas.Left, blas.Right}[p.Below(2)], []blas.Transpose{blas.NoTrans, blas.Trans}[p.Below(2)]
		b := randomFull(p.rng, n, 1+p.Below(40))
		op := before
		if tr != blas.NoTrans {
			op = before.transpose()
		}
		if side == blas.Left {
			x := p.dense(b)
			raw := x.RawMatrix()
			_ = p.do(func() error {
				dtrsm(p.bk, side, ul, tr, diag, n, b.c, 1, g.a, lda, raw.Data, raw.Stride)
				return nil
			})
			p.intact(x)
			checkSolution(t, "dtrsm", op, fullOf(x), b)
		} else {
			x := p.dense(b.transpose())
			raw := x.RawMatrix()
			_ = p.do(func() error {
				dtrsm(p.bk, side, ul, tr, diag, b.c, n, 1, g.a, lda, raw.Data, raw.Stride)
				return nil
			})
			p.intact(x)
			checkSolution(t, "dtrsm", op.transpose(), fullOf(x).transpose(), b)
		}
		check(g)
	})
}
