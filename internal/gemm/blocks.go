package gemm

import (
	"blskernel/internal/cpu"
	"blskernel/internal/kernel"
)

// BlockSizes are the block sizes of the loops: C is computed in blocks of MC×NC, KC steps at a time.
type BlockSizes struct {
	MC, KC, NC int
}

// maxKC ends the growth of KC with the size of L1. A tile of C is read and written once for each KC
// steps; at 384 this is one memory operation in 192 multiply-adds and no longer shows.
const maxKC = 384

// blockSizes derives the block sizes for a kernel from the sizes of the caches, 8 bytes an element.
//
//   - KC: loop 1 reuses one MR×KC micro-panel of A for every tile of a row of tiles, while micro-panels
//     of B stream past it. It gets two thirds of L1: 8·MR·KC <= 2/3·L1D, and KC <= maxKC.
//   - NC: loop 3 reuses the packed KC×NC block of B for every MR rows of C. It gets five eighths of L2; the
//     rest is for what streams past, A and C: 8·KC·NC <= 5/8·L2.
//   - MC: where A is packed, the MC×KC block is written and then read once for each block of B; a quarter
//     of L2 lets it be found there: 8·MC·KC <= L2/4.
//
// Each is rounded down to a multiple of what fits it (8 steps, MR rows, NR columns) and is never
// less than that. With an MR×NR of 8×24, L1D = 32 KiB and L2 = 1 MiB this gives KC = 336, NC = 240,
// MC = 96. A product whose k or n is not a multiple is cut into equal blocks that are less.
//
// L3 has no part: no packed block is shared between threads.
func blockSizes(k kernel.Kernel, c cpu.Caches) BlockSizes {
	down := func(size, step int) int { return max(size/step, 1) * step }
	kc := down(min(2*c.L1D/3/(8*k.MR), maxKC), 8)
	return BlockSizes{
		MC: down(c.L2/4/(8*kc), k.MR),
		KC: kc,
		NC: down(5*c.L2/8/(8*kc), k.NR),
	}
}
