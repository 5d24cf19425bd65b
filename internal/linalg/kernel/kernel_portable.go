//go:build !(amd64 || arm64) || noasm

package kernel

// vectorKernels lists the assembly kernels: none in this build.
var vectorKernels []Kernel
