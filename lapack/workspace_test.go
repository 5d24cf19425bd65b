package lapack

import (
	"math"
	"math/rand/v2"
	"testing"

	"blskernel"
	"blskernel/internal/lapack"
)

// fillWorkspaces writes v to all elements of workspaces that the next routine takes.
func fillWorkspaces(v float64) {
	for range 2 { // so that there is room the second time
		var all [6]*lapack.Workspace
		for i := range all {
			all[i] = lapack.Acquire()
			x := all[i].Take(1 << 18)
			for j := range x {
				x[j] = v
			}
		}
		for _, w := range all {
			w.Release()
		}
	}
}

// No bit of a result depends on what earlier calls left in a workspace.
func TestWorkspaceIsUndefined(t *testing.T) {
	defer blskernel.SetThreads(0)
	for k, c := range comparisons() {
		t.Run(c.name, func(t *testing.T) {
			for round := range uint64(12) {
				blskernel.SetThreads(1 + int(round)%2)
				var want []result
				for _, v := range []float64{0, math.NaN(), 1e300} {
					fillWorkspaces(v)
					got := c.run(t, fastBLAS(t), rand.New(rand.NewPCG(uint64(k), round)), 20+12*int(round))
					if v == 0 {
						want = got
					}
					for i, w := range want {
						if !sameBits(got[i].x.x, w.x.x) {
							t.Fatalf("round %d: %s depends on %v in workspaces", round, w.of, v)
						}
					}
				}
			}
		})
	}
}
