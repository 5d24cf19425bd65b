package blas_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/internal/linalg/block"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/fuzz"
	"blskernel/internal/testutil/guard"
	"blskernel/internal/testutil/testmat"

	"gonum.org/v1/gonum/blas"
)

const eps = 0x1p-53

// A check makes a call of Ops and compares all that its operands cover.
type check func(t *testing.T, s *shape, on block.Ops)

// random runs a check on random choices, every second time on the products made of Dgemm, otherwise on
// each kernel in turn.
func (c check) random(t *testing.T) {
	testutil.NotUnderRace(t, "it starts no goroutines")
	rnd, own, all := testutil.Rand(1), regions(t), products(t)
	for i := range 800 {
		s := &shape{Choices: fuzz.Random(rnd, 24), rnd: rnd, edge: guard.Edges[i/2%2], regions: own}
		if i%2 == 0 {
			c(t, s, all[0])
		} else {
			c(t, s, all[1+i/2%(len(all)-1)])
		}
	}
}

// fuzz runs a check on the choices of a fuzzer, with seeds near the boundaries of tiles and panels.
func (c check) fuzz(f *testing.F) {
	for form := range byte(8) {
		for _, size := range []byte{0, 1, 2, 7, 8, 9, 23, 24, 25, 49} {
			f.Add([]byte{form, form / 4, size, (size + form) % 50, (size * form) % 50, form, form >> 1, form >> 2, 1, 2, 3, 4}, uint64(size))
		}
	}
	all, own := products(f), regions(f)
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		s := &shape{Choices: data, rnd: rand.New(rand.NewPCG(seed, 1)), regions: own}
		on := pick(s, all...)
		s.edge = pick(s, guard.Edges...)
		c(t, s, on)
	})
}

func (s *shape) transpose() blas.Transpose { return pick(s, blas.NoTrans, blas.Trans) }

func TestBlockGemm(t *testing.T) { check(checkGemm).random(t) }
func FuzzBlockGemm(f *testing.F) { check(checkGemm).fuzz(f) }

// checkGemm computes C = alpha op(A) op(B) + beta C. A term of an element has at most k+4 roundings:
// two multiplications by scalars, k terms and two additions.
func checkGemm(t *testing.T, s *shape, on block.Ops) {
	m, n, k, tA, tB := s.size(), s.size(), s.size(), s.transpose(), s.transpose()
	alpha, beta := pick(s, 1, -1, 0.5), pick(s, 1, 0, -2.0)
	ra, ca := block.Stored(tA, m, k)
	rb, cb := block.Stored(tB, k, n)
	a, b, c := s.take(s.flag(), false, ra, ca), s.take(s.flag(), false, rb, cb), s.take(s.flag(), false, m, n)
	name := fmt.Sprintf("m=%d n=%d k=%d %c%c", m, n, k, tA, tB)
	run(t, name, func() { on.BlockGemm(tA, tB, m, n, k, alpha, a.Matrix, b.Matrix, beta, c.Matrix) })
	c.compare(t, name, testmat.Whole, float64(k+4), a.was(tA).Scaled(alpha), b.was(tB), beta)
	a.unchanged(t, name, nothing)
	b.unchanged(t, name, nothing)
}

// run fails the test if a call touches memory outside its operands.
func run(t *testing.T, name string, call func()) {
	t.Helper()
	if guard.Faults(call) {
		t.Fatalf("%s: memory outside the operands was read or written", name)
	}
}

// compare checks that the elements inside are A B + beta C, and that nothing else was written.
func (p place) compare(t *testing.T, name string, inside func(i, j int) bool, roundings float64, a, b *testmat.Matrix, beta float64) {
	t.Helper()
	was := p.was(blas.NoTrans).Scaled(beta)
	got := p.matrix(blas.NoTrans, p.all).Sub(was).Sub(a.Mul(b))
	within(t, name, inside, roundings, got, was, a, b)
	p.unchanged(t, name, inside)
}

