package memory

import (
	"fmt"
	"testing"
	"unsafe"

	"blskernel/internal/testutil"
)

// TestZeros compares Zeros with make: length, contents, even of memory used before, and panics.
func TestZeros(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 2*hugePage/8 - 1, 2 * hugePage / 8, 3*hugePage/8 + 5, 5 * hugePage / 8} {
		for range 3 {
			x := Zeros(n)
			if x == nil || len(x) != n {
				t.Fatalf("n = %d: %d elements, nil %v", n, len(x), x == nil)
			}
			for i, v := range x {
				if v != 0 {
					t.Fatalf("n = %d: element %d is %v", n, i, v)
				}
				x[i] = 1
			}
		}
	}
	for _, n := range []int{-1, addressable / 8 * 2, int(^uint(0) >> 1)} {
		got, want := testutil.PanicValue(func() { Zeros(n) }), testutil.PanicValue(func() { _ = make([]float64, n) })
		if got == nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("n = %d: %v; make panics with %v", n, got, want)
		}
	}
}

// TestInside checks the ranges of slices at all kinds of places: whole pages within the slice, as many
// as fit, and none in a small slice.
func TestInside(t *testing.T) {
	const page = hugePage / 8
	room := make([]float64, 6*page)
	for _, n := range []int{0, 1, page, 2*page - 1, 2 * page, 2*page + 1, 3*page - 1, 3 * page, 4*page + 7} {
		for _, first := range []int{0, 1, 1023, 1024, page / 2, page - 1, page} {
			x := room[first : first+n]
			from, to := inside(x)
			if n < 2*page {
				if from != to {
					t.Errorf("%d elements: the range [%d, %d)", n, from, to)
				}
				continue
			}
			if from < 0 || from >= page || to > n || n-to >= page || (to-from)%page != 0 || to == from {
				t.Errorf("%d elements: the range [%d, %d)", n, from, to)
			}
			if at := uintptr(unsafe.Pointer(&x[from])); at%hugePage != 0 {
				t.Errorf("%d elements: a page at %#x", n, at)
			}
		}
	}
}
