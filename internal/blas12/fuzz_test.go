package blas12

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/internal/testutil/fuzz"
	"blskernel/internal/testutil/guard"
	"blskernel/internal/testutil/kernels"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// A shape takes numbers from the data of a fuzzer; there are zeros where it ends.
type shape struct{ fuzz.Choices }

// integers fills a slice with small integers, of which sums of products are exact in any order.
func integers(rnd *rand.Rand, x []float64) []float64 {
	for i := range x {
		x[i] = float64(rnd.IntN(17) - 8)
	}
	return x
}

// straight returns the n elements of a vector one after the other.
func straight(x []float64, n, inc int) []float64 {
	v := gatherCopy(n, x, inc)
	defer v.release()
	return slices.Clone(v.v)
}

// inTriangle tells whether an element is in the triangle ul.
func inTriangle(ul blas.Uplo, i, j int) bool { return i == j || (i < j) == (ul == blas.Upper) }

// FuzzRoutines compares each routine with gonum's, on integers, where both are exact: operands are as
// long as they have to be and no longer, between pages that cannot be touched, and what belongs to none
// of them is NaN where it is only read. What is left in each operand is gonum's, to the last element.
// Of Dtrsv, which is not exact, the residual is.
func FuzzRoutines(f *testing.F) {
	for routine := range byte(11) {
		for _, n := range []byte{0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 64} {
			f.Add([]byte{routine + n, routine, n, n / 2, n % 3, n % 7, routine % 7, n % 5, n % 4, n % 2, n % 3, 1}, uint64(n))
		}
	}
	rnd := rand.New(rand.NewPCG(19, 1))
	for range 300 {
		data := make([]byte, 14)
		for i := range data {
			data[i] = byte(rnd.IntN(256))
		}
		f.Add(data, rnd.Uint64())
	}
	var all []*Routines
	for _, k := range kernels.All(f) {
		all = append(all, New(k, nil))
	}
	regions := []*guard.Region{guard.New(f, 1<<13), guard.New(f, 1<<9), guard.New(f, 1<<9)}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		s, rnd := &shape{data}, rand.New(rand.NewPCG(seed, 15))
		ours := all[s.Below(len(all))]
		routine, m, n := s.Below(10), s.Below(70), s.Below(70)
		incX, incY := []int{1, 2, 3, -1, -2, -3, 1}[s.Below(7)], []int{1, 1, 2, 5, -1, -4, 1}[s.Below(7)]
		alpha, beta := float64(s.Below(5)-2), float64(s.Below(4)-1)
		ul, tA := []blas.Uplo{blas.Upper, blas.Lower}[s.Below(2)], []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans}[s.Below(3)]
		d, edge := []blas.Diag{blas.NonUnit, blas.Unit}[s.Below(2)], guard.Edges[s.Below(2)]
		ld := max(1, n) + s.Below(4)
		square := routine == 4 || routine >= 6 // of order n
		if square || routine < 3 {
			m = n
		}
		lenX, lenY := n, n
		switch {
		case routine == 3 && tA == blas.NoTrans:
			lenY = m
		case routine == 3:
			lenX = m
		case routine == 5:
			lenX = m
		}
		length := func(n, inc int) int {
			if n == 0 {
				return 0
			}
			return (n-1)*max(inc, -inc) + 1
		}
		packed := routine == 7 || routine == 9
		lenA := 0
		switch {
		case m == 0 || n == 0 || routine < 3:
		case packed:
			lenA = n * (n + 1) / 2
		default:
			lenA = (m-1)*ld + n
		}
		a, x, y := integers(rnd, make([]float64, lenA)), integers(rnd, make([]float64, length(lenX, incX))), integers(rnd, make([]float64, length(lenY, incY)))
		written := routine == 5 || routine == 8 || routine == 9 // A
		if square && !packed {
			for i := range n {
				for j := range n {
					at := i*ld + j
					switch {
					case !inTriangle(ul, i, j) || routine == 4 && i == j && d == blas.Unit:
						if !written {
							a[at] = math.NaN()
						}
					case routine == 4 && i == j:
						a[at] = 2 + rnd.Float64()
					case routine == 4:
						a[at] = rnd.NormFloat64() / float64(n)
					}
				}
			}
		}
		call := func(f vectorBLAS, a, x, y []float64) {
			switch routine {
			case 0:
				if len(y) > 0 {
					y[len(y)/2] = f.Ddot(n, x, incX, y, incY)
				}
			case 1:
				f.Daxpy(n, alpha, x, incX, y, incY)
			case 2:
				f.Dscal(n, alpha, x, incX)
			case 3:
				f.Dgemv(tA, m, n, alpha, a, ld, x, incX, beta, y, incY)
			case 4:
				f.Dtrsv(ul, tA, d, n, a, ld, x, incX)
			case 5:
				if _, is := f.(gonum.Implementation); is {
					// Its assembly takes negative increments from the wrong end
					// (gonum v0.17.0).
					f.Dger(m, n, alpha, straight(x, m, incX), 1, straight(y, n, incY), 1, a, ld)
					return
				}
				f.Dger(m, n, alpha, x, incX, y, incY, a, ld)
			case 6:
				f.Dsymv(ul, n, alpha, a, ld, x, incX, beta, y, incY)
			case 7:
				f.Dspmv(ul, n, alpha, a, x, incX, beta, y, incY)
			case 8:
				f.Dsyr(ul, n, alpha, x, incX, a, ld)
			default:
				f.Dspr(ul, n, alpha, x, incX, a)
			}
		}
		wantA, wantX, wantY := slices.Clone(a), slices.Clone(x), slices.Clone(y)
		call(gonum.Implementation{}, wantA, wantX, wantY)
		a0, x0 := slices.Clone(a), slices.Clone(x)
		a, x, y = regions[0].Copy(a, edge), regions[1].Copy(x, edge), regions[2].Copy(y, edge)
		if guard.Faults(func() { call(ours, a, x, y) }) {
			t.Fatalf("routine %d, m=%d n=%d: something beside an operand was read or written", routine, m, n)
		}
		if routine == 4 {
			for i := range n {
				var residual sum
				residual.add(x0[first(n, incX)+i*incX], -1, 1)
				residual.magnitude = 0
				for j := range n {
					r, c := i, j
					if tA != blas.NoTrans {
						r, c = j, i
					}
					switch {
					case i == j && d == blas.Unit:
						residual.add(1, x[first(n, incX)+j*incX], 1)
					case inTriangle(ul, r, c):
						residual.add(a0[r*ld+c], x[first(n, incX)+j*incX], 1)
					}
				}
				if err := residual.within(n+1, 0); err != nil {
					t.Fatalf("Dtrsv, n=%d incX=%d: row %d: %v", n, incX, i, err)
				}
			}
			// Beside the elements nothing has changed.
			for i := range n {
				at := first(n, incX) + i*incX
				wantX[at] = x[at]
			}
		}
		for name, pair := range map[string][2][]float64{"A": {a, wantA}, "x": {x, wantX}, "y": {y, wantY}} {
			for i, v := range pair[0] {
				if w := pair[1][i]; v != w && !(math.IsNaN(v) && math.IsNaN(w)) {
					t.Fatalf("routine %d, m=%d n=%d ul=%c tA=%c incX=%d incY=%d: element %d of %s is %v, gonum's %v", routine, m, n, ul, tA, incX, incY, i, name, v, w)
				}
			}
		}
	})
}