// within checks that the residuals inside are at most 2.01 roundings eps (|C| + |A| |B|).
func within(t *testing.T, name string, inside func(i, j int) bool, roundings float64, residual, c, a, b *testmat.Matrix) {
	t.Helper()
	size := c.Abs().Sub(a.Abs().Mul(b.Abs()).Scaled(-1))
	for i := range size.R {
		for j := range size.C {
			if r := residual.At(i, j); inside(i, j) && !(math.Abs(r) <= 2.01*roundings*eps*size.At(i, j)) {
				t.Fatalf("%s: element (%d,%d) is off by %v", name, i, j, r)
			}
		}
	}
}

func TestBlockSyrk(t *testing.T) { check(checkSyrk).random(t) }
func FuzzBlockSyrk(f *testing.F) { check(checkSyrk).fuzz(f) }

// checkSyrk computes C = C + alpha op(A) diag(d) op(A)ᵀ. A nil d stands for the identity.
func checkSyrk(t *testing.T, s *shape, on block.Ops) {
	n, k, tA, alpha := s.size(), s.size(), s.transpose(), pick(s, 1, -1, 0.5)
	rows, cols := block.Stored(tA, n, k)
	a, c, d := s.take(s.flag(), false, rows, cols), s.take(s.flag(), true, n, n), slices.Repeat([]float64{1}, k)
	given := d
	if s.flag() {
		given = nil
	} else {
		copy(d, normal(s.rnd, k))
	}
	name := fmt.Sprintf("n=%d k=%d %c", n, k, tA)
	run(t, name, func() { on.BlockSyrk(tA, n, k, alpha, a.Matrix, given, c.Matrix) })
	x := a.was(tA)
	c.compare(t, name, testmat.TriangleOf(blas.Upper, false), float64(k+5), x.Scaled(alpha), x.T().ScaleRows(d), 1)
	a.unchanged(t, name, nothing)
}

func TestBlockTrsm(t *testing.T) { check(checkTrsm).random(t) }
func FuzzBlockTrsm(f *testing.F) { check(checkTrsm).fuzz(f) }

// checkTrsm solves op(A) X = alpha B or X op(A) = alpha B for a well-conditioned triangle A, with NaN
// where it is not read, and multiplies by the triangle again: |op(A)·X - alpha·B| <= gamma_{k+4}
// |op(A)||X| for a triangle of order k (Higham, Accuracy and Stability of Numerical Algorithms, theorem
// 8.5), and the sums by which it is found have the same bound.
func checkTrsm(t *testing.T, s *shape, on block.Ops) {
	m, n, tA, ul := s.size(), s.size(), s.transpose(), blas.Upper
	side, diag, alpha := pick(s, blas.Left, blas.Right), pick(s, blas.NonUnit, blas.Unit), pick(s, 1, -1, 0.5)
	packed := s.flag()
	if !packed && s.flag() {
		ul = blas.Lower
	}
	k := m
	if side == blas.Right {
		k = n
	}
	a := s.take(packed, true, k, k)
	triangle, inside := testmat.Identity(k), testmat.TriangleOf(ul, diag == blas.Unit)
	for i := range k {
		for j := range k {
			if packed && i > j {
				continue // not stored
			}
			v := &a.all[a.at(i, j)]
			switch {
			case !inside(i, j):
				*v = math.NaN()
				continue
			case i == j:
				*v = 2 + s.rnd.Float64()
			default:
				*v /= float64(k)
			}
			triangle.Set(i, j, *v)
		}
	}
	if tA != blas.NoTrans {
		triangle = triangle.T()
	}
	a.before = slices.Clone(a.all)
	b := s.take(s.flag(), false, m, n)
	name := fmt.Sprintf("m=%d n=%d %c%c%c%c", m, n, side, ul, tA, diag)
	run(t, name, func() { on.BlockTrsm(side, ul, tA, diag, m, n, alpha, a.Matrix, b.Matrix) })
	left, right := triangle, b.matrix(blas.NoTrans, b.all)
	if side == blas.Right {
		left, right = right, left
	}
	want := b.was(blas.NoTrans).Scaled(alpha)
	within(t, name, testmat.Whole, float64(k+4), want.Sub(left.Mul(right)), want, left, right)
	b.unchanged(t, name, testmat.Whole)
	a.unchanged(t, name, nothing)
}
