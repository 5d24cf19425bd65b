// Package kernel holds the micro-kernels: the innermost loops of every matrix product, one for each
// instruction set, and the choice between them.
//
// # The contract
//
// A micro-kernel computes
//
//	C += A·B
//
// where C is one full MR×NR tile of a row-major matrix and A (MR×kc) and B (kc×NR) are packed
// micro-panels: the elements lie in exactly the order in which the kernel reads them,
//
//	a[p*MR+i] = A[i,p]    column p of A at a[p*MR : p*MR+MR]
//	b[p*NR+j] = B[p,j]    row p of B at b[p*NR : p*NR+NR]
//	c[i*ldc+j] = C[i,j]   ldc >= NR
//
// so that step p is a rank-1 update of a tile held in registers, and both operands are read once, at
// unit stride.
//
//   - kc >= 1. The kernel reads a[:MR*kc], b[:NR*kc] and the tile, writes the tile, and touches no
//     other element: neither past the panels nor between the rows of C.
//   - The sum over p starts from zero, runs in the order p = 0, 1, ..., kc-1 in one accumulator for each
//     element of C, and is added to C in one rounding at the end. Whether a product is rounded before it is
//     added (multiply, add) or not (fused) is the kernel's own; it is the same for all elements and all
//     calls. Therefore a tile computed in place and a tile computed in a zeroed buffer and then added
//     to C are the same bits, and nothing depends on where a tile lies.
//   - No multiplier is skipped: 0·NaN and 0·Inf are NaN in C.
//   - A packed block begins on an Align-byte boundary and its micro-panels follow each other without a
//     gap: the first is aligned, the next begin 8·MR·kc (or 8·NR·kc) bytes after each other, which is
//     aligned for all kc if the tile's side is a multiple of 8. C has the alignment of a float64, no more.
//   - Operands do not overlap. A kernel never fails, allocates nothing and keeps no pointer.
//
// Everything else is the caller's, package gemm's: blocking, packing, padding the last panel with zeros,
// edge tiles (computed whole in a buffer, of which the part inside C is added), alpha (applied
// while packing) and beta (applied to C before the first call; with beta = 0 the tile is set to zero
// without being read).
//
// # Adding a kernel
//
// A kernel is an entry of the table, best first; nothing else in the module names an instruction set.
// The Go kernel "generic" has no build constraint: it is compiled and tested everywhere, is what the
// other kernels are compared with, and is the choice where no other is available.
package kernel

import (
	"fmt"
	"strings"
	"sync"
)

// Align is the alignment in bytes of packed blocks: a cache line, and the widest vector register.
const Align = 64

// A Kernel describes a micro-kernel for float64. The package comment is its contract.
type Kernel struct {
	// Name is the instruction set: "generic" and, where they exist, the names of faster ones.
	Name string

	// MR and NR are the rows and columns of the tile of C that Gemm updates.
	MR, NR int

	// Available reports whether this machine can run Gemm.
	Available func() bool

	// Gemm computes C += A·B on packed micro-panels a (MR×kc) and b (kc×NR) and a tile c whose rows
	// are ldc elements apart: 2·MR·NR·kc flops.
	Gemm func(kc int, a, b, c *float64, ldc int)
}

// table lists the kernels of this build, best first. generic, always available, ends it.
var table = []Kernel{generic}

// Select returns the first available kernel of the table. The choice is made at the first call and
// is the same for the life of the process.
var Select = sync.OnceValue(func() Kernel {
	for _, k := range table {
		if k.Available() {
			return k
		}
	}
	panic("kernel: no kernel available")
})

// Names returns the names of the kernels that this machine can run, best first.
func Names() []string {
	var names []string
	for _, k := range table {
		if k.Available() {
			names = append(names, k.Name)
		}
	}
	return names
}

// Lookup returns the kernel with the given name. It is an error, which lists the names that would do,
// if this build has no such kernel or this machine cannot run it.
func Lookup(name string) (Kernel, error) {
	usable := strings.Join(Names(), ", ")
	for _, k := range table {
		switch {
		case k.Name != name:
		case k.Available():
			return k, nil
		default:
			return Kernel{}, fmt.Errorf("kernel: this CPU cannot run kernel %q (usable here: %s)", name, usable)
		}
	}
	return Kernel{}, fmt.Errorf("kernel: this build has no kernel %q (usable here: %s)", name, usable)
}
