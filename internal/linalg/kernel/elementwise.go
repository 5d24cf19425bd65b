package kernel

// elementwise returns the function dst[i] = f(src[i]) over slices for one in assembly, which takes
// addresses, the number of elements and its table of constants.
func elementwise(f func(dst, src *float64, n int, table *float64), table [][4]float64) func(dst, src []float64) {
	return func(dst, src []float64) {
		checkElementwise(dst, src)
		if len(src) > 0 {
			f(&dst[0], &src[0], len(src), &table[0][0])
		}
	}
}

func checkElementwise(dst, src []float64) {
	if len(dst) < len(src) {
		panic("kernel: dst is shorter than src")
	}
}

// rows lays out a table for the vector kernels: every constant four times.
func rows(constants ...float64) [][4]float64 {
	t := make([][4]float64, len(constants))
	for i, c := range constants {
		t[i] = [4]float64{c, c, c, c}
	}
	return t
}
