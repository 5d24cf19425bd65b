package factor

import (
	"testing"
	"unsafe"
)

// TestWorkspace checks that a workspace grows to what calls need, in whole cache lines, and no further.
func TestWorkspace(t *testing.T) {
	w := &Workspace{}
	for round := range 4 {
		before := len(w.whole)
		w.rest = w.whole
		a, b, none := w.Take(9), w.Take(7), w.Take(0)
		if len(a) != 9 || cap(a) < 9 || len(b) != 7 || len(none) != 0 {
			t.Fatalf("round %d: lengths %d, %d and %d, not 9, 7 and 0", round, len(a), len(b), len(none))
		}
		a[8], b[0], b[6] = 1, 2, 3
		if a[8] != 1 || b[0] != 2 {
			t.Errorf("round %d: elements overlap", round)
		}
		if round > 1 && (len(w.whole) != before || &a[0] != &w.whole[0] || &b[0] != &w.whole[16] || uintptr(unsafe.Pointer(&b[0]))%64 != 0) {
			t.Errorf("round %d: %d elements, and before %d: not in the workspace", round, len(w.whole), before)
		}
		if a, b := append(a, 4), append(b, 5); a[9] != 4 || b[7] != 5 || round > 1 && (w.whole[9] == 4 || w.whole[23] == 5) {
			t.Errorf("round %d: what is appended is in the workspace", round)
		}
	}
	kept := len(w.whole)
	if x := w.Take(maxKept + 1); len(x) != maxKept+1 || len(w.whole) != kept {
		t.Errorf("%d elements kept, and before %d", len(w.whole), kept)
	}
	if kept > 2*24 {
		t.Errorf("%d elements kept for 24", kept)
	}
}

// TestReserve checks that reserved Takes share one allocation, which is no longer than they need.
func TestReserve(t *testing.T) {
	w := &Workspace{}
	w.Reserve(1, 9, maxKept/2)
	whole, want := &w.whole[0], 8+16+maxKept/2
	w.Take(1)
	w.Take(9)
	w.Take(maxKept / 2)
	if len(w.whole) != want || &w.whole[0] != whole || len(w.rest) != 0 {
		t.Errorf("%d elements, %d of them left, want %d and 0", len(w.whole), len(w.rest), want)
	}
	if w.Reserve(maxKept, 1); len(w.whole) != want {
		t.Errorf("%d elements kept", len(w.whole))
	}
}
