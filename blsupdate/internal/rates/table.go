package rates

import "slices"

// A table holds the cost of a kind of operation per unit of its Amount, on a grid of sizes: in seconds,
// or in seconds times Rates.peak if that is not 0 and the kind computes.
//
// Between the points the cost is multilinear in the reciprocals of the sizes. The time of a product is
// a term proportional to its flops, plus terms that depend on fewer sizes. For an m×k and a k×n matrix
//
//	time = f mnk + a mk + b kn + c mn + ...,   time/(mnk) = f + a/n + b/m + c/k + ...,
//
// where f stands for the flops, a, b and c for the traffic of the operands, and the rest for calls and
// loops. This is multilinear in 1/m, 1/n and 1/k, whether memory or flops bound the time. The cost
// of a tile whose time does not depend on the number of columns is multilinear, too. Beyond the end of
// an axis, the cost at the end applies.
type table struct {
	axes [3][]int  // the sizes m, n and k, ascending; a size that does not matter has one point
	cost []float64 // per unit; neighbors differ in the last axis
}

func newTable(axes [3][]int) *table {
	return &table{axes, make([]float64, len(axes[0])*len(axes[1])*len(axes[2]))}
}

func (t *table) index(at [3]int) int {
	return (at[0]*len(t.axes[1])+at[1])*len(t.axes[2]) + at[2]
}

// point returns the positions on the axes of the point with the given index, and its sizes.
func (t *table) point(index int) (at, sizes [3]int) {
	for d := 2; d >= 0; d-- {
		points := len(t.axes[d])
		at[d], index = index%points, index/points
		sizes[d] = t.axes[d][at[d]]
	}
	return at, sizes
}

// at returns the interpolated cost per unit at the given sizes, which are at least 1.
func (t *table) at(sizes [3]int) float64 {
	var low [3]int
	var share [3]float64 // the weight of the next point
	for d, axis := range t.axes {
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
			sum += float64(weight * t.cost[t.index(at)])
		}
	}
	return sum
}

// locate returns the point of the axis at or below size, and the weight of the next point in an
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

// fill gives each point without a measurement, whose cost is zero, the cost of the previous point on
// the axis of its largest size. Rates of large operations hardly change.
func (t *table) fill() {
	for i, seconds := range t.cost {
		at, sizes := t.point(i)
		if seconds > 0 || i == 0 {
			continue
		}
		longest := -1
		for d := range at {
			if at[d] > 0 && (longest < 0 || sizes[d] > sizes[longest]) {
				longest = d
			}
		}
		at[longest]--
		t.cost[i] = t.cost[t.index(at)]
	}
}
