package guard

import (
	"os"
	"testing"
	"unsafe"

	"blskernel/internal/testutil"
)

// sink keeps reads from being optimized away.
var sink float64

// TestRegion checks that all of a slice can be read and written, but not the element past its edge.
func TestRegion(t *testing.T) {
	if !Watched {
		t.Skip("this system has no inaccessible pages")
	}
	page := os.Getpagesize() / 8 // elements in a page of 4 KiB, on arm64 of up to 64 KiB
	for _, n := range []int{1, 2, page - 1, page, page + 1, 3*page + 7} {
		r := New(t, n)
		for _, at := range Edges {
			x := r.Slice(n, at)
			if len(x) != n || cap(x) != n {
				t.Fatalf("n=%d %v: length %d, capacity %d", n, at, len(x), cap(x))
			}
			if Faults(func() {
				for i := range x {
					x[i] += 1
				}
			}) {
				t.Errorf("n=%d %v: an element of the slice is inaccessible", n, at)
			}
			outside := unsafe.Add(unsafe.Pointer(&x[0]), -8)
			if at == Last {
				outside = unsafe.Add(unsafe.Pointer(&x[0]), 8*n)
			}
			if !Faults(func() { sink = *(*float64)(outside) }) {
				t.Errorf("n=%d %v: the element next to the slice can be read", n, at)
			}
			if !Faults(func() { *(*float64)(outside) = 1 }) {
				t.Errorf("n=%d %v: the element next to the slice can be written", n, at)
			}
		}
	}
}

// TestPanics checks that Faults lets other panics pass, and that no slice extends beyond a region.
func TestPanics(t *testing.T) {
	testutil.MustPanic(t, "other", func() { Faults(func() { panic("other") }) })
	if testutil.PanicValue(func() { New(t, 1).Slice(1<<20, Last) }) == nil {
		t.Error("Slice does not panic beyond the region")
	}
}
