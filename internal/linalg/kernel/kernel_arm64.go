//go:build !noasm

package kernel

import "blskernel/internal/linalg/kernel/neon"

// vectorKernels are the kernels in assembly, best first. Every arm64 has NEON. _asm writes the package
// of its functions.
var vectorKernels = []Kernel{
	{
		Name:      "neon",
		Available: func() bool { return true },
		MR:        6,
		NR:        8,
		Speed:     20, // a Neoverse N1 of 2.5 GHz at its peak
		Gemm:      neon.Gemm,
		Solve:     neon.Solve,
		Multiply:  neon.Multiply,
		Copy:      neon.Copy,
		Transpose: transposeBy(2, neon.Transpose),
		Peak:      neon.Peak,
		PeakWidth: 24 * 2,
		Dot:       neon.Dot,
		Axpy:      neon.Axpy,
		Scal:      neon.Scal,
		Rot:       neon.Rot,
		AbsMax:    neon.AbsMax,
		AddAbs:    neon.AddAbs,
		GemvN:     neon.GemvN,
		GemvT:     neon.GemvT,
		Ger:       neon.Ger,
		Dotxaxpyf: neon.Dotxaxpyf,
		Symv:      dsymvGeneric,
		Tanh:      tanhBy(neon.Tanh),
	},
}
