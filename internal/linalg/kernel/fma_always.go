//go:build arm64 || ppc64 || ppc64le || s390x || riscv64 || loong64 || amd64.v3

package kernel

// hasFMA is true: on these architectures math.FMA is always an instruction.
const hasFMA = true
