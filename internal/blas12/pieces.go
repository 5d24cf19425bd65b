package blas12

// pieces returns in how many pieces so many rows come where each contributes to all of a vector: how
// many does not depend on goroutines, so that the sum of the contributions does not either. Two, four
// or eight threads have the same number of them each, and the sum costs a thirtieth of the work, or
// less.
func pieces(rows int) int {
	switch {
	case rows < 256:
		return 1
	case rows < 512:
		return 4
	case rows < 2048:
		return 8
	default:
		return 16
	}
}
