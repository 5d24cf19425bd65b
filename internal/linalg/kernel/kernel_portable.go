//go:build !(amd64 || arm64) || noasm

package kernel

// vectorKernels are the kernels in assembly: none in this build.
var vectorKernels []Kernel
