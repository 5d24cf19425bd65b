package blas12

// pieces returns the number of pieces of the given rows if each row contributes to a whole vector. It
// does not depend on goroutines, so the sum of the contributions does not either. Two, four or eight
// threads get equally many pieces, and adding them up costs at most a thirtieth of the work.
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
