package kernel

// dpeakGeneric is the reference for Peak, with eight z.
func dpeakGeneric(n int, x, y float64) float64 {
	var z0, z1, z2, z3, z4, z5, z6, z7 float64
	for range n {
		z0 = fma(x, z0, y)
		z1 = fma(x, z1, y)
		z2 = fma(x, z2, y)
		z3 = fma(x, z3, y)
		z4 = fma(x, z4, y)
		z5 = fma(x, z5, y)
		z6 = fma(x, z6, y)
		z7 = fma(x, z7, y)
	}
	return max(z0, z1, z2, z3, z4, z5, z6, z7)
}
