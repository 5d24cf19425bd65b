//go:build linux || darwin

package guard

import (
	"syscall"
	"testing"
	"unsafe"
)

// Watched reports whether the pages next to a region are inaccessible.
const Watched = true

// reserve returns whole pages of at least n elements between two inaccessible pages.
func reserve(t testing.TB, n int) []float64 {
	t.Helper()
	page := syscall.Getpagesize()
	inside := max(1, (8*n+page-1)/page) * page
	memory, err := syscall.Mmap(-1, 0, inside+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatalf("guard: mmap of %d bytes: %v", inside+2*page, err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(memory); err != nil {
			t.Errorf("guard: munmap: %v", err)
		}
	})
	for _, edge := range [][]byte{memory[:page], memory[page+inside:]} {
		if err := syscall.Mprotect(edge, syscall.PROT_NONE); err != nil {
			t.Fatalf("guard: mprotect: %v", err)
		}
	}
	return unsafe.Slice((*float64)(unsafe.Pointer(&memory[page])), inside/8)
}
