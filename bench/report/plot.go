package report

import (
	"cmp"
	"math"
	"strconv"
)

// A Plot is a drawing of series over two axes.
type Plot struct {
	Name   string // of its file
	Title  string
	x, y   axis
	series []series
}

// An axis has a label with the unit, and a range.
type axis struct {
	label     string
	log       bool
	nominal   []string // labels at 1, 2, ... instead of numbers: the points are not joined
	low, high float64
}

// A series is points with a look.
type series struct {
	name   string
	plain  bool // a reference: a muted line without points
	look   int  // among those that are plain, or among the others
	points [][2]float64
}

// add adds a series, of the points that fit.
func (p *Plot) add(name string, plain bool, x, y []float64) {
	s := series{name: name, plain: plain}
	for _, other := range p.series {
		if other.plain == plain {
			s.look++
		}
	}
	for i := range x {
		if p.x.fits(x[i]) && p.y.fits(y[i]) {
			s.points = append(s.points, [2]float64{x[i], y[i]})
		}
	}
	if len(s.points) > 0 {
		p.series = append(p.series, s)
	}
}

// fits reports whether an axis can show v: finite, not negative, and far from overflow.
func (a axis) fits(v float64) bool {
	const extreme = 1e99
	return v >= 0 && v <= extreme && (!a.log || v >= 1/extreme)
}

// over returns the axis with the range of the values, with some room. A linear axis begins at zero
// unless all values are far from it.
func (a axis) over(values []float64) axis {
	a.low, a.high = math.Inf(1), 0
	for _, v := range values {
		a.low, a.high = min(a.low, v), max(a.high, v)
	}
	switch room := math.Pow(max(a.high/a.low, 1.2), 0.04); {
	case a.nominal != nil:
		a.low, a.high = 0.5, float64(len(a.nominal))+0.5
	case a.log:
		a.low, a.high = a.low/room, a.high*room
	default:
		room = max(0.05*(a.high-a.low), 0.01*a.high)
		a.low, a.high = a.low-room, cmp.Or(a.high+room, 1)
		if a.low <= a.high/2 {
			a.low = 0
		}
	}
	return a
}

// at maps the range to 0..1.
func (a axis) at(v float64) float64 {
	if a.log {
		return math.Log(v/a.low) / math.Log(a.high/a.low)
	}
	return (v - a.low) / (a.high - a.low)
}

// A tick is a mark on an axis.
type tick struct {
	value float64
	label string
}

// ticks returns the marks of an axis with a range.
func (a axis) ticks() (ticks []tick) {
	if a.log {
		return logTicks(a.low, a.high)
	}
	if a.nominal == nil {
		return linearTicks(a.low, a.high)
	}
	for i, label := range a.nominal {
		ticks = append(ticks, tick{float64(i + 1), label})
	}
	return ticks
}

// linearTicks labels at most seven multiples of 1, 2 or 5 times a power of ten.
func linearTicks(low, high float64) (ticks []tick) {
	const want = 6
	step := math.Pow(10, math.Floor(math.Log10((high-low)/want)))
	for _, f := range []float64{1, 2, 5, 10} {
		if (high-low)/(f*step) <= want {
			step *= f
			break
		}
	}
	decimals := max(0, int(-math.Floor(float64(math.Log10(step))+1e-9)))
	for i := math.Ceil(low/step - 1e-9); i*step <= high+float64(1e-9*step); i++ {
		ticks = append(ticks, tick{i * step, strconv.FormatFloat(float64(i*step)+0, 'f', decimals, 64)})
	}
	return ticks
}

// logTicks labels powers of ten, all or some of them, and on short ranges 2 and 5 times these. On a
// range with fewer than three such labels it returns linearTicks.
func logTicks(low, high float64) (ticks []tick) {
	decades := math.Log10(high / low)
	every := 1 + int(decades/8)
	for power := int(math.Floor(math.Log10(low))); power <= int(math.Ceil(math.Log10(high))); power++ {
		for _, digit := range []float64{1, 2, 5} {
			v := digit * math.Pow(10, float64(power))
			labeled := digit == 1 && power%every == 0 || decades < 3.2
			if labeled && v >= low*(1-1e-9) && v <= high*(1+1e-9) {
				ticks = append(ticks, tick{v, strconv.FormatFloat(v, 'g', 6, 64)})
			}
		}
	}
	if len(ticks) < 3 {
		return linearTicks(low, high)
	}
	return ticks
}
