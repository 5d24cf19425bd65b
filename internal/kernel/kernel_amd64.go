//go:build !noasm

package kernel

import "github.com/klauspost/cpuid/v2"

//go:generate go -C _asm run .

// vectorKernels are the kernels in assembly, best first. See _asm for how they are made.
var vectorKernels = []Kernel{
	{
		Name: "avx512",
		Available: func() bool {
			return cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512VL, cpuid.FMA3, cpuid.BMI2)
		},
		MR:        8,
		NR:        24,
		Speed:     50,
		Gemm:      gemmAVX512,
		Solve:     solveAVX512,
		Multiply:  multiplyAVX512,
		Copy:      copyRowsAVX512,
		Transpose: transposeBy(8, transposeAVX512),
		Peak:      peakAVX512,
		PeakWidth: 12 * 8,
		Dot:       dotAVX512,
		Axpy:      axpyAVX2,
		Scal:      scalAVX512,
		AbsMax:    absMaxAVX512,
		AddAbs:    addAbsAVX2,
		GemvN:     gemvNAVX512,
		GemvT:     gemvTAVX512,
		Ger:       gerAVX2,
		Symv:      symvAVX512,
		Tanh:      elementwise(tanhAVX512, tanhTable),
		Exp:       elementwise(expAVX512, expTable),
	},
	{
		Name:      "avx2",
		Available: func() bool { return cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3) },
		MR:        6,
		NR:        8,
		Speed:     50,
		Gemm:      gemmAVX2,
		Solve:     solveAVX2,
		Multiply:  multiplyAVX2,
		Copy:      copyRowsAVX2,
		Transpose: transposeBy(4, transposeAVX2),
		Peak:      peakAVX2,
		PeakWidth: 12 * 4,
		Dot:       dotAVX2,
		Axpy:      axpyAVX2,
		Scal:      scalAVX2,
		AbsMax:    absMaxAVX2,
		AddAbs:    addAbsAVX2,
		GemvN:     gemvNAVX2,
		GemvT:     gemvTAVX2,
		Ger:       gerAVX2,
		Symv:      symvAVX2,
		Tanh:      elementwise(tanhAVX2, tanhTable),
		Exp:       elementwise(expAVX2, expTable),
	},
}
