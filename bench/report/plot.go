package report

import (
	"math"
	"strconv"
)

// A Plot is a drawing of series over two axes.
type Plot struct {
	Name   string // of its file, and of its element on the page
	Title  string
	About  string // describes the plot to readers who do not see it
	x, y   axis
	series []series
}

// An axis has a label with the unit.
type axis struct {
	label   string
	log     bool
	holds   []float64 // values that the range includes beside the data
	nominal []string  // labels at 1, 2, ... instead of numbers: the points are not joined
}

// A series is points with a look.
type series struct {
	name         string
	ink          ink
	marker, dash int
	plain        bool
	x, y         []float64 // equally long
}

// add adds a series, of the points that fit. A plain one is a reference, a muted line without points.
func (p *Plot) add(name string, plain bool, x, y []float64) {
	alike := 0
	for _, s := range p.series {
		if s.plain == plain {
			alike++
		}
	}
	s := series{name: name, plain: plain, ink: inkMuted, dash: alike % len(dashes)}
	if !plain {
		s.ink, s.marker = inkText+ink(1+alike%seriesInks), alike%markers
		s.dash = alike / seriesInks % len(dashes)
	}
	for i := range x {
		if p.x.fits(x[i]) && p.y.fits(y[i]) {
			s.x, s.y = append(s.x, x[i]), append(s.y, y[i])
		}
	}
	if len(s.x) > 0 {
		p.series = append(p.series, s)
	}
}

// fits reports whether an axis can show v: finite, positive if logarithmic, and far from overflow.
func (a axis) fits(v float64) bool {
	const extreme = 1e99
	return math.Abs(v) <= extreme && (!a.log || v >= 1/extreme)
}

// extent returns the range of an axis: that of the values, with room at both ends, but none below zero.
func (a axis) extent(values []float64) (low, high float64) {
	if a.nominal != nil {
		return 0.5, float64(len(a.nominal)) + 0.5
	}
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range append(values, a.holds...) {
		low, high = min(low, v), max(high, v)
	}
	if a.log {
		room := math.Pow(max(high/low, 1.2), 0.04)
		return low / room, high * room
	}
	room := 0.05 * max(high-low, 1e-3*math.Abs(high), 1e-9)
	if low == 0 {
		return 0, high + room
	}
	return low - room, high + room
}

// A tick is a mark on an axis.
type tick struct {
	value float64
	label string
}

// ticks returns the marks of an axis with the given range.
func (a axis) ticks(low, high float64) (ticks []tick) {
	if a.log {
		return logTicks(low, high)
	}
	if a.nominal == nil {
		return linearTicks(low, high)
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
	decimals := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	for i := math.Ceil(low/step - 1e-9); i*step <= high+1e-9*step; i++ {
		ticks = append(ticks, tick{i * step, strconv.FormatFloat(i*step+0, 'f', decimals, 64)})
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
