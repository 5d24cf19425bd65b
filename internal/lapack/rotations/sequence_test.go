package rotations

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel"
	"blskernel/internal/block"
	"blskernel/internal/lapack"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
)

// A sweep is a call of Forward or Backward.
type sweep struct {
	backward bool
	from     int
	c, s     []float64
}

// randomSweeps returns sweeps of random ranges: many short ones, and runs of equal and of shrinking
// ranges, as the QR algorithm has them, with rotations that are the identity.
func randomSweeps(rng *rand.Rand, rows, n int) (all []sweep) {
	backward := false
	from, to := 0, rows-1
	for range n {
		switch rng.IntN(40) {
		case 0:
			backward = !backward
		case 1, 2, 3:
			from = rng.IntN(rows - 1)
			to = from + 1 + rng.IntN(rows-1-from)
		case 4:
			from, to = 0, rows-1
		case 5, 6, 7, 8:
			to = max(from, to-1)
		}
		c, s := randomRotations(rng.NormFloat64, to-from)
		for j := range c {
			if rng.IntN(9) == 0 {
				c[j], s[j] = 1, 0
			}
		}
		all = append(all, sweep{backward, from, c, s})
	}
	return all
}

// randomRotations returns n rotations by random angles.
func randomRotations(normal func() float64, n int) (c, s []float64) {
	c, s = make([]float64, n), make([]float64, n)
	for j := range c {
		s[j], c[j] = math.Sincos(normal())
	}
	return c, s
}

// apply applies a sweep rotation by rotation, each of two rows a product and a sum.
func (w sweep) apply(row func(i int) []float64) {
	for j := range w.c {
		if w.backward {
			j = len(w.c) - 1 - j
		}
		x, y, c, s := row(w.from+j), row(w.from+j+1), w.c[j], w.s[j]
		for i, v := range x {
			x[i], y[i] = c*v+s*y[i], c*y[i]-s*v
		}
	}
}

// The result is that of one rotation after the other, but for rounding, with the same bits on every
// kernel and for any number of threads, and nothing beside the matrix is written. A second use goes on
// from what the matrix then has.
func TestSequence(t *testing.T) {
	defer blskernel.SetThreads(0)
	for _, size := range [][2]int{{1, 5}, {2, 1}, {3, 8}, {17, 70}, {64, 63}, {65, 130}, {100, 9}, {130, 200}, {150, 0}} {
		rows, cols := size[0], size[1]
		ld := cols + 3
		rng := testutil.Rand(uint64(rows))
		start := make([]float64, rows*ld)
		for i := range start {
			start[i] = rng.NormFloat64()
		}
		var sweeps []sweep
		if rows > 1 {
			sweeps = randomSweeps(rng, rows, 250)
		}
		want := slices.Clone(start)
		for _, w := range sweeps {
			w.apply(func(i int) []float64 { return want[i*ld : i*ld+cols] })
		}
		var first []float64
		backends.OnKernels(t, func(t *testing.T, b blskernel.Backend) {
			for threads := 1; threads <= 3; threads++ {
				blskernel.SetThreads(threads)
				got := slices.Clone(start)
				q := New(lapack.On(b), rows, cols, block.Dense(got, ld))
				for i, w := range sweeps {
					if w.backward {
						q.Backward(w.from, w.c, w.s)
					} else {
						q.Forward(w.from, w.c, w.s)
					}
					if i == 200 {
						q.Flush()
					}
				}
				q.Flush()
				if first == nil {
					first = got
				}
				for i, v := range got {
					if !(math.Abs(v-want[i]) <= 1e-13) || i%ld >= cols && v != start[i] {
						t.Fatalf("%d×%d: row %d, column %d is %v, want %v", rows, cols, i/ld, i%ld, v, want[i])
					}
					if math.Float64bits(v) != math.Float64bits(first[i]) {
						t.Fatalf("%d×%d: with %d threads row %d, column %d is %v, else %v", rows, cols, threads, i/ld, i%ld, v, first[i])
					}
				}
			}
		})
	}
}

// Sweeps of ranges without a row in common share a place, and so does one that goes on where another
// ends. One that touches another from above comes after it.
func TestPlaces(t *testing.T) {
	a := make([]float64, 100)
	q := New(lapack.On(nil), 100, 1, block.Dense(a, 1))
	for i, call := range [][3]int{{10, 10, 0}, {30, 10, 0}, {20, 5, 0}, {25, 4, 0}, {5, 5, 1}, {0, 4, 0}, {50, 40, 0}, {60, 5, 1}, {64, 5, 2}, {69, 3, 2}, {45, 5, 1}} {
		from, n, want := call[0], call[1], call[2]
		if got := q.place(from, n); got != want {
			t.Errorf("sweep %d, of rotations %d to %d, has place %d, want %d", i, from, from+n-1, got, want)
		}
	}
}
