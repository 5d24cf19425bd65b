package gemm

import (
	"math"
	"math/rand/v2"
	"testing"

	"blskernel/internal/cpu"
	"blskernel/internal/kernel"
	"blskernel/internal/testutil/long"
)

// longest is the largest length of the tests of all shapes: three tiles of the widest kernel.
const longest = 70

// everyEngine returns, for each kernel that this machine can run, the engine that is used and those of
// engines that differ from it for small matrices.
func everyEngine(t *testing.T) []*Engine {
	var all []*Engine
	for _, name := range kernel.Names() {
		k, err := kernel.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		tiny := blockSizes{MC: 3 * k.MR, KC: 8, NC: 2 * k.NR}
		all = append(all, New(k), &Engine{kernel: k, blocks: tiny}, &Engine{kernel: k, blocks: tiny, caches: cpu.Caches{L2: math.MaxInt}})
	}
	return all
}

// checkEvery checks Dgemm in one of its cases, with random multipliers, on all engines.
func checkEvery(t *testing.T, rnd *rand.Rand, all []*Engine, cases []routine, m, n, k int) {
	t.Helper()
	multiplier := func() float64 { return []float64{0, 1, -1, 2*rnd.Float64() - 1}[rnd.IntN(4)] }
	alpha := multiplier()
	if alpha == 0 && rnd.IntN(4) > 0 {
		alpha = 1
	}
	p := cases[rnd.IntN(len(cases))].build(rnd, m, n, k, alpha, multiplier())
	p.fill(rnd)
	x := p.expect()
	for _, e := range all {
		active = e
		copy(p.c.all, x.before)
		p.call()
		p.verify(t, x)
		if t.Failed() {
			t.Fatalf("with kernel %s and blocks %+v", e.kernel.Name, e.blocks)
		}
	}
}

// dgemms are the cases of Dgemm.
func dgemms() []routine {
	var cases []routine
	for _, r := range routines() {
		if len(r.name) == len("Dgemm/N/N") && r.name[:6] == "Dgemm/" {
			cases = append(cases, r)
		}
	}
	return cases
}

// Dgemm on C of all shapes up to 70×70, with sums of random length.
func TestShapes(t *testing.T) {
	use(t, active)
	rnd := rand.New(rand.NewPCG(51, 1))
	all, cases := everyEngine(t), dgemms()
	if len(cases) != 4 {
		t.Fatalf("%d cases of Dgemm", len(cases))
	}
	step := 1
	if testing.Short() {
		step = 7
	}
	for m := 0; m <= longest; m += step {
		for n := 0; n <= longest; n++ {
			checkEvery(t, rnd, all, cases, m, n, rnd.IntN(longest+1))
		}
	}
}

// All of them: 71³ problems, a few minutes.
func TestShapesAll(t *testing.T) {
	long.Only(t)
	use(t, active)
	rnd := rand.New(rand.NewPCG(52, 1))
	all, cases := everyEngine(t), dgemms()
	for m := range longest + 1 {
		for n := range longest + 1 {
			for k := range longest + 1 {
				checkEvery(t, rnd, all, cases, m, n, k)
			}
		}
	}
}
