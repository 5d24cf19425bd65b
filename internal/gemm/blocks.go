package gemm

import "blskernel/internal/kernel"

// BlockSizes are the block sizes of the loops: C is computed in blocks of MC×NC, KC steps at a time.
type BlockSizes struct {
	MC, KC, NC int
}

// maxKC ends the growth of KC with the size of L1. A tile of C is read and written once for each KC
// steps of 2·MR·NR flops; at 256 that is below one memory operation in 200 flops and no longer
// shows.
const maxKC = 256

// blockSizes derives the block sizes for a kernel from the sizes of the caches, 8 bytes an element.
//
//   - KC: loop 1 reuses one MR×KC micro-panel of A for every tile of a row of tiles, while micro-panels
//     of B stream past it. It gets half of L1: 8·MR·KC <= L1D/2, and KC <= maxKC.
//   - NC: loop 3 reuses the packed KC×NC block of B for every MR rows of C. It gets half of L2, the
//     other half is for what streams past: 8·KC·NC <= L2/2.
//   - MC: the packed MC×KC block of A is written and then read once for each block of B; a quarter
//     of L2 lets it be found there: 8·MC·KC <= L2/4.
//
// Each is rounded down to a multiple of what fits it (4 steps, MR rows, NR columns) and is never
// less than that. With an MR×NR of 8×24, L1D = 32 KiB and L2 = 1 MiB this gives KC = 256, NC = 240,
// MC = 128.
//
// Packing reads and writes each element of the A block once for 2·NC flops and each of the B block once
// for 2·(rows of the task), which is why NC has the larger share of L2. L3 has no part: no packed
// block is shared between threads.
func blockSizes(k kernel.Kernel, c kernel.CacheSizes) BlockSizes {
	down := func(size, step int) int { return max(size/step, 1) * step }
	kc := down(min(c.L1D/2/(8*k.MR), maxKC), 4)
	return BlockSizes{
		MC: down(c.L2/4/(8*kc), k.MR),
		KC: kc,
		NC: down(c.L2/2/(8*kc), k.NR),
	}
}

// An engine is what all products of a process share: the micro-kernel and the block sizes made for it.
type engine struct {
	kernel.Kernel
	BlockSizes
}

// active is set once, at start.
var active = newEngine(kernel.Select())

func newEngine(k kernel.Kernel) engine {
	return engine{k, blockSizes(k, kernel.Caches())}
}

// Kernel returns the name of the micro-kernel in use.
func Kernel() string { return active.Name }

// Blocks returns the block sizes in use.
func Blocks() BlockSizes { return active.BlockSizes }
