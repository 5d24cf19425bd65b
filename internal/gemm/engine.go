package gemm

import (
	"blskernel/internal/cpu"
	"blskernel/internal/kernel"
)

// An Engine computes products with one micro-kernel and the block sizes made for it. Its methods may be called
// from several goroutines at once.
type Engine struct {
	kernel kernel.Kernel
	caches cpu.Caches
	blocks BlockSizes
}

// New returns an engine on a kernel that this machine can run.
func New(k kernel.Kernel) *Engine {
	c := cpu.CacheSizes()
	return &Engine{kernel: k, caches: c, blocks: blockSizes(k, c)}
}

// Kernel returns the micro-kernel.
func (e *Engine) Kernel() kernel.Kernel { return e.kernel }

// Blocks returns the block sizes.
func (e *Engine) Blocks() BlockSizes { return e.blocks }
