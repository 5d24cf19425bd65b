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

// An axis has a label with the unit. Its range is that of the data, widened to hold least and most.
type axis struct {
	label       string
	log         bool
	least, most float64  // both 0 for none
	nominal     []string // labels at 1, 2, ... instead of numbers
}

// A series is points with a look.
type series struct {
	name   string // in the legend; none if empty
	ink    ink
	marker int       // of markers
	dash   int       // of dashes
	x, y   []float64 // equally long
	err    []float64 // half of each error bar, or nil
	style  style
}

type style int

const (
	lineAndPoints style = iota
	lineOnly
	pointsOnly
	thinLine
)

func (s *series) add(x, y float64) { s.x, s.y = append(s.x, x), append(s.y, y) }

// extreme is larger than any measurement, and small enough for the arithmetic of axes.
const extreme = 1e99

// drawable returns the points of the series that fit on the axes: finite numbers, positive ones on
// logarithmic axes.
func (p *Plot) drawable(s series) series {
	fits := func(v float64, a axis) bool { return math.Abs(v) <= extreme && (v >= 1/extreme || !a.log) }
	out := s
	out.x, out.y, out.err = nil, nil, nil
	for i, x := range s.x {
		if fits(x, p.x) && fits(s.y[i], p.y) {
			out.add(x, s.y[i])
			if s.err != nil {
				out.err = append(out.err, s.err[i])
			}
		}
	}
	return out
}

// empty reports whether no series has a point to draw.
func (p *Plot) empty() bool {
	for _, s := range p.series {
		if len(p.drawable(s).x) > 0 {
			return false
		}
	}
	return true
}

// extent returns the range of an axis: that of the values, with room at both ends.
func (a axis) extent(values []float64) (low, high float64) {
	if a.nominal != nil {
		return 0.5, float64(len(a.nominal)) + 0.5
	}
	low, high = math.Inf(1), math.Inf(-1)
	if a.least != 0 || a.most != 0 {
		low, high = a.least, a.most
	}
	pinned := low
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	low, high = max(low, -extreme), min(high, extreme)
	if a.log {
		low = max(low, 1/extreme)
	}
	if low > high { // no values
		low, high = 1, 10
	}
	if a.log {
		room := math.Pow(max(high/low, 1.2), 0.04)
		return low / room, high * room
	}
	room := 0.05 * max(high-low, 1e-3*math.Abs(high), 1e-9)
	if low == 0 && pinned == 0 { // an axis that starts at zero does so
		return 0, high + room
	}
	return low - room, high + room
}

// A tick is a mark on an axis, without a label where that is empty.
type tick struct {
	value float64
	label string
}

// ticks returns the marks of an axis with the given range.
func (a axis) ticks(low, high float64) []tick {
	switch {
	case a.nominal != nil:
		var ticks []tick
		for i, label := range a.nominal {
			ticks = append(ticks, tick{float64(i + 1), label})
		}
		return ticks
	case a.log:
		return logTicks(low, high)
	}
	return linearTicks(low, high)
}

// linearTicks labels about six multiples of 1, 2 or 5 times a power of ten.
func linearTicks(low, high float64) []tick {
	const want = 6
	step := math.Pow(10, math.Floor(math.Log10((high-low)/want)))
	for _, f := range []float64{1, 2, 5, 10} {
		if (high-low)/(f*step) <= want {
			step *= f
			break
		}
	}
	decimals := max(0, int(-math.Floor(math.Log10(step)+1e-9)))
	var ticks []tick
	for i := math.Ceil(low/step - 1e-9); i*step <= high+1e-9*step; i++ {
		ticks = append(ticks, tick{i * step, strconv.FormatFloat(i*step+0, 'f', decimals, 64)})
	}
	return ticks
}

// logTicks labels powers of ten, all or some of them, and 2 and 5 times these on short ranges. On a
// range with fewer than three such labels it returns linearTicks.
func logTicks(low, high float64) []tick {
	decades := math.Log10(high / low)
	first, last := int(math.Floor(math.Log10(low))), int(math.Ceil(math.Log10(high)))
	every := 1 + int(decades/8)
	var ticks []tick
	labels := 0
	for power := first; power <= last; power++ {
		for digit := 1; digit <= 9; digit++ {
			v := float64(digit) * math.Pow(10, float64(power))
			labeled := digit == 1 && power%every == 0 || (digit == 2 || digit == 5) && decades < 3.2
			switch {
			case v < low*(1-1e-9) || v > high*(1+1e-9):
			case labeled:
				labels++
				ticks = append(ticks, tick{v, powerLabel(v)})
			case decades <= 6 || digit == 1:
				ticks = append(ticks, tick{value: v})
			}
		}
	}
	if labels < 3 {
		return linearTicks(low, high)
	}
	return ticks
}

// powerLabel writes a digit times a power of ten.
func powerLabel(v float64) string {
	if v >= 0.9e-3 && v < 0.9e6 {
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	s := strconv.FormatFloat(v, 'e', 0, 64) // such as 2e-05
	n, _ := strconv.Atoi(s[2:])
	return s[:2] + strconv.Itoa(n)
}
