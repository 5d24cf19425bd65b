package blas12

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/fuzz"
	"blskernel/internal/testutil/guard"
	"blskernel/internal/testutil/kernels"

	"gonum.org/v1/gonum/blas/gonum"
)

// A comparison calls routines on operands that end or begin at a page that cannot be touched.
type comparison struct {
	*testing.T
	kernels []*Routines
	regions []*guard.Region
}

func newComparison(t testing.TB) (c comparison) {
	for _, k := range kernels.All(t) {
		c.kernels = append(c.kernels, New(k, nil))
	}
	for _, n := range []int{1 << 19, 1 << 12, 1 << 12} {
		c.regions = append(c.regions, guard.New(t, n))
	}
	return c
}

// check compares a routine with gonum's on integers, where both are exact, in what is left in each
// operand, to the last element. Of a solution the right-hand side is gonum's product. What nobody may
// read is NaN. gonum is not given increments, of which its assembly takes negative ones in Dger from
// the wrong end (v0.17.0).
func (c comparison) check(r routine, choices fuzz.Choices, seed uint64) {
	c.Helper()
	rnd := rand.New(rand.NewPCG(seed, 15))
	size := func() int {
		if n := choices.Below(256); n < 248 {
			return n % 71
		}
		return pick(&choices, 131, 255, 256, 300, 513) // triangles in one piece, four or eight
	}
	s := choose(&choices, size(), size())
	all := r.operands(&s, func() float64 { return float64(rnd.IntN(17) - 8) })
	what := fmt.Sprintf("%s %+v", r.name, s)

	plain := s
	plain.incX, plain.incY = 1, 1
	a, x, y := slices.Clone(all[0].x), all[1].elements(), all[2].elements()
	if r.oneVector() && s.incX < 0 {
		all[1].written, plain.n = false, 0
	}
	if s.m == 0 || s.n == 0 {
		all[2].written = false
	}
	solution := strings.HasSuffix(r.name, "sv")
	product := routines[slices.IndexFunc(routines, func(p routine) bool { return p.name == strings.Replace(r.name, "sv", "mv", 1) })]
	product.call(gonum.Implementation{}, &plain, a, x, y)
	if solution {
		for i, at := range all[1].own { // the product is the right-hand side now
			all[1].x[at], x[i] = x[i], all[1].x[at]
		}
	}

	uses := r.storage == "" && r.name != "Daxpy" && r.name != "Dscal" || r.triangular() // whatever alpha is
	read := [3]bool{uses || s.alpha != 0 || r.writes == "a", uses || s.alpha != 0, s.beta != 0 || r.writes != "y" || r.storage == ""}
	if r.writes != "y" {
		read[2] = read[1]
	}
	var before, got [3][]float64
	for i, o := range all {
		before[i] = o.only(read[i])
		got[i] = c.regions[i].Copy(before[i], pick(&choices, guard.Edges...))
	}
	if guard.Faults(func() { r.call(pick(&choices, c.kernels...), &s, got[0], got[1], got[2]) }) {
		c.Fatalf("%s: something beside an operand was read or written", what)
	}
	if !(math.Abs(s.returned-plain.returned) <= 1e-14*plain.returned) && s.returned != plain.returned {
		c.Fatalf("%s: %v, want %v", what, s.returned, plain.returned)
	}
	all[0].x = a
	for i, want := range [][]float64{all[0].elements(), x, y} {
		all[i].equal(c.T, fmt.Sprintf("%s, operand %d", what, i), got[i], before[i], want)
	}
}

func TestRoutines(t *testing.T) {
	testutil.NotUnderRace(t, "it starts no goroutines")
	c, rnd, rounds := newComparison(t), rand.New(rand.NewPCG(19, 1)), 600
	if c.T = t; testutil.Long() {
		rounds = 10_000
	}
	for _, r := range routines {
		for range rounds {
			choices := make(fuzz.Choices, 24)
			for i := range choices {
				choices[i] = byte(rnd.IntN(256))
			}
			c.check(r, choices, rnd.Uint64())
		}
	}
}

func FuzzRoutines(f *testing.F) {
	for i := range routines {
		f.Add(byte(i), []byte{byte(7 * i), byte(40 - i), 1, byte(i), byte(i % 3), 0, byte(i % 2), 1, 0, 2}, uint64(i))
	}
	c := newComparison(f)
	f.Fuzz(func(t *testing.T, routine byte, data []byte, seed uint64) {
		c.T = t
		c.check(routines[int(routine)%len(routines)], data, seed)
	})
}
