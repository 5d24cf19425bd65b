// Package guard gives tests memory with an inaccessible page on either side, so that code that
// reads or writes one byte outside its operands faults. Canaries around an operand on the heap
// reveal a write, but a read only if it spoils the result.
//
// A page is longer than most operands, so an operand lies either at the beginning of its region or at
// the end, and a test tries both. A prefetch never faults and is not seen.
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
	// First operands begin where the region begins: the byte before them is inaccessible.
	First Edge = iota
	// Last operands end where the region ends: the byte after them is inaccessible.
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

// New returns a region with room for at least n elements. It is freed when the test ends. On a
// system without such pages it is plain memory, and a test sees only what it compares.
func New(t testing.TB, n int) *Region {
	t.Helper()
	return &Region{all: reserve(t, n)}
}

// Slice returns n elements of the region at an edge of it, with no capacity beyond. Slices of the same
// region overlap. It panics if there is no room.
func (r *Region) Slice(n int, at Edge) []float64 {
	if n > len(r.all) {
		panic(fmt.Sprintf("guard: no room for %d elements in a region of %d", n, len(r.all)))
	}
	if at == First {
		return r.all[:n:n]
	}
	return r.all[len(r.all)-n:]
}

// Copy is Slice with the elements of x in it.
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
