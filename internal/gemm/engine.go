package gemm

import (
	"blskernel/internal/cpu"
	"blskernel/internal/kernel"
)

// An Engine computes products with one micro-kernel and the block sizes for it. Its methods may be
// called from several goroutines at once.
type Engine struct {
	kernel  kernel.Kernel
	caches  cpu.Caches
	blocks  blockSizes
	packing packing
	costs   *costs
}

// New returns an engine on a kernel that this machine can run.
func New(k kernel.Kernel) *Engine {
	c := cpu.CacheSizes()
	how, _ := packingFromEnv() // CheckEnv has the error
	return &Engine{kernel: k, caches: c, blocks: blocksFor(k, c), packing: how, costs: &costs{}}
}

// Kernel returns the micro-kernel.
func (e *Engine) Kernel() kernel.Kernel { return e.kernel }

// BlockSizes returns MC, KC and NC of the five loops.
func (e *Engine) BlockSizes() (mc, kc, nc int) { return e.blocks.MC, e.blocks.KC, e.blocks.NC }

// blockSizes are those of the loops: C is computed in blocks of MC×NC, KC steps at a time.
type blockSizes struct {
	MC, KC, NC int
}

// maxKC is the largest KC. A tile of C is read and written once for each KC steps: at 384 one memory
// operation in 192 multiply-adds, too few to matter.
const maxKC = 384

// blocksFor derives the block sizes for a kernel from the sizes of the caches, 8 bytes an element.
//
//   - KC: loop 1 reads one MR×KC micro-panel of A for every tile, while micro-panels of B stream past
//     it. It gets two thirds of L1: 8·MR·KC <= 2/3·L1D, and KC <= maxKC.
//   - NC: loop 3 reads the packed KC×NC block of B for every MR rows of C. It gets five eighths of L2;
//     A and C stream through the rest: 8·KC·NC <= 5/8·L2.
//   - MC: a packed A is written as an MC×KC block and read once for each block of B. A quarter of L2
//     keeps it there: 8·MC·KC <= L2/4.
//
// Each is rounded down to a multiple of its step (8 terms, MR rows, NR columns), and is at least one
// step. MR×NR = 8×24, L1D = 32 KiB and L2 = 1 MiB give KC = 336, NC = 240, MC = 96. Threads share no
// packed block, so L3 does not matter.
func blocksFor(k kernel.Kernel, c cpu.Caches) blockSizes {
	down := func(size, step int) int { return max(size/step, 1) * step }
	kc := down(min(2*c.L1D/3/(8*k.MR), maxKC), 8)
	return blockSizes{
		MC: down(c.L2/4/(8*kc), k.MR),
		KC: kc,
		NC: down(5*c.L2/8/(8*kc), k.NR),
	}
}
