package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Sizes in points. A plot is about as wide as a phone, where a point is nearly a pixel of CSS.
const (
	plotWidth   = 400.0
	plotHeight  = 280.0 // without title and legend
	titleLine   = 16.0
	legendLine  = 17.0
	margin      = 4.0
	textSize    = 12.5
	tickSize    = 12.0
	glyphRadius = 3.4
	thumbWidth  = 26.0 // of a legend's entry
)

// fonts are those that texts are drawn in, the first that the reader has.
const fonts = "Liberation Sans, Arial, Helvetica, sans-serif"

// textWidth returns about the width of a text, rather too much: replacements of the first of fonts are
// wider.
func textWidth(text string, size float64) float64 {
	sum := 0.0
	for _, r := range text {
		switch {
		case strings.ContainsRune(" iljtfr.,:;'|!I()[]/-", r):
			sum += 0.4
		case strings.ContainsRune("mwMW%@", r):
			sum += 1
		case r >= 'A' && r <= 'Z':
			sum += 0.76
		default:
			sum += 0.64
		}
	}
	return sum * size
}

// A drawing is the body of an svg element, and how data become coordinates.
type drawing struct {
	strings.Builder
	left, right, top, bottom float64 // of the data
	x, y                     scale
}

// A scale maps the range of an axis to 0..1.
type scale struct {
	low, high float64
	log       bool
}

func (s scale) at(v float64) float64 {
	if s.log {
		return math.Log(v/s.low) / math.Log(s.high/s.low)
	}
	return (v - s.low) / (s.high - s.low)
}

// point returns the coordinates of a point of the data.
func (d *drawing) point(x, y float64) (float64, float64) {
	return d.left + d.x.at(x)*(d.right-d.left), d.bottom - d.y.at(y)*(d.bottom-d.top)
}

// coordinate writes a length with two decimals at most.
func coordinate(v float64) string {
	return strconv.FormatFloat(math.Round(100*v)/100+0, 'f', -1, 64)
}

// stroke draws a path through points, given as x and y in turn.
func (d *drawing) stroke(i ink, width float64, dash string, points ...float64) {
	var path strings.Builder
	for n := 0; n < len(points); n += 2 {
		path.WriteString(map[bool]string{true: "M", false: "L"}[n == 0])
		path.WriteString(coordinate(points[n]) + " " + coordinate(points[n+1]))
	}
	if dash != "" {
		dash = ` stroke-dasharray="` + dash + `"`
	}
	fmt.Fprintf(d, `<path class="s%d" stroke-width="%s"%s d="%s"/>`+"\n", i, coordinate(width), dash, &path)
}

// text writes a text; anchor is start, middle or end.
func (d *drawing) text(i ink, size float64, anchor string, x, y float64, text, transform string) {
	fmt.Fprintf(d, `<text class="f%d" x="%s" y="%s" font-size="%s" text-anchor="%s"%s>%s</text>`+"\n",
		i, coordinate(x), coordinate(y), coordinate(size), anchor, transform, escape(text))
}

// glyph draws the marker of a series.
func (d *drawing) glyph(s series, x, y float64) {
	m := markers[s.marker%len(markers)]
	look := fmt.Sprintf(`class="f%d"`, s.ink)
	if m.open {
		look = fmt.Sprintf(`class="s%d" stroke-width="1.2"`, s.ink)
	}
	if m.corners == 0 {
		fmt.Fprintf(d, `<circle %s cx="%s" cy="%s" r="%s"/>`+"\n", look, coordinate(x), coordinate(y), coordinate(glyphRadius))
		return
	}
	var path strings.Builder
	for i := range m.corners {
		sin, cos := math.Sincos(m.turn*math.Pi/4 + 2*math.Pi*float64(i)/float64(m.corners))
		const radius = 1.2 * glyphRadius // corners reach further than a circle of as much ink
		path.WriteString(map[bool]string{true: "M", false: "L"}[i == 0])
		path.WriteString(coordinate(x+radius*cos) + " " + coordinate(y-radius*sin))
	}
	fmt.Fprintf(d, `<path %s d="%sZ"/>`+"\n", look, &path)
}

// wrap breaks a text between words into lines of at most the given width.
func wrap(text string, size, width float64) []string {
	var lines []string
	for _, word := range strings.Fields(text) {
		if n := len(lines); n > 0 && textWidth(lines[n-1]+" "+word, size) <= width {
			lines[n-1] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return lines
}

// legendRows returns the series that have a name, in lines that are not wider than the plot.
func (p *Plot) legendRows() [][]series {
	var rows [][]series
	room := -1.0
	for _, s := range p.series {
		if s.name == "" || len(p.drawable(s).x) == 0 {
			continue
		}
		need := entryWidth(s)
		if need > room {
			rows = append(rows, nil)
			room = plotWidth - 2*margin
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], s)
		room -= need
	}
	return rows
}

func entryWidth(s series) float64 { return thumbWidth + 5 + textWidth(s.name, tickSize) + 14 }

// WriteSVG writes the plot as a file of its own, with its title and with colors for light and dark
// pages.
func (p *Plot) WriteSVG(w io.Writer) error { return p.write(w, true) }

// write writes the plot as an svg element. An element of the page leaves the title and the colors to
// the page.
func (p *Plot) write(w io.Writer, alone bool) error {
	var titles []string
	size, style := "", ""
	if alone {
		titles = wrap(p.Title, textSize, plotWidth-2*margin)
		style = "<style>\n" + inkCSS() + "</style>\n"
	}
	rows := p.legendRows()
	top := titleLine*float64(len(titles)) + margin
	height := top + plotHeight + legendLine*float64(len(rows))
	if alone {
		size = fmt.Sprintf(` width="%spx" height="%spx"`, coordinate(plotWidth), coordinate(height))
	}
	d := p.draw(top, rows)
	for i, line := range titles {
		d.text(inkText, textSize, "middle", plotWidth/2, titleLine*float64(i+1)-2, line, "")
	}
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 %s %s"%s font-family="%s" `+
		`role="img" aria-labelledby="%s-title %s-desc">`+"\n"+`<title id="%s-title">%s</title>`+"\n"+`<desc id="%s-desc">%s</desc>`+"\n%s%s</svg>\n",
		coordinate(plotWidth), coordinate(height), size, fonts, p.Name, p.Name, p.Name, escape(p.Title), p.Name, escape(p.About), style, d)
	return err
}

