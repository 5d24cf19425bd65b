package speed

import "fmt"

// A Shape is the size of an operation's operands. Which of the three numbers matter, and for what,
// depends on the operation; see Cases.
type Shape struct{ M, N, K int }

// Square returns the shape of which all sizes are n.
func Square(n int) Shape { return Shape{n, n, n} }

// String returns "n" for a square and "mxnxk" for every other shape.
func (s Shape) String() string {
	if s == Square(s.N) {
		return fmt.Sprint(s.N)
	}
	return fmt.Sprintf("%dx%dx%d", s.M, s.N, s.K)
}

// Large reports whether all sizes are at least 1000, so that threads have enough to do.
func (s Shape) Large() bool { return min(s.M, s.N, s.K) >= 1000 }

// Sizes returns the orders of the squares that a full comparison has: small ones, at which a call's
// own cost shows, those around the sizes of caches and blocks, and large ones.
func Sizes() []int {
	return []int{8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1000, 1500, 2000, 4000}
}

// BLS returns the shapes that an operation has when a broad learning system is updated, or none where
// squares stand for them. With k = 1100 nodes and batches of 5000 or 10000 samples these are
//
//	dgemm            inner and outer products of updates, targets of 10 classes, features from 100
//	                 inputs, and the panels of factorizations
//	dsprk, dgemmtp   AᵀA from 10000 samples
//	dspmm            a packed inverse by 10000 rows
func BLS(op string) []Shape {
	switch op {
	case "dgemm":
		return []Shape{
			{5100, 5100, 2000}, {1100, 10000, 5000}, {1100, 10, 10000}, {10000, 5000, 100},
			{1000, 1000, 128}, {2000, 2000, 128}, {4000, 4000, 128},
		}
	case "dsprk", "dgemmtp":
		return []Shape{{1100, 1100, 10000}}
	case "dspmm":
		return []Shape{{1100, 10000, 1100}}
	}
	return nil
}
