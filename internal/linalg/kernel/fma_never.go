//go:build !(amd64 || arm64 || ppc64 || ppc64le || s390x || riscv64 || loong64)

package kernel

// hasFMA reports whether math.FMA is an instruction: some CPUs of these architectures lack it.
const hasFMA = false
