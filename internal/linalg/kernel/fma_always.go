//go:build arm64 || ppc64 || ppc64le || s390x || riscv64 || loong64 || amd64.v3

package kernel

// hasFMA reports whether math.FMA is an instruction: on these architectures it always is.
const hasFMA = true
