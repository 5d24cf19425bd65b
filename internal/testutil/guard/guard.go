// Package guard gives tests memory with an inaccessible page on either side, so that code that
// reads or writes one byte outside its operands faults. Canaries around an operand on the heap would
// reveal a write, but would reveal a read only if it spoils the result.
//
// A page is longer than most operands, so an operand lies either at the beginning of its region or at
// the end, and a test tries both. A prefetch never faults and is not detected.
//
// Only tests import this package.
package guard

import (
	"fmt"
	"runtime/debug"
	"testing"
)

// An Edge is the side of a region at which an operand lies.
type Edge int

const (
	// First puts an operand at the beginning of its region: the byte before it is inaccessible.
	First Edge = iota
	// Last puts an operand at the end of its region: the byte after it is inaccessible.
	Last
)

// Edges lists the edges.
var Edges = []Edge{First, Last}

func (e Edge) String() string {
	if e == First {
		return "at the beginning of a page"
	}
	return "at the end of a page"
}

// A Region is memory between two inaccessible pages.
type Region struct{ all []float64 }

// New returns a region with room for at least n elements. The region is freed when the test ends. On a
// system without inaccessible pages the region is plain memory, which detects nothing.
func New(t testing.TB, n int) *Region {
	t.Helper()
	return &Region{all: reserve(t, n)}
}

// Slice returns n elements at an edge of the region, without capacity beyond them. Slices of the same
// region overlap. Slice panics if the region has fewer than n elements.
func (r *Region) Slice(n int, at Edge) []float64 {
	if n > len(r.all) {
		panic(fmt.Sprintf("guard: no room for %d elements in a region of %d", n, len(r.all)))
	}
	if at == First {
		return r.all[:n:n]
	}
	return r.all[len(r.all)-n:]
}

// Copy copies x to a Slice of the region and returns the slice.
func (r *Region) Copy(x []float64, at Edge) []float64 {
	s := r.Slice(len(x), at)
	copy(s, x)
	return s
}

// Faults calls f and reports whether f accessed an inaccessible page, in the calling goroutine. Any
// other panic propagates. Outside Faults, or in another goroutine, such an access ends the program.
func Faults(f func()) (fault bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if _, ok := r.(interface{ Addr() uintptr }); !ok {
			panic(r)
		}
		fault = true
	}()
	f()
	return false
}
