package rates

import (
	"math"
	"slices"
)

// A table holds the cost of one kind of operation, in seconds per unit of its amount, on a grid of
// sizes.
//
// Between the points the cost is multilinear in the reciprocals of the sizes. The time of a product is
// a sum of parts that grow with fewer of the sizes than the flops do. For m×k with k×n numbers
//
//	time = f mnk + a mk + b kn + c mn + ...,   time/(mnk) = f + a/n + b/m + c/k + ...,
//
// where f is for the flops, a, b and c for the traffic of the operands, and the rest for calls and
// loops. That is multilinear in 1/m, 1/n and 1/k, whether memory or flops bound the time. So is a time
// that does not grow from the first column of a tile to its last. Beyond the ends of an axis the cost
// is that at the end.
type table struct {
	// Axes has the sizes m, n and k in ascending order. A size that does not matter has one point.
	Axes [3][]int `json:"axes"`
	// Cost has the seconds per unit; neighbors differ in the last axis.
	Cost []float64 `json:"cost"`
}

// points returns the number of points of the grid.
func (t *table) points() int { return len(t.Axes[0]) * len(t.Axes[1]) * len(t.Axes[2]) }

// index returns the index in Cost of a point of the grid.
func (t *table) index(at [3]int) int {
	return (at[0]*len(t.Axes[1])+at[1])*len(t.Axes[2]) + at[2]
}

// cell returns the point of an index.
func (t *table) cell(index int) [3]int {
	n, k := len(t.Axes[1]), len(t.Axes[2])
	return [3]int{index / (n * k), index / k % n, index % k}
}

// sizes returns the sizes at a point.
func (t *table) sizes(at [3]int) [3]int {
	return [3]int{t.Axes[0][at[0]], t.Axes[1][at[1]], t.Axes[2][at[2]]}
}

// cost returns the seconds per unit at any sizes, which are at least 1.
func (t *table) cost(sizes [3]int) float64 {
	var low [3]int
	var share [3]float64 // of the next point
	for d, axis := range t.Axes {
		low[d], share[d] = locate(axis, sizes[d])
	}
	var sum float64
	for corner := range 8 {
		at, weight := low, 1.0
		for d := range at {
			if corner>>d&1 == 0 {
				weight *= 1 - share[d]
				continue
			}
			weight *= share[d]
			at[d]++
		}
		if weight > 0 {
			sum += weight * t.Cost[t.index(at)]
		}
	}
	return sum
}

// locate returns the point of the axis at or below size, and the share of the next point in an
// interpolation that is linear in 1/size.
func locate(axis []int, size int) (low int, share float64) {
	i, exact := slices.BinarySearch(axis, size)
	switch {
	case exact:
		return i, 0
	case i == 0:
		return 0, 0
	case i == len(axis):
		return i - 1, 0
	}
	a, b := float64(axis[i-1]), float64(axis[i])
	return i - 1, (1/a - 1/float64(size)) / (1/a - 1/b)
}

// fill gives points without measurements, whose cost is zero, the cost of the point before them on the
// axis of their largest size. Rates of large operations hardly change.
func (t *table) fill() {
	for i := range t.Cost {
		if t.Cost[i] > 0 {
			continue
		}
		at := t.cell(i)
		sizes := t.sizes(at)
		most := -1
		for d := range at {
			if at[d] > 0 && (most < 0 || sizes[d] > sizes[most]) {
				most = d
			}
		}
		if most < 0 {
			continue
		}
		at[most]--
		t.Cost[i] = t.Cost[t.index(at)]
	}
}

// valid reports whether cost can read the table: the axes ascend from a size of at least 1, and each
// cost is above 0.
func (t *table) valid() bool {
	for _, axis := range t.Axes {
		if len(axis) == 0 || axis[0] < 1 {
			return false
		}
		for i := 1; i < len(axis); i++ {
			if axis[i] <= axis[i-1] {
				return false
			}
		}
	}
	if len(t.Cost) != t.points() {
		return false
	}
	for _, c := range t.Cost {
		if !(c > 0) || math.IsInf(c, 1) {
			return false
		}
	}
	return true
}
