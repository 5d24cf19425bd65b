package memory

import "unsafe"

// hugePage is the size of a huge page, in bytes.
const hugePage = 2 << 20

// Zeros returns n zeros, as make does. For 4 MiB or more it asks Linux for huge pages of 2 MiB, where
// these pay off. A huge page takes its memory as soon as one of its elements is written. Therefore
// make is better if gaps of more than 4 KiB stay unwritten, as in a triangular matrix.
//
//	panics: as make does.
func Zeros(n int) []float64 {
	x := make([]float64, n)
	if from, to := inside(x); from < to && !declined() {
		advise(x[from:to])
	}
	return x
}

// inside returns the elements [from, to) of x that fill whole huge pages; none if x is below 4 MiB.
func inside(x []float64) (from, to int) {
	const page = hugePage / 8
	if len(x) < 2*page {
		return 0, 0
	}
	from = int(-uintptr(unsafe.Pointer(&x[0]))%hugePage) / 8
	return from, from + (len(x)-from)/page*page
}
