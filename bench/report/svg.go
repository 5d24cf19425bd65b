package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An ink is a color by its role: a CSS class, with one color for light pages and one for dark pages.
type ink int

const (
	inkGrid ink = iota
	inkMuted
	inkText // and behind it the inks of series
)

// seriesInks is the number of inks of series.
const seriesInks = 7

// inks has the colors of each ink. Those of series differ in lightness as well as in hue.
var inks = [int(inkText) + 1 + seriesInks]struct{ light, dark string }{
	inkGrid:                {"#dfe3e7", "#343a41"},
	inkMuted:               {"#59626c", "#a3adb8"},
	inkText:                {"#1b1f24", "#e6e8ea"},
	{"#c2410c", "#ff9a62"}, // vermillion
	{"#0b62a8", "#6bb5f2"}, // blue
	{"#0a7a5a", "#3ecfa0"}, // green
	{"#9a3c86", "#e59ad2"}, // purple
	{"#8a6700", "#e3c04a"}, // ocher
	{"#00707f", "#5ed3e0"}, // teal
	{"#7a1f3d", "#f2a0b5"}, // rose
}

// inkCSS returns the rules of the classes: sN strokes in ink N, fN fills. Print is light.
func inkCSS() string {
	var light, dark strings.Builder
	for i, c := range inks {
		const rule = ".plot .s%d{stroke:%[2]s;fill:none}.plot .f%[1]d{fill:%[2]s}\n"
		fmt.Fprintf(&light, rule, i, c.light)
		fmt.Fprintf(&dark, rule, i, c.dark)
	}
	return light.String() + "@media screen and (prefers-color-scheme:dark){\n" + dark.String() + "}\n"
}

// markers is the number of glyphs: circles and squares, and behind them their outlines.
const markers = 8

// dashes are the patterns of lines; the first is a solid line.
var dashes = []string{"", "6 3", "2 2", "8 2 2 2"}

// Sizes in points. A plot is about as wide as a phone, where a point is nearly a pixel of CSS.
const (
	plotWidth   = 400.0
	plotHeight  = 280.0 // without the legend
	legendLine  = 17.0
	textSize    = 12.0
	glyphRadius = 3.4
	thumbWidth  = 26.0 // of a legend's entry
)

// fonts are those that texts are drawn in, the first that the reader has.
const fonts = "Liberation Sans, Arial, Helvetica, sans-serif"

// textWidth returns about the width of a text, rather too much.
func textWidth(text string) float64 { return 0.6 * textSize * float64(utf8.RuneCountInString(text)) }

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

// coordinate writes a length with at most two decimals.
func coordinate(v float64) string {
	return strconv.FormatFloat(math.Round(100*v)/100+0, 'f', -1, 64)
}

// path writes points, given as x and y in turn, as the data of a path.
func path(points ...float64) string {
	var b strings.Builder
	for n := 0; n < len(points); n += 2 {
		b.WriteString(map[bool]string{true: "M", false: "L"}[n == 0])
		b.WriteString(coordinate(points[n]) + " " + coordinate(points[n+1]))
	}
	return b.String()
}

// stroke draws a line through points, given as x and y in turn.
func (d *drawing) stroke(i ink, width float64, dash string, points ...float64) {
	if dash != "" {
		dash = ` stroke-dasharray="` + dash + `"`
	}
	fmt.Fprintf(d, `<path class="s%d" stroke-width="%s"%s d="%s"/>`+"\n", i, coordinate(width), dash, path(points...))
}

// text writes a text; anchor is start, middle or end.
func (d *drawing) text(i ink, anchor string, x, y float64, text, transform string) {
	fmt.Fprintf(d, `<text class="f%d" x="%s" y="%s" font-size="%s" text-anchor="%s"%s>%s</text>`+"\n",
		i, coordinate(x), coordinate(y), coordinate(textSize), anchor, transform, escape(text))
}

// glyph draws the marker of a series.
func (d *drawing) glyph(s series, x, y float64) {
	look := fmt.Sprintf(`class="f%d"`, s.ink)
	if s.marker >= markers/2 { // an outline
		look = fmt.Sprintf(`class="s%d" stroke-width="1.2"`, s.ink)
	}
	if s.marker%2 == 0 {
		fmt.Fprintf(d, `<circle %s cx="%s" cy="%s" r="%s"/>`+"\n", look, coordinate(x), coordinate(y), coordinate(glyphRadius))
		return
	}
	turns := float64(s.marker % (markers / 2) / 2) // a square, or one that stands on a corner
	var corners []float64
	for i := range 4 {
		sin, cos := math.Sincos((turns/2 + 0.5 + float64(i)) * math.Pi / 2)
		const radius = 1.2 * glyphRadius // corners reach further than a circle of as much ink
		corners = append(corners, x+radius*cos, y-radius*sin)
	}
	fmt.Fprintf(d, `<path %s d="%sZ"/>`+"\n", look, path(corners...))
}

