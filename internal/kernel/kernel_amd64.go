//go:build !noasm

package kernel

import "github.com/klauspost/cpuid/v2"

//go:generate go -C _asm run .

// Pause tells the CPU that the caller polls: a sibling that shares the core gets its units meanwhile.
func Pause() { pause() }

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
		Gemm:      dgemmAVX512_8x24,
		Solve:     dtrsmAVX512_8x24,
		Multiply:  dtrmmAVX512_8x24,
		Copy:      dcopyAVX512,
		Transpose: transposeBy(8, dtransposeAVX512),
		Peak:      dpeakAVX512,
		PeakWidth: 12 * 8,
		Dot:       ddotAVX512,
		Axpy:      daxpyAVX2,
		Scal:      dscalAVX512,
		Rot:       drotAVX2,
		AbsMax:    dabsMaxAVX512,
		AddAbs:    daddAbsAVX2,
		GemvN:     dgemvNAVX512,
		GemvT:     dgemvTAVX512,
		Ger:       dgerAVX2,
		Dotxaxpyf: ddotxaxpyfAVX512,
		Symv:      symvOf(dsymvUpperAVX2, dsymvLowerAVX2),
		Tanh:      elementwise(dtanhAVX512, tanhTable),
		Exp:       elementwise(dexpAVX512, expTable),
	},
	{
		Name:      "avx2",
		Available: func() bool { return cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3) },
		MR:        6,
		NR:        8,
		Speed:     50,
		Gemm:      dgemmAVX2_6x8,
		Solve:     dtrsmAVX2_6x8,
		Multiply:  dtrmmAVX2_6x8,
		Copy:      dcopyAVX2,
		Transpose: transposeBy(4, dtransposeAVX2),
		Peak:      dpeakAVX2,
		PeakWidth: 12 * 4,
		Dot:       ddotAVX2,
		Axpy:      daxpyAVX2,
		Scal:      dscalAVX2,
		Rot:       drotAVX2,
		AbsMax:    dabsMaxAVX2,
		AddAbs:    daddAbsAVX2,
		GemvN:     dgemvNAVX2,
		GemvT:     dgemvTAVX2,
		Ger:       dgerAVX2,
		Dotxaxpyf: ddotxaxpyfAVX2,
		Symv:      symvOf(dsymvUpperAVX2, dsymvLowerAVX2),
		Tanh:      elementwise(dtanhAVX2, tanhTable),
		Exp:       elementwise(dexpAVX2, expTable),
	},
}
