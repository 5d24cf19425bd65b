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

// New returns an engine that uses kernel k, which this machine must be able to run.
func New(k kernel.Kernel) *Engine {
	c := cpu.CacheSizes()
	return &Engine{kernel: k, caches: c, blocks: blocksFor(k, c), pool: workers.Default}
}

// Kernel returns the kernel that New was given.
func (e *Engine) Kernel() kernel.Kernel { return e.kernel }

// BlockSizes returns the block sizes MC, KC and NC of the five loops.
func (e *Engine) BlockSizes() (mc, kc, nc int) { return e.blocks.MC, e.blocks.KC, e.blocks.NC }

// blockSizes holds the block sizes of the loops: C is computed in blocks of MC×NC, KC terms at a time.
type blockSizes struct {
	MC, KC, NC int
}

// termsOfBlock is KC. It is the same on every machine and for every kernel, because results depend on
// it. Each element of C is read and written once for KC terms: one memory operation for 128
// multiply-adds, which costs little.
const termsOfBlock = 256

// packedBytes is the size of a packed block of A in bytes: a quarter of the smallest L3 in use.
const packedBytes = 2 << 20

// blocksFor returns the block sizes for kernel k, at 8 bytes an element, as in "Analytical modeling is
// enough for high-performance BLIS" (Low and others, ACM TOMS 43(2), 2016). Only NC depends on c.
//
//   - KC is constant. For every tile, loop 1 reads the same MR×KC micro-panel of A, while micro-panels
//     of B stream past it. The micro-panel of A takes 16 KiB for MR = 8, half the smallest L1 in use.
//   - NC: 8·KC·NC <= 5/8·L2. Loop 2 reads the packed KC×NC block of B for every MR rows of C. The block
//     gets five eighths of L2; A and C stream through the rest. Cores that share an L2 divide it.
//   - MC: 8·MC·KC <= packedBytes. Loop 3 reads the packed MC×KC block of A, which threads share in L3,
//     for every block of B. Packing B again for MC rows takes as long as computing about ten rows of C.
//
// NC and MC are rounded down to multiples of NR and MR, respectively, but not to zero. Results do not
// depend on them. MR×NR = 8×24 and L2 = 1 MiB give NC = 312, MC = 1024.
func blocksFor(k kernel.Kernel, c cpu.Caches) blockSizes {
	down := func(size, step int) int { return max(size/step, 1) * step }
	const kc = termsOfBlock
	return blockSizes{
		MC: down(packedBytes/(8*kc), k.MR),
		KC: kc,
		NC: down(5*c.L2Share()/8/(8*kc), k.NR),
	}
}
