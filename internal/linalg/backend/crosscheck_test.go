package backend_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"blskernel"
	"blskernel/internal/linalg/block"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/backends"
	"blskernel/internal/testutil/fuzz"
	"blskernel/internal/testutil/guard"

	"gonum.org/v1/gonum/blas/gonum"
)

func reference() blskernel.Backend { return named{gonum.Implementation{}, "gonum"} }

// plain is a Backend without PackedProducts and FusedProducts of its own.
type plain struct{ blskernel.Backend }

type candidate struct {
	name string
	blskernel.Backend
}

// candidates returns gonum and all backends, each backend also without its own products, which are then
// made of its Dgemm.
func candidates(t testing.TB) []candidate {
	all := []candidate{{"gonum", reference()}}
	for _, b := range backends.All(t) {
		all = append(all, candidate{b.Name(), b}, candidate{b.Name() + " via Dgemm", plain{b}})
	}
	return all
}

func guarded(t testing.TB) (regions []*guard.Region) {
	for range 4 {
		regions = append(regions, guard.New(t, 1<<18))
	}
	return regions
}

func (r signature) check(t *testing.T, d *draw, all []candidate) {
	t.Helper()
	c := r.build(d)
	want, magnitude := c.expect(reference())
	for _, b := range all {
		if _, made := b.Backend.(plain); made && !r.optional() {
			continue
		}
		if b.name == "gonum" && r.gonumDiffers() {
			continue
		}
		x := c.each((*operand).hostile)
		if strings.HasPrefix(b.name, "pure") {
			for i := range x {
				x[i] = d.regions[i].Copy(x[i], guard.Edges[d.intN(2)])
			}
		}
		var got outcome
		if guard.Faults(func() { got = c.run(b.Backend, x) }) {
			t.Fatalf("%s, backend %s: %s: touches memory outside an operand", r.routine, b.name, c.text)
		}
		if err := c.compare(got, want, magnitude); err != nil {
			t.Fatalf("%s, backend %s: %s: %v", r.routine, b.name, c.text, err)
		}
	}
}

// gonumDiffers reports whether gonum v0.17.0 lacks the routine or fails its check: Dgemm multiplies A
// and B by a zero alpha, Dsyrk multiplies C by a zero beta, and Dgemv, where it has no assembly, clears
// the elements after y if beta is zero.
func (r signature) gonumDiffers() bool {
	return r.routine == "Dgemm" || r.routine == "Dsyrk" || r.routine == "Dgemv" || r.optional()
}

// TestCrossCheck compares all backends and kernels with gonum on random shapes, strides, increments and
// scalars, for every routine except Drotg and Drotmg, which gonum's tests cover. Each element must be
// within the bound of componentwise errors,
//
//	|x - y| <= 2 gamma_k (|alpha||A||B| + |beta||C|),
//
// twice the bound of one result, where k is the number of roundings of a term. Everything that must not
// be written stays the same to the bit. What must not be read is NaN. Operands of the backend pure end
// or begin at a page that cannot be touched.
func TestCrossCheck(t *testing.T) {
	testutil.NotUnderRace(t, "the goroutines of the products are tested in internal/linalg/gemm")
	rounds, most := 40, 150
	if testutil.Long() {
		rounds, most = 2000, 400
	}
	all, regions := candidates(t), guarded(t)
	for k, r := range signatures {
		t.Run(r.routine, func(t *testing.T) {
			d := newDraw(nil, uint64(k), most, regions)
			for range rounds {
				r.check(t, d, all)
			}
			// Sizes near the blocks of products and triangles, and of more than one piece
			// of a matrix.
			d.sizes = []int{9, block.Size - 1, block.Size, block.Size + 1, block.Size + 80, 2*block.Size + 1}
			for range 4 {
				r.check(t, d, all)
			}
			d.sizes = []int{2*block.Size + 1}
			r.check(t, d, all)
		})
	}
}

// FuzzBackends is TestCrossCheck with the shapes, flags and scalars of a call chosen by the fuzzer.
func FuzzBackends(f *testing.F) {
	rnd := rand.New(rand.NewPCG(3, 8))
	for k := range signatures {
		for _, size := range []byte{0, 1, 7, 8, 23, 24, 25, 40} {
			data := fuzz.Random(rnd, 24)
			// A size is small if its first choice is not a multiple of 8.
			for i := 2; i+1 < len(data); i += 2 {
				data[i], data[i+1] = 1, size
			}
			f.Add(byte(k), data, uint64(k))
		}
	}
	all, regions := candidates(f), guarded(f)
	f.Fuzz(func(t *testing.T, routine byte, data []byte, seed uint64) {
		r := signatures[int(routine)%len(signatures)]
		r.check(t, newDraw(data, seed, 160, regions), all)
	})
}
