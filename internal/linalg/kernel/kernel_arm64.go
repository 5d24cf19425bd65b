//go:build !noasm

package kernel

import "blskernel/internal/linalg/kernel/neon"

// vectorKernels lists the assembly kernels. Every arm64 CPU has NEON. _asm generates the package neon.
var vectorKernels = []Kernel{
	{
		Name:      "neon",
		Available: func() bool { return true },
		MR:        6,
		NR:        8,
		Speed:     20, // the peak of a Neoverse N1 at 2.5 GHz
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
