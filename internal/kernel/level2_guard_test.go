//go:build linux || darwin

package kernel

import (
	"syscall"
	"testing"
	"unsafe"
)

// TestLevel2Guard lets the operands begin where a page begins and end where a page ends, with pages before and behind
// that cannot be read: a loop that touches one byte outside an operand does not survive it.
func TestLevel2Guard(t *testing.T) {
	const pages, operands = 3, 6
	size := syscall.Getpagesize()
	var regions [][]float64
	for range operands {
		memory, err := syscall.Mmap(-1, 0, (pages+2)*size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err != nil {
			t.Skipf("mmap: %v", err)
		}
		defer func() {
			if err := syscall.Munmap(memory); err != nil {
				t.Error(err)
			}
		}()
		for _, edge := range [][]byte{memory[:size], memory[(pages+1)*size:]} {
			if err := syscall.Mprotect(edge, syscall.PROT_NONE); err != nil {
				t.Fatal(err)
			}
		}
		regions = append(regions, unsafe.Slice((*float64)(unsafe.Pointer(&memory[size])), pages*size/8))
	}
	available(t, func(t *testing.T, k Kernel) {
		turn := 0
		level2Exact(t, k, func(n int) [][]float64 {
			region := regions[turn%operands]
			turn++
			if n > len(region) {
				t.Fatalf("%d elements do not fit into %d", n, len(region))
			}
			return [][]float64{region[:n:n], region[len(region)-n:]}
		})
	})
}
