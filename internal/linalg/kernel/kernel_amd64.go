//go:build !noasm

package kernel

import (
	"github.com/klauspost/cpuid/v2"

	"blskernel/internal/linalg/kernel/avx2"
	"blskernel/internal/linalg/kernel/avx512"
)

//go:generate go -C _asm run .

// vectorKernels lists the assembly kernels, best first. The program in _asm generates their packages.
var vectorKernels = []Kernel{
	{
		Name: "avx512",
		Available: func() bool {
			return cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512VL, cpuid.FMA3, cpuid.BMI2)
		},
		MR:        8,
		NR:        24,
		Speed:     50,
		Gemm:      avx512.Gemm,
		Solve:     avx512.Solve,
		Multiply:  avx512.Multiply,
		Copy:      avx512.Copy,
		Transpose: transposeBy(8, avx512.Transpose),
		Peak:      avx512.Peak,
		PeakWidth: 12 * 8,
		Dot:       avx512.Dot,
		Axpy:      avx2.Axpy,
		Scal:      avx512.Scal,
		Rot:       avx2.Rot,
		AbsMax:    avx512.AbsMax,
		AddAbs:    avx2.AddAbs,
		GemvN:     avx512.GemvN,
		GemvT:     avx512.GemvT,
		Ger:       avx2.Ger,
		Dotxaxpyf: avx512.Dotxaxpyf,
		Symv:      symvOf(avx2.SymvUpper, avx2.SymvLower),
		Tanh:      tanhBy(avx512.Tanh),
	},
	{
		Name:      "avx2",
		Available: func() bool { return cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3) },
		MR:        6,
		NR:        8,
		Speed:     50,
		Gemm:      avx2.Gemm,
		Solve:     avx2.Solve,
		Multiply:  avx2.Multiply,
		Copy:      avx2.Copy,
		Transpose: transposeBy(4, avx2.Transpose),
		Peak:      avx2.Peak,
		PeakWidth: 12 * 4,
		Dot:       avx2.Dot,
		Axpy:      avx2.Axpy,
		Scal:      avx2.Scal,
		Rot:       avx2.Rot,
		AbsMax:    avx2.AbsMax,
		AddAbs:    avx2.AddAbs,
		GemvN:     avx2.GemvN,
		GemvT:     avx2.GemvT,
		Ger:       avx2.Ger,
		Dotxaxpyf: avx2.Dotxaxpyf,
		Symv:      symvOf(avx2.SymvUpper, avx2.SymvLower),
		Tanh:      tanhBy(avx2.Tanh),
	},
}
