package backend_test

import (
	"math"
	"strings"
	"testing"

	"blskernel/internal/check"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
)

// A dimension, a distance between rows or an increment that is so large that a multiple of it
// overflows, or that an integer of 32 bits does not hold, is too large for any slice: every routine
// says so and touches nothing.
func TestArgumentsOverflow(t *testing.T) {
	testutil.NotUnderRace(t, "it starts no goroutines")
	huge := []int{math.MaxInt / 2, math.MaxInt/2 + 1, math.MaxInt/2 + 1<<20, math.MaxInt - 2, math.MaxInt}
	if math.MaxInt > math.MaxInt32 {
		for _, over := range []float64{0x1p31, 0x1p32, 0x1p32 + 1, 0x1p33 + 12, 0x1p62 + 0x1p32} {
			huge = append(huge, int(over))
		}
	}
	all := candidates(t)[1:]
	for _, s := range signatures {
		for _, v := range variants {
			a := s.arguments(v, s.on(reference()))
			for _, b := range all {
				if _, made := b.Backend.(plain); made && !s.optional() {
					continue
				}
				for _, name := range strings.Fields(s.params) {
					increment := strings.HasPrefix(name, "inc")
					if !increment && !strings.HasPrefix(name, "ld") && !strings.Contains(" m n k kL kU ", " "+name+" ") {
						continue
					}
					for _, h := range huge {
						values := []int{h}
						if increment && !s.oneVector() {
							values = append(values, -h)
						}
						for _, value := range values {
							p, wrote := s.call(s.on(b.Backend), a.with(change{name, value}))
							if text, is := p.(string); !is || !strings.HasPrefix(text, "blas: ") || wrote {
								t.Fatalf("%s of %s: %s = %d in %v: panics with %v; wrote: %v", s.routine, b.name, name, value, a, p, wrote)
							}
						}
					}
				}
			}
		}
	}
}

// A matrix of one row may have any distance between rows. A library of 32-bit integers is not asked to
// take one that it cannot hold.
func TestArgumentsOneRow(t *testing.T) {
	for _, b := range backends.All(t) {
		for _, ld := range []int{1, 7, math.MaxInt32} {
			c := []float64{math.NaN()}
			if p := testutil.PanicValue(func() { b.Dgemm('N', 'N', 1, 1, 1, 2, []float64{3}, ld, []float64{5}, ld, 0, c, ld) }); p != nil || c[0] != 30 {
				t.Errorf("%s: with rows %d apart: %v, panics with %v", b.Name(), ld, c, p)
			}
		}
		if math.MaxInt == math.MaxInt32 {
			continue
		}
		ld := math.MaxInt32
		ld++
		c := []float64{7}
		p := testutil.PanicValue(func() { b.Dgemm('N', 'N', 1, 1, 1, 2, []float64{3}, ld, []float64{5}, ld, 0, c, ld) })
		if b.Name() == "openblas" {
			if want := check.TooLarge; p != want || c[0] != 7 {
				t.Errorf("openblas: with rows %d apart: %v, panics with %v; want %q", ld, c, p, want)
			}
		} else if p != nil || c[0] != 30 {
			t.Errorf("%s: with rows %d apart: %v, panics with %v", b.Name(), ld, c, p)
		}
	}
}
