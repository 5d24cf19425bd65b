package report

import (
	"fmt"
	"io"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// A Plot is a drawing of series over two axes.
type Plot struct {
	Name   string // of its files, and of its element on the page
	Title  string
	About  string // what is to be seen, for those who do not see it
	x, y   axis
	series []series
}

// An axis has a label with the unit, and a range that is that of the data unless least and most say more.
type axis struct {
	label       string
	log         bool
	least, most float64  // the range has these at least; both 0 for none
	nominal     []string // labels at 1, 2, ... instead of numbers
}

// A series is some points with a look.
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

// add appends a point, if it can be drawn on axes like these.
func (s *series) add(x, y float64) { s.x, s.y = append(s.x, x), append(s.y, y) }

// extreme is beyond what is measured, and within what axes can be computed for.
const extreme = 1e99

// drawable returns the points of the series that the axes can have: numbers that are not extreme, and positive ones on
// logarithmic axes. Tables have them all.
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

// empty tells whether there is nothing to draw.
func (p *Plot) empty() bool {
	for _, s := range p.series {
		if len(p.drawable(s).x) > 0 {
			return false
		}
	}
	return true
}

// extent returns the range of an axis: of values, with some room at both ends.
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
	if low > high { // nothing to show
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

// size returns the size of the drawing in points, with or without its title.
func (p *Plot) size(titled bool) (width, height vg.Length) {
	height = plotHeight + legendLine*vg.Length(len(p.legendRows()))
	if titled {
		height += p.titleRoom()
	}
	return plotWidth, height
}

// WriteSVG writes the plot as a file of its own, with colors for light and dark pages.
func (p *Plot) WriteSVG(w io.Writer) error {
	c := newSVGCanvas(p.size(true))
	if err := p.draw(draw.New(c), true); err != nil {
		return err
	}
	return c.write(w, p.Name, p.Title, p.About, true)
}

// writeInline writes the plot as an element of the page, which has the title and the colors.
func (p *Plot) writeInline(w io.Writer) error {
	c := newSVGCanvas(p.size(false))
	if err := p.draw(draw.New(c), false); err != nil {
		return err
	}
	return c.write(w, p.Name, p.Title, p.About, false)
}

// pngDPI makes a plot 1200 pixels wide.
const pngDPI = 216

// WritePNG writes the plot dark on white.
func (p *Plot) WritePNG(w io.Writer) error {
	width, height := p.size(true)
	c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(pngDPI))
	if err := p.draw(draw.New(c), true); err != nil {
		return err
	}
	if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(w); err != nil {
		return fmt.Errorf("report: plot %s: %w", p.Name, err)
	}
	return nil
}
