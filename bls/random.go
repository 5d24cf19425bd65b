package bls

import (
	"math/rand/v2"

	"blskernel/internal/linalg/detmath"
)

// A purpose is a use of random numbers. Each purpose has its own streams.
type purpose uint64

const (
	forGroup       purpose = iota + 1 // We of feature group number index
	forEnhancement                    // Wh, with index 0
	forColumn                         // We of input number index, which has begun to vary
	forSteps                          // the steps, with index 0
)

// stream returns the generator for a purpose and index: a PCG whose state is a function of both and of
// the seed. Both halves of the state depend on all three, since PCG generators with the same low half
// of their state share that half forever.
func stream(seed uint64, p purpose, index int) *rand.Rand {
	mix := detmath.SplitMix64
	id := mix(uint64(p)<<48 | uint64(index))
	return rand.New(rand.NewPCG(mix(seed^id), mix(id^mix(seed))))
}

// uniform fills a, a rows×cols block of a row-major matrix with leading dimension ld, row by row. The
// numbers from r are multiples of 2⁻⁵², uniform on [-1,1).
func uniform(r *rand.Rand, rows, cols int, a []float64, ld int) {
	for i := range rows {
		row := a[i*ld : i*ld+cols]
		for j := range row {
			row[j] = 2*float64(r.Float64()) - 1
		}
	}
}
