package report

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"blskernel/internal/linalg/detmath"
)

// A Plot shows series of points. Its title says what they show.
type Plot struct {
	Name, Title string // Name is the name of its file, without .svg
	X, Y        Axis
	Series      []Series
}

// An Axis shows numbers, on a logarithmic scale if Log is true, or Names at positions 0, -1, -2, ...
type Axis struct {
	Label string
	Log   bool
	Names []string
}

// A Series is drawn with marks unless Bare is true, and with a line if Line is true. Marks and dashes
// differ between series, so that a reader needs no colors.
type Series struct {
	Name       string
	Line, Bare bool
	Points     []Point
}

// A Point is one point of a Series. The deviation of Y is drawn as a band if it is positive.
type Point struct{ X, Y, Deviation float64 }

// Sizes in CSS pixels. The plot is about as wide as the screen of a phone.
const (
	plotWidth, plotHeight = 400, 240 // plotHeight is the minimum: a name on an axis takes nameRoom
	lineHeight, nameRoom  = 16, 30
	plotRight, titleWidth = plotWidth - 20, 54 // titleWidth is in characters
)

const plotStyle = `<style>
.paper{fill:#ffffff} .text{fill:#1b1f24} .grid{stroke:#d0d4d9} .s0{color:#c2410c} .s1{color:#0b62a8} .s2{color:#0a7a5a} .s3{color:#555b63}
@media (prefers-color-scheme:dark){
.paper{fill:#15181c} .text{fill:#e6e8ea} .grid{stroke:#3a4048} .s0{color:#ff9a62} .s1{color:#6bb5f2} .s2{color:#3ecfa0} .s3{color:#b4b9c1}
}
.mark,.line{stroke:currentColor;stroke-width:1.5} .line{fill:none} .band{fill:currentColor;opacity:.25} .full{fill:currentColor}
</style>
`

// The marks and dashes of the series, in turn. Every second mark is open.
var (
	marks  = []string{"M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z", "M-4,-4h8v8h-8z", "M0,-5l5,9h-10z", "M0,-5l5,5l-5,5l-5,-5z"}
	dashes = []string{"", "7 3", "2 3", "9 3 2 3"}
)

// A scale maps the range [low, high] of an axis to the coordinates [from, to] of the drawing.
type scale struct {
	Axis
	low, high, from, to float64
	ticks               []float64
}

// drawn reports whether the axis can show v.
func (a Axis) drawn(v float64) bool { return math.Abs(v) <= 1e99 && (v >= 1e-99 || !a.Log) }

func (a Axis) scale(values []float64, from, to float64) scale {
	s := scale{Axis: a, from: from, to: to, high: 1}
	if len(values) > 0 {
		s.low, s.high = slices.Min(values), slices.Max(values)
	}
	first, last, step := float64(1-len(a.Names)), 0.0, 1.0
	switch {
	case a.Names != nil:
		s.low, s.high = first-0.5, 0.5
	case a.Log:
		first, last = math.Floor(detmath.Log10(max(s.low, 1e-99))), math.Ceil(detmath.Log10(s.high))
		last = max(last, first+1)
		s.low, s.high, step = tenTo(first), tenTo(last), math.Ceil((last-first)/8)
	default:
		// A span of at least 1/1000 of the numbers keeps noise from filling the plot.
		span := max(s.high-s.low, 1e-3*max(math.Abs(s.low), math.Abs(s.high)))
		if !(span >= 1e-99) {
			span = 1
		}
		if step = tenTo(math.Floor(detmath.Log10(span))); span < 3*step {
			step /= 5
		}
		first, last = math.Floor(s.low/step), math.Ceil(s.high/step)
		s.low, s.high = float64(first*step), float64(max(last, first+1)*step)
		first, last = s.low, s.high+float64(step/2)
	}
	for v := first; v <= last; v += step {
		tick := v
		if a.Log {
			tick = tenTo(v)
		}
		s.ticks = append(s.ticks, tick)
	}
	return s
}

func tenTo(n float64) float64 {
	if n < 0 {
		return 1 / detmath.Pow(10, int(-n))
	}
	return detmath.Pow(10, int(n))
}

func (s scale) at(v float64) float64 {
	low, high := s.low, s.high
	if s.Log {
		v, low, high = detmath.Log10(v), detmath.Log10(low), detmath.Log10(high)
	}
	return s.from + float64((v-low)/(high-low)*(s.to-s.from))
}

func (s scale) label(v float64) string {
	if s.Names != nil {
		return s.Names[int(-v)]
	}
	return fmt.Sprintf("%.6g", v)
}

