//go:build amd64 && !amd64.v3

package kernel

import "golang.org/x/sys/cpu"

// hasFMA reports whether math.FMA is an instruction on this CPU.
var hasFMA = cpu.X86.HasFMA
