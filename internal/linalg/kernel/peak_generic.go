package kernel

// dpeakGeneric is the reference for Peak, with eight lanes. The lanes start at different numbers,
// because the compiler would merge equal lanes.
func dpeakGeneric(n int, x, y float64) float64 {
	z0, z1, z2, z3, z4, z5, z6, z7 := 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0
	for range n {
		z0 = fma(x, y, z0)
		z1 = fma(x, y, z1)
		z2 = fma(x, y, z2)
		z3 = fma(x, y, z3)
		z4 = fma(x, y, z4)
		z5 = fma(x, y, z5)
		z6 = fma(x, y, z6)
		z7 = fma(x, y, z7)
	}
	return max(z0, z1, z2, z3, z4, z5, z6, z7)
}
