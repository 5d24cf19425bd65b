//go:build !(amd64 || arm64 || ppc64 || ppc64le || s390x || riscv64 || loong64)

package kernel

// hasFMA is false: some or all CPUs of these architectures have no fused multiply-add.
const hasFMA = false
