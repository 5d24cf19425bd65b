package blas12

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"blskernel/internal/testutil/kernels"

	"gonum.org/v1/gonum/blas"
)

// inPieces is a Share that always shares, in three ranges of which the last is begun first.
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

// A pass is one call of a routine that goroutines may share, and whether it is so large that they do.
type pass struct {
	name   string
	shared bool
	do     func(r *Routines, a, x, y []float64)
}

// passes have matrices of at most 700×701 numbers, with rows 701 apart.
func passes() []pass {
	const ld = 701
	var all []pass
	const least = 80_000 // numbers that pass
	add := func(numbers int, do func(r *Routines, a, x, y []float64), format string, args ...any) {
		all = append(all, pass{fmt.Sprintf(format, args...), numbers >= least, do})
	}
	for _, s := range [][2]int{{300, 301}, {700, 701}, {250, 400}, {123, 700}, {699, 257}, {600, 255}} {
		m, n := s[0], s[1]
		for _, inc := range [][2]int{{1, 1}, {-2, 3}, {2, -1}} {
			for _, tA := range []blas.Transpose{blas.NoTrans, blas.Trans} {
				add(m*n, func(r *Routines, a, x, y []float64) { r.Dgemv(tA, m, n, 0.7, a, ld, x, inc[0], 1.3, y, inc[1]) },
					"Dgemv %c %d×%d, increments %v", tA, m, n, inc)
			}
			add(2*m*n, func(r *Routines, a, x, y []float64) { r.Dger(m, n, 0.7, x, inc[0], y, inc[1], a, ld) }, "Dger %d×%d, increments %v", m, n, inc)
		}
	}
	for _, n := range []int{255, 256, 283, 399, 400, 449, 700} {
		triangle := n * (n + 1) / 2
		for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
			for _, inc := range []int{1, -2} {
				add(triangle, func(r *Routines, a, x, y []float64) { r.Dsymv(ul, n, 0.7, a, ld, x, inc, 1.3, y, inc) }, "Dsymv %c %d, increment %d", ul, n, inc)
				add(triangle, func(r *Routines, a, x, y []float64) { r.Dspmv(ul, n, 0.7, a, x, inc, 1.3, y, inc) }, "Dspmv %c %d, increment %d", ul, n, inc)
				add(2*triangle, func(r *Routines, a, x, y []float64) { r.Dsyr(ul, n, 0.7, x, inc, a, ld) }, "Dsyr %c %d, increment %d", ul, n, inc)
				add(2*triangle, func(r *Routines, a, x, y []float64) { r.Dsyr2(ul, n, 0.7, x, inc, y, inc, a, ld) }, "Dsyr2 %c %d, increment %d", ul, n, inc)
				add(2*triangle, func(r *Routines, a, x, y []float64) { r.Dspr2(ul, n, 0.7, x, inc, y, inc, a) }, "Dspr2 %c %d, increment %d", ul, n, inc)
				add(2*triangle, func(r *Routines, a, x, y []float64) { r.Dspr(ul, n, 0.7, x, inc, a) }, "Dspr %c %d, increment %d", ul, n, inc)
			}
		}
	}
	return all
}

// TestShared compares, bit for bit, what several goroutines compute with what one does.
func TestShared(t *testing.T) {
	for _, k := range kernels.Some(t) {
		t.Run("kernel="+k.Name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(6, 6))
			a, x, y := random(rnd, 701*701), random(rnd, 3*701), random(rnd, 3*701)
			for _, p := range passes() {
				shared := false
				share := func(parts, nanoseconds int, do func(from, to int)) {
					if parts < 2 || nanoseconds < 1 {
						t.Errorf("%s: %d parts of %d ns", p.name, parts, nanoseconds)
					}
					shared = true
					inPieces(parts, nanoseconds, do)
				}
				a1, y1 := slices.Clone(a), slices.Clone(y)
				p.do(New(k, nil), a1, x, y1)
				a2, y2 := slices.Clone(a), slices.Clone(y)
				p.do(New(k, share), a2, x, y2)
				if !slices.Equal(a1, a2) || !slices.Equal(y1, y2) {
					t.Errorf("%s: several goroutines have another result than one", p.name)
				}
				if shared != p.shared {
					t.Errorf("%s: shared is %v, want %v", p.name, shared, p.shared)
				}
			}
		})
	}
}

// TestPiecesOfTriangles checks that pieces begin with blocks of rows, which the bits of Dsyr depend on,
// are all rows, once, and have about the same number of elements.
func TestPiecesOfTriangles(t *testing.T) {
	for _, ul := range []blas.Uplo{blas.Upper, blas.Lower} {
		for n := 32; n < 5000; n += 1 + n/9 {
			a := oneTriangle{ul: ul, n: n}
			for _, count := range []int{pieces(n), updatePieces} {
				if a.begin(0, count) != 0 || a.begin(count, count) != n {
					t.Errorf("ul=%c n=%d: rows from %d to %d", ul, n, a.begin(0, count), a.begin(count, count))
				}
				mean := float64(a.elements()) / float64(count)
				for i := range count {
					from, to := a.begin(i, count), a.begin(i+1, count)
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
