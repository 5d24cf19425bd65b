// Package cpu describes the CPU of this machine: its name, its instruction sets and its caches. On x86
// the CPU reports them, elsewhere the operating system does; a table of cores fills in unknown values.
package cpu

import (
	"cmp"
	"sync"

	"github.com/klauspost/cpuid/v2"
	"golang.org/x/sys/cpu"
)

// Name returns the reported name of the CPU, else the name of its cores, else "unknown" and their id.
func Name() string { return here().name }

// relevant lists the instruction sets on which a float64 kernel can depend, oldest first. On arm64,
// cpuid detects nothing on some systems, and x/sys/cpu little on others.
var relevant = []struct {
	id    cpuid.FeatureID
	arm64 bool // supported, according to x/sys/cpu
}{
	{id: cpuid.SSE2}, {id: cpuid.SSE3}, {id: cpuid.SSSE3}, {id: cpuid.SSE4}, {id: cpuid.SSE42},
	{id: cpuid.AVX}, {id: cpuid.FMA3}, {id: cpuid.AVX2},
	{id: cpuid.AVX512F}, {id: cpuid.AVX512DQ}, {id: cpuid.AVX512BW}, {id: cpuid.AVX512VL},
	{cpuid.ASIMD, cpu.ARM64.HasASIMD}, {cpuid.FPHP, cpu.ARM64.HasFPHP}, {cpuid.ASIMDHP, cpu.ARM64.HasASIMDHP},
	{cpuid.ASIMDDP, cpu.ARM64.HasASIMDDP}, {cpuid.SVE, cpu.ARM64.HasSVE},
}

// Features returns the names of the instruction sets that kernels can use and that this CPU and its
// operating system support, oldest first. The list is empty except on x86 and arm64.
func Features() []string {
	var names []string
	for _, f := range relevant {
		if f.arm64 || cpuid.CPU.Supports(f.id) {
			names = append(names, f.id.String())
		}
	}
	if cpu.ARM64.HasSVE2 { // cpuid has no name for it
		names = append(names, "SVE2")
	}
	return names
}

// Caches holds the sizes in bytes of the data caches that one core can use.
type Caches struct {
	L1D, L2, L3 int    // L3 is 0 if there is none or it is unknown
	L2Cores     int    // the number of cores that share L2
	Source      string // "reported", or "assumed: " and the core of the table with these sizes
}

// L2Share returns one core's part of L2 if all cores that share it are busy.
func (c Caches) L2Share() int { return c.L2 / max(c.L2Cores, 1) }

// CacheSizes returns the sizes of this machine's caches. If cores differ, the sizes are for the kind
// with the largest share of L2: the fast cores, which do most of the work of a product.
func CacheSizes() Caches { return here().caches }

// A core holds the system's values for cores of one kind. Unknown values are 0 or -1.
type core struct {
	name   string
	id     uint32 // on arm64: the implementer, then the part in the last 12 bits
	caches Caches
}

// idOf returns the id of a core, given the value of its register MIDR_EL1.
func idOf(midr uint64) uint32 { return uint32(midr>>24&0xff<<12 | midr>>4&0xfff) }

// here returns the core that describes this machine. Only the first call asks the system.
var here = sync.OnceValue(func() core { return choose(ask()) })

// choose completes all cores and returns the kind with the largest share of L2, the first on a tie.
func choose(cores []core) (chosen core) {
	for i, c := range cores {
		if c.complete(); i == 0 || c.caches.L2Share() > chosen.caches.L2Share() {
			chosen = c
		}
	}
	return chosen
}

// minShare is the smallest plausible L2Share. A virtual machine may report one L2 for all its CPUs.
const minShare = 32 << 10

// complete fills in unknown values of c. If L1D is missing or L2 is implausible, it takes all caches
// from the table.
func (c *core) complete() {
	like, own := lookup(c.id, c.name), &c.caches
	own.Source = "reported"
	if own.L2Cores = max(own.L2Cores, 0); own.L1D <= 0 || own.L2Share() < minShare {
		*own = Caches{L1D: like.l1d << 10, L2: like.l2 << 10, L2Cores: like.cores, Source: "assumed: " + like.name}
	}
	own.L2Cores, own.L3 = cmp.Or(own.L2Cores, like.cores), max(own.L3, 0)
	c.name = cmp.Or(c.name, like.name)
}
