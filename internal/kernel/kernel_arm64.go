//go:build !noasm

package kernel

// Pause tells the CPU that the caller polls. YIELD does nothing on most CPUs; ISB takes about as long
// as PAUSE on amd64.
func Pause() { pause() }

// vectorKernels are the kernels in assembly, best first. Every arm64 has NEON. See _asm for how they
// are made.
var vectorKernels = []Kernel{
	{
		Name:      "neon",
		Available: func() bool { return true },
		MR:        6,
		NR:        8,
		Speed:     20, // a Neoverse N1 of 2.5 GHz at its peak
		Gemm:      dgemmNEON_6x8,
		Solve:     dtrsmNEON_6x8,
		Multiply:  dtrmmNEON_6x8,
		Copy:      dcopyNEON,
		Transpose: transposeBy(2, dtransposeNEON),
		Peak:      dpeakNEON,
		PeakWidth: 24 * 2,
		Dot:       ddotNEON,
		Axpy:      daxpyNEON,
		Scal:      dscalNEON,
		Rot:       drotNEON,
		AbsMax:    dabsMaxNEON,
		AddAbs:    daddAbsNEON,
		GemvN:     dgemvNNEON,
		GemvT:     dgemvTNEON,
		Ger:       dgerNEON,
		Dotxaxpyf: ddotxaxpyfNEON,
		Symv:      dsymvGeneric,
		Tanh:      elementwise(dtanhNEON, tanhTable),
		Exp:       elementwise(dexpNEON, expTable),
	},
}