// WriteSVG writes the plot as a file of its own, with colors for light and dark pages.
func (p *Plot) WriteSVG(w io.Writer) error {
	height := plotHeight + legendLine*float64(len(p.series))
	size := fmt.Sprintf(` width="%spx" height="%spx"`, coordinate(plotWidth), coordinate(height))
	return p.write(w, size, "<style>\n"+inkCSS()+"</style>\n")
}

// write writes the plot as an svg element. An element of the page has no size and no style.
func (p *Plot) write(w io.Writer, size, style string) error {
	height := plotHeight + legendLine*float64(len(p.series))
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 %s %s"%s `+
		`font-family="%s" role="img" aria-labelledby="%[5]s-title %[5]s-desc">`+"\n"+
		`<title id="%[5]s-title">%[6]s</title>`+"\n"+`<desc id="%[5]s-desc">%[7]s</desc>`+"\n%[8]s%[9]s</svg>\n",
		coordinate(plotWidth), coordinate(height), size, fonts, p.Name, escape(p.Title), escape(p.About), style, p.draw())
	return err
}

// draw draws axes and series, and the legend below them.
func (p *Plot) draw() *drawing {
	d := &drawing{left: 68, right: plotWidth - 12, top: 10, bottom: plotHeight - 40}
	var x, y []float64
	for _, s := range p.series {
		x, y = append(x, s.x...), append(y, s.y...)
	}
	d.x.log, d.y.log = p.x.log, p.y.log
	d.x.low, d.x.high = p.x.extent(x)
	d.y.low, d.y.high = p.y.extent(y)
	d.axes(p.x, p.y)
	for i, s := range p.series {
		dash, at := dashes[s.dash], plotHeight+legendLine*(float64(i)+0.5)
		if p.x.nominal == nil {
			d.stroke(s.ink, 1.6, dash, 4, at, 4+thumbWidth, at)
		}
		d.text(inkText, "start", thumbWidth+9, at+textSize/3, s.name, "")
		var line []float64
		for j := range s.x {
			x, y := d.point(s.x[j], s.y[j])
			if p.x.nominal != nil {
				x += 2 * glyphRadius * float64(i) // beside the series before
			}
			line = append(line, x, y)
		}
		if p.x.nominal == nil && len(line) > 2 {
			d.stroke(s.ink, 1.6, dash, line...)
		}
		if !s.plain {
			for j := 0; j < len(line); j += 2 {
				d.glyph(s, line[j], line[j+1])
			}
			d.glyph(s, 4+thumbWidth/2, at)
		}
	}
	return d
}

// axes draws the grid, the ticks and the labels.
func (d *drawing) axes(x, y axis) {
	for _, t := range y.ticks(d.y.low, d.y.high) {
		_, at := d.point(d.x.low, t.value)
		d.stroke(inkGrid, 0.7, "", d.left, at, d.right, at)
		d.text(inkMuted, "end", d.left-7, at+textSize/3, t.label, "")
		d.stroke(inkMuted, 0.8, "", d.left-4, at, d.left, at)
	}
	last := math.Inf(-1)
	for _, t := range x.ticks(d.x.low, d.x.high) {
		at, _ := d.point(t.value, d.y.low)
		d.stroke(inkGrid, 0.7, "", at, d.top, at, d.bottom)
		if half := textWidth(t.label) / 2; at-half > last+3 { // no overlap
			d.text(inkMuted, "middle", min(at, plotWidth-half-1), d.bottom+17, t.label, "")
			last = at + half
		}
		d.stroke(inkMuted, 0.8, "", at, d.bottom, at, d.bottom+4)
	}
	d.stroke(inkMuted, 0.8, "", d.left, d.top, d.left, d.bottom, d.right, d.bottom)
	d.text(inkText, "middle", (d.left+d.right)/2, d.bottom+34, x.label, "")
	at := (d.top + d.bottom) / 2
	turn := fmt.Sprintf(` transform="rotate(-90 %s %s)"`, coordinate(textSize+2), coordinate(at))
	d.text(inkText, "middle", textSize+2, at, y.label, turn)
}

// escape returns text with XML's special characters escaped.
func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes all
	return b.String()
}
