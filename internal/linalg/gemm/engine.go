package gemm

import (
	"blskernel/internal/linalg/cpu"
	"blskernel/internal/linalg/kernel"
	"blskernel/internal/linalg/workers"
)

// An Engine computes products with one micro-kernel and the block sizes for it. Its methods may be
// called from several goroutines at once.
type Engine struct {
	kernel kernel.Kernel
	caches cpu.Caches
	blocks blockSizes
	pool   *workers.Pool
}

// New returns an engine on a kernel that this machine can run.
func New(k kernel.Kernel) *Engine {
	c := cpu.CacheSizes()
	return &Engine{kernel: k, caches: c, blocks: blocksFor(k, c), pool: workers.Default}
}

// Kernel returns the micro-kernel.
func (e *Engine) Kernel() kernel.Kernel { return e.kernel }

// BlockSizes returns MC, KC and NC of the five loops.
func (e *Engine) BlockSizes() (mc, kc, nc int) { return e.blocks.MC, e.blocks.KC, e.blocks.NC }

// blockSizes are the sizes of the loops: C is computed in blocks of MC×NC, KC steps at a time.
type blockSizes struct {
	MC, KC, NC int
}

// termsOfBlock is KC, the same on every machine and for every kernel, because it is part of results. A
// tile of C is read and written once for each KC steps: one memory operation in 128 multiply-adds, too
// few to matter.
const termsOfBlock = 256

// packedBytes is the number of bytes of a packed block of A: a quarter of the smallest L3 in use.
const packedBytes = 2 << 20

// blocksFor derives the block sizes for a kernel from the sizes of the caches, 8 bytes an element, as
// in "Analytical modeling is enough for high-performance BLIS" (Low and others, ACM TOMS 43(2), 2016).
//
//   - KC is constant. Loop 1 reads one MR×KC micro-panel of A for every tile, while micro-panels of B
//     stream past it: 16 KiB for MR = 8, half of the smallest L1 in use.
//   - NC: loop 2 reads the packed KC×NC block of B for every MR rows of C. It gets five eighths of L2;
//     A and C stream through the rest: 8·KC·NC <= 5/8·L2.
//   - MC: loop 3 reads the packed MC×KC block of A for every block of B. Threads share it, in L3. It
//     need not be large: B is packed again for every MC rows, which is the work of about ten of them.
//
// NC and MC are rounded down to a multiple of NR columns or MR rows, and at least that; results do not
// depend on them. MR×NR = 8×24 and L2 = 1 MiB give NC = 312, MC = 1024. If cores share an L2, each uses
// its own part.
func blocksFor(k kernel.Kernel, c cpu.Caches) blockSizes {
	down := func(size, step int) int { return max(size/step, 1) * step }
	const kc = termsOfBlock
	return blockSizes{
		MC: down(packedBytes/(8*kc), k.MR),
		KC: kc,
		NC: down(5*c.L2Share()/8/(8*kc), k.NR),
	}
}
