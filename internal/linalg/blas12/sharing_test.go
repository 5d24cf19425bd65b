package blas12

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/kernels"

	"gonum.org/v1/gonum/blas"
)

// inPieces is a Share that always shares, in three ranges; it starts the last one first.
func inPieces(parts, _ int, do func(from, to int)) {
	var all sync.WaitGroup
	for i := 2; i >= 0; i-- {
		if from, to := i*parts/3, (i+1)*parts/3; from < to {
			all.Add(1)
			go func() {
				defer all.Done()
				do(from, to)
			}()
		}
	}
	all.Wait()
}

// identical reports whether x and y are equal, with NaN in the same places.
func identical(x, y []float64) bool {
	return slices.EqualFunc(x, y, func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) })
}

// TestShared compares several goroutines on vectors with increments, bit for bit, with one goroutine on
// vectors without. Only the result of Daxpy depends on increments, with which it rounds twice. Matrices
// of 80,000 numbers read or written are shared, but not bands or triangles that multiply or solve.
func TestShared(t *testing.T) {
	k, numbers, shared := kernels.All(t)[0], random(rand.New(rand.NewPCG(6, 6)), 1_330_000), false
	one, several := New(k, nil), New(k, func(parts, nanoseconds int, do func(from, to int)) {
		if parts < 2 || nanoseconds < 1 {
			t.Errorf("%d parts of %d ns", parts, nanoseconds)
		}
		shared = true
		inPieces(parts, nanoseconds, do)
	})
	sizes := [][2]int{{300, 301}, {700, 701}, {250, 400}, {123, 700}, {699, 257}, {600, 255}, {1100, 1000}}
	for _, n := range []int{1, 40, 255, 256, 282, 283, 399, 400, 449, 700} {
		sizes = append(sizes, [2]int{n, n})
	}
	if testutil.UnderRace() {
		sizes = [][2]int{{300, 301}, {250, 400}, {400, 400}}
	}
	for _, size := range sizes {
		for form, inc := range [][2]int{{1, 1}, {-2, 3}, {2, -1}} {
			for _, r := range routines {
				if r.storage != "matrix" && r.storage != "band" && size[0] != size[1] {
					continue
				}
				m, n := size[0], size[1]
				s := shape{m: m, n: n, kL: 100, kU: 9, ld: max(n, 110) + form, incX: inc[0], incY: inc[1], alpha: 0.7, beta: 1.3, d: blas.Unit}
				s.ul, s.tA = []blas.Uplo{blas.Upper, blas.Lower, blas.Upper}[form], []blas.Transpose{blas.NoTrans, blas.Trans, blas.NoTrans}[(form+n)%3]
				if r.oneVector() {
					s.incX = max(inc[0], -inc[0])
				}
				lenX, lenY := n, m
				if r.name == "Dger" || s.tA != blas.NoTrans {
					lenX, lenY = m, n
				}
				a, x, y := slices.Clone(numbers[:(max(m, n)+100)*s.ld]), slices.Clone(numbers[7:][:lenX]), slices.Clone(numbers[2000:][:lenY])
				ownA, ownX, ownY := slices.Clone(a), spread(x, s.incX), spread(y, s.incY)
				plain := s
				plain.incX, plain.incY = 1, 1
				r.call(one, &plain, a, x, y)
				shared = false
				r.call(several, &s, ownA, ownX, ownY)
				same := identical(ownA, a) && identical(ownX, spread(x, s.incX)) && identical(ownY, spread(y, s.incY))
				if r.name != "Daxpy" && !same || s.returned != plain.returned {
					t.Errorf("%s %+v: the result differs from one goroutine without increments", r.name, s)
				}
				passing := map[string]int{"matrix": m * n, "full": n * (n + 1) / 2, "packed": n * (n + 1) / 2}[r.storage]
				if r.writes {
					passing *= 2 // read and written
				}
				sharing := !r.triangular() && passing >= 80_000
				if shared != sharing {
					t.Errorf("%s %+v: shared is %v, want %v", r.name, s, shared, sharing)
				}
			}
		}
	}
}

// TestPiecesOfTriangles checks that pieces start at blocks of rows, on which the bits of Dsyr depend,
// cover all rows once, and have about the same number of elements.
func TestPiecesOfTriangles(t *testing.T) {
	for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
		for n := 32; n < 5000; n += 1 + n/9 {
			a := oneTriangle{ul: ul, n: n}
			for _, count := range []int{pieces(n), updatePieces} {
				if a.firstRow(0, count) != 0 || a.firstRow(count, count) != n {
					t.Errorf("ul=%c n=%d: rows from %d to %d", ul, n, a.firstRow(0, count), a.firstRow(count, count))
				}
				mean := float64(a.elements()) / float64(count)
				for i := range count {
					from, to := a.firstRow(i, count), a.firstRow(i+1, count)
					if from%blockRows != 0 || to < from {
						t.Errorf("ul=%c n=%d: piece %d of %d has rows %d to %d", ul, n, i, count, from, to)
					}
					elements := (to*(to+1) - from*(from+1)) / 2
					if ul == blas.Upper {
						elements = (to - from) * (2*n - from - to + 1) / 2
					}
					// A piece is off by up to a block of rows at each end.
					if !(math.Abs(float64(elements)-mean) <= float64(blockRows*n)) {
						t.Errorf("ul=%c n=%d: piece %d of %d has %d elements; the mean is %v", ul, n, i, count, elements, mean)
					}
				}
			}
		}
	}
}
