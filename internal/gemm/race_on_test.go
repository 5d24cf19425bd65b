//go:build race

package gemm

// raceEnabled says that the race detector, under which a sync.Pool forgets at random, is on.
const raceEnabled = true
