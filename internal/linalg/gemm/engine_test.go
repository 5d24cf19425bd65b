package gemm

import (
	"testing"
	"unsafe"

	"blskernel/internal/linalg/cpu"
	"blskernel/internal/linalg/kernel"
)

// The block sizes satisfy the inequalities of their derivation, unless a single tile does not fit, and
// are multiples of the tile. One more tile would not fit.
func TestBlockSizes(t *testing.T) {
	for _, tile := range [][2]int{{2, 4}, {4, 12}, {6, 8}, {8, 6}, {8, 24}} {
		for _, c := range []cpu.Caches{
			{L1D: 32 << 10, L2: 1 << 20, L3: 32 << 20},
			{L1D: 48 << 10, L2: 2 << 20, L3: 8 << 20},
			{L1D: 32 << 10, L2: 256 << 10},
			{L1D: 64 << 10, L2: 1 << 20, L2Cores: 1},
			{L1D: 32 << 10, L2: 1 << 20, L2Cores: 4},
			{L1D: 128 << 10, L2: 12 << 20, L2Cores: 4},
			{L1D: 24 << 10, L2: 1},
			cpu.CacheSizes(),
		} {
			k := kernel.Kernel{MR: tile[0], NR: tile[1]}
			b := blocksFor(k, c)
			if b.KC != 256 || b.MC < k.MR || b.MC%k.MR != 0 || b.NC < k.NR || b.NC%k.NR != 0 {
				t.Errorf("%dx%d, %+v: %+v", k.MR, k.NR, c, b)
			}
			l2 := c.L2Share()
			if 8*b.KC*k.MR > c.L1D || 8*b.KC*b.NC > 5*l2/8 && b.NC > k.NR || 8*b.KC*b.MC > packedBytes {
				t.Errorf("%dx%d, %+v: %+v does not fit", k.MR, k.NR, c, b)
			}
			if 8*b.KC*(b.NC+k.NR) <= 5*l2/8 || 8*b.KC*(b.MC+k.MR) <= packedBytes {
				t.Errorf("%dx%d, %+v: %+v leaves room", k.MR, k.NR, c, b)
			}
			if cores := max(c.L2Cores, 1); b.NC > k.NR && cores*8*b.KC*b.NC > 5*c.L2/8 {
				t.Errorf("%dx%d, %+v: %+v on each core do not fit", k.MR, k.NR, c, b)
			}
		}
	}
	want := blockSizes{MC: 1024, KC: 256, NC: 312}
	if got := blocksFor(kernel.Kernel{MR: 8, NR: 24}, cpu.Caches{L1D: 32 << 10, L2: 1 << 20}); got != want {
		t.Errorf("the example in the comment: %+v, want %+v", got, want)
	}
	mc, kc, nc := active.BlockSizes()
	if b := (blockSizes{mc, kc, nc}); b != active.blocks || active.Kernel().Name != active.kernel.Name {
		t.Errorf("BlockSizes() = %+v, Kernel() = %q", b, active.Kernel().Name)
	}
}

// Workspace is aligned and is reused if it is long enough.
func TestAligned(t *testing.T) {
	for n := 1; n < 40; n++ {
		x := aligned(nil, n)
		at := unsafe.Pointer(&x[0])
		if len(x) != n || uintptr(at)%kernel.Align != 0 {
			t.Errorf("n=%d: %d elements at %p", n, len(x), at)
		}
		if y := aligned(x, (n+1)/2); len(y) != (n+1)/2 || unsafe.Pointer(&y[0]) != at {
			t.Errorf("n=%d: not reused for %d", n, (n+1)/2)
		}
	}
}