// draw draws axes, series and legend below top.
func (p *Plot) draw(top float64, rows [][]series) *drawing {
	d := &drawing{top: top + 6, bottom: top + plotHeight - 40, right: plotWidth - 12}
	var x, y []float64
	for i := range p.series {
		s := p.drawable(p.series[i])
		x, y = append(x, s.x...), append(y, s.y...)
		for j, e := range s.err {
			y = append(y, s.y[j]-e, s.y[j]+e)
		}
	}
	d.x.log, d.y.log = p.x.log, p.y.log
	d.x.low, d.x.high = p.x.extent(x)
	d.y.low, d.y.high = p.y.extent(y)
	d.axes(p.x, p.y)
	for _, s := range p.series {
		d.series(p.drawable(s))
	}
	for i, row := range rows {
		at, y := margin, top+plotHeight+legendLine*(float64(i)+0.5)
		for _, s := range row {
			if s.style != pointsOnly {
				d.stroke(s.ink, s.width(), dashes[s.dash%len(dashes)], at, y, at+thumbWidth, y)
			}
			if s.style == lineAndPoints || s.style == pointsOnly {
				d.glyph(s, at+thumbWidth/2, y)
			}
			d.text(inkText, tickSize, "start", at+thumbWidth+5, y+tickSize/3, s.name, "")
			at += entryWidth(s)
		}
	}
	return d
}

// axes draws the grid, the ticks and the labels, and finds the left end of the data.
func (d *drawing) axes(x, y axis) {
	vertical := y.ticks(d.y.low, d.y.high)
	for _, t := range vertical {
		d.left = max(d.left, textWidth(t.label, tickSize))
	}
	d.left += margin + textSize + 14
	for _, t := range vertical {
		_, at := d.point(d.x.low, t.value)
		if t.label != "" {
			d.stroke(inkGrid, 0.7, "", d.left, at, d.right, at)
			d.text(inkMuted, tickSize, "end", d.left-7, at+tickSize/3, t.label, "")
		}
		d.stroke(inkMuted, 0.8, "", d.left-4, at, d.left, at)
	}
	last := math.Inf(-1)
	for _, t := range x.ticks(d.x.low, d.x.high) {
		at, _ := d.point(t.value, d.y.low)
		if half := textWidth(t.label, tickSize) / 2; t.label != "" {
			d.stroke(inkGrid, 0.7, "", at, d.top, at, d.bottom)
			if at-half > last+3 { // else it would overlap the label before it
				d.text(inkMuted, tickSize, "middle", min(at, plotWidth-half), d.bottom+17, t.label, "")
				last = at + half
			}
		}
		d.stroke(inkMuted, 0.8, "", at, d.bottom, at, d.bottom+4)
	}
	d.stroke(inkMuted, 0.8, "", d.left, d.top, d.left, d.bottom, d.right, d.bottom)
	d.text(inkText, textSize, "middle", (d.left+d.right)/2, d.bottom+34, x.label, "")
	at := (d.top + d.bottom) / 2
	turn := fmt.Sprintf(` transform="rotate(-90 %s %s)"`, coordinate(margin+textSize-2), coordinate(at))
	d.text(inkText, textSize, "middle", margin+textSize-2, at, y.label, turn)
}

func (s series) width() float64 {
	if s.style == thinLine {
		return 0.9
	}
	return 1.6
}

// series draws points that fit, with their error bars and the line through them.
func (d *drawing) series(s series) {
	var line []float64
	for i := range s.x {
		x, y := d.point(s.x[i], s.y[i])
		line = append(line, x, y)
		if s.err != nil {
			_, low := d.point(s.x[i], s.y[i]-s.err[i])
			_, high := d.point(s.x[i], s.y[i]+s.err[i])
			d.stroke(s.ink, 1, "", x, low, x, high)
		}
	}
	if s.style != pointsOnly && len(line) > 2 {
		d.stroke(s.ink, s.width(), dashes[s.dash%len(dashes)], line...)
	}
	if s.style == lineAndPoints || s.style == pointsOnly {
		for i := 0; i < len(line); i += 2 {
			d.glyph(s, line[i], line[i+1])
		}
	}
}

// escape returns text with XML's special characters escaped.
func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes all
	return b.String()
}