// SVG returns the plot as an SVG file, with colors for light and dark pages. It omits points whose X,
// Y - Deviation or Y + Deviation is NaN, beyond ±1e99 or, on a logarithmic axis, below 1e-99.
func (p *Plot) SVG() string {
	var b strings.Builder
	text := func(x, y float64, anchor, s string) {
		fmt.Fprintf(&b, "<text class=\"text\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, html.EscapeString(s))
	}
	mark := func(series int, x, y float64) {
		fill := []string{"full", "paper"}[series%2]
		fmt.Fprintf(&b, "<path class=\"s%d mark %s\" transform=\"translate(%.1f %.1f)\" d=\"%s\"/>\n", series%4, fill, x, y, marks[series%4])
	}
	line := func(series int, path string) {
		fmt.Fprintf(&b, "<path class=\"s%d line\" stroke-dasharray=\"%s\" d=\"%s\"/>\n", series%4, dashes[series%4], path)
	}
	title := wrapped(p.Title, titleWidth)
	top, left := float64(lineHeight*(len(title)+len(p.Series)+1)+14), 62.0
	if p.Y.Names != nil {
		left = 94
	}
	bottom := top + float64(max(plotHeight, nameRoom*len(p.Y.Names)))
	var xs, ys []float64
	drawn := make([][]Point, len(p.Series))
	for i, s := range p.Series {
		for _, q := range s.Points {
			if p.X.drawn(q.X) && p.Y.drawn(q.Y-q.Deviation) && p.Y.drawn(q.Y+q.Deviation) {
				xs, ys, drawn[i] = append(xs, q.X), append(ys, q.Y-q.Deviation, q.Y+q.Deviation), append(drawn[i], q)
			}
		}
	}
	x, y := p.X.scale(xs, left, plotRight), p.Y.scale(ys, bottom, top)
	height := bottom + 2*lineHeight + 8
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%dpx\" height=\"%.0fpx\" "+
		"font-family=\"Liberation Sans, Arial, Helvetica, sans-serif\" font-size=\"12px\">\n<title>%s</title>\n%s"+
		"<rect class=\"paper\" width=\"%d\" height=\"%.0f\"/>\n", plotWidth, height, plotWidth, height, html.EscapeString(p.Title), plotStyle, plotWidth, height)
	for i, s := range title {
		text(4, float64(lineHeight*(i+1)), "start", s)
	}
	for i, s := range p.Series {
		at := float64(lineHeight * (len(title) + i + 1))
		if s.Line {
			line(i, fmt.Sprintf("M8,%.1fh28", at))
		}
		if !s.Bare {
			mark(i, 22, at)
		}
		text(42, at+4, "start", s.Name)
	}
	for _, v := range x.ticks {
		fmt.Fprintf(&b, "<path class=\"grid\" d=\"M%.1f,%.1fV%.1f\"/>\n", x.at(v), top, bottom)
		text(x.at(v), bottom+lineHeight, "middle", x.label(v))
	}
	for _, v := range y.ticks {
		fmt.Fprintf(&b, "<path class=\"grid\" d=\"M%.0f,%.1fH%d\"/>\n", left, y.at(v), plotRight)
		text(left-5, y.at(v)+4, "end", y.label(v))
	}
	text((left+plotRight)/2, bottom+2*lineHeight, "middle", p.X.Label)
	text(4, top-12, "start", p.Y.Label)
	for i, points := range drawn {
		var path, above, below string
		for _, q := range points {
			path += fmt.Sprintf("L%.1f,%.1f", x.at(q.X), y.at(q.Y))
			above += fmt.Sprintf("L%.1f,%.1f", x.at(q.X), y.at(q.Y+q.Deviation))
			below = fmt.Sprintf("L%.1f,%.1f", x.at(q.X), y.at(q.Y-q.Deviation)) + below
		}
		if slices.ContainsFunc(points, func(q Point) bool { return q.Deviation > 0 }) {
			fmt.Fprintf(&b, "<path class=\"s%d band\" d=\"M%sz\"/>\n", i%4, (above + below)[1:])
		}
		if p.Series[i].Line && len(points) > 0 {
			line(i, "M"+path[1:])
		}
		for _, q := range points {
			if !p.Series[i].Bare {
				mark(i, x.at(q.X), y.at(q.Y))
			}
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func wrapped(text string, width int) (lines []string) {
	for _, word := range strings.Fields(text) {
		if n := len(lines) - 1; n >= 0 && len([]rune(lines[n]+" "+word)) <= width {
			lines[n] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// Table returns the numbers of the plot. It has a column for each series with marks, and a row for each
// X or, if the Y axis has names, for each name with a point.
func (p *Plot) Table() Table {
	t := Table{Columns: []string{p.X.Label}}
	if p.Y.Names != nil {
		t.Columns[0] = p.Y.Label
	}
	var rows ordered[string, []string]
	var shown []Series
	for _, s := range p.Series {
		if !s.Bare {
			shown, t.Columns = append(shown, s), append(t.Columns, s.Name)
		}
	}
	for i, s := range shown {
		for _, q := range s.Points {
			key, cell := fmt.Sprintf("%.6g", q.X), fmt.Sprintf("%.4g", q.Y)
			if q.Deviation > 0 {
				cell = spread(q.Y, q.Deviation)
			}
			if n := int(math.Round(-q.Y)); p.Y.Names != nil && n >= 0 && n < len(p.Y.Names) {
				key, cell = p.Y.Names[n], times(q.X)
			}
			row := rows.at(key)
			if *row == nil {
				*row = slices.Insert(slices.Repeat([]string{absent}, len(shown)), 0, key)
			}
			(*row)[i+1] = cell
		}
	}
	for _, row := range rows {
		t.Rows = append(t.Rows, row.value)
	}
	return t
}
