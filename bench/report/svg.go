package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// An ink is a color by its role: a CSS class, with one color for light pages and one for dark pages.
type ink int

const (
	inkPaper ink = iota
	inkGrid
	inkMuted
	inkText
	inkSeries // the first of those of series
)

// inks has the colors of each ink. Those of series differ in lightness as well as in hue.
var inks = [...]struct{ light, dark string }{
	inkPaper:               {"#ffffff", "#15181c"},
	inkGrid:                {"#dfe3e7", "#343a41"},
	inkMuted:               {"#59626c", "#a3adb8"},
	inkText:                {"#1b1f24", "#e6e8ea"},
	inkSeries:              {"#c2410c", "#ff9a62"}, // vermillion
	{"#0b62a8", "#6bb5f2"}, // blue
	{"#0a7a5a", "#3ecfa0"}, // green
	{"#9a3c86", "#e59ad2"}, // purple
	{"#8a6700", "#e3c04a"}, // ocher
	{"#00707f", "#5ed3e0"}, // teal
	{"#7a1f3d", "#f2a0b5"}, // rose
}

// style returns the rules of the drawing: class iN is ink N, and a line has no fill.
func style() string {
	var light, dark strings.Builder
	for i, c := range inks {
		const rule = ".i%d{color:%s}\n"
		fmt.Fprintf(&light, rule, i, c.light)
		fmt.Fprintf(&dark, rule, i, c.dark)
	}
	return "svg{fill:currentColor}\n.line{fill:none;stroke:currentColor}\n" + light.String() +
		"@media (prefers-color-scheme:dark){\n" + dark.String() + "}\n"
}

// dashes are the patterns of the lines of references; the first is a solid line.
var dashes = []string{"none", "6 3", "2 2"}

// Sizes in points. A plot is about as wide as a phone, where a point is nearly a pixel of CSS.
const (
	plotWidth  = 400.0
	plotHeight = 298.0 // without the legend
	legendLine = 17.0
	thumbWidth = 26.0 // of a legend's entry
	textSize   = 12.0
	markRadius = 3.4

	left, right, top, bottom = 68, plotWidth - 12, 28, plotHeight - 40 // of the data
)

// textWidth returns about the width of a text, rather too much.
func textWidth(text string) float64 { return 0.6 * textSize * float64(utf8.RuneCountInString(text)) }

// A drawing is the body of an SVG element.
type drawing struct{ strings.Builder }

// line draws a line through points, given as x and y in turn.
func (d *drawing) line(i ink, width float64, dash string, points ...float64) {
	fmt.Fprintf(d, `<polyline class="i%d line" stroke-width="%.1f" stroke-dasharray="%s" points="`, i, width, dash)
	for n := 0; n < len(points); n += 2 {
		fmt.Fprintf(d, "%.1f,%.1f ", points[n], points[n+1])
	}
	d.WriteString("\"/>\n")
}

// text writes a text; anchor is start, middle or end.
func (d *drawing) text(i ink, anchor string, x, y float64, text, transform string) {
	fmt.Fprintf(d, `<text class="i%d" x="%.1f" y="%.1f" text-anchor="%s"%s>`, i, x, y, anchor, transform)
	_ = xml.EscapeText(d, []byte(text)) // a Builder takes all
	d.WriteString("</text>\n")
}

// mark draws the marker of a series: a circle or a square, filled or its outline.
func (d *drawing) mark(s series, x, y float64) {
	class := fmt.Sprintf("i%d", s.ink())
	if s.look%4 >= 2 {
		class += " line"
	}
	if s.look%2 == 0 {
		fmt.Fprintf(d, `<circle class="%s" cx="%.1f" cy="%.1f" r="%.1f"/>`+"\n", class, x, y, markRadius)
		return
	}
	const side = 2 * markRadius
	fmt.Fprintf(d, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%[4]f"/>`+"\n", class, x-side/2, y-side/2, side)
}

// ink returns the ink of a series.
func (s series) ink() ink {
	if s.plain {
		return inkMuted
	}
	return inkSeries + ink(s.look%(len(inks)-int(inkSeries)))
}

// WriteSVG writes the plot as an SVG file, with colors for light and dark pages.
func (p *Plot) WriteSVG(w io.Writer) error {
	height := plotHeight + float64(legendLine*len(p.series))
	d := new(drawing)
	fmt.Fprintf(d, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]g %[2]g" width="%[1]gpx" height="%[2]gpx" `+
		`font-family="Liberation Sans, Arial, Helvetica, sans-serif" font-size="%[3]gpx">`+"\n<title>", plotWidth, height, textSize)
	_ = xml.EscapeText(d, []byte(p.Title))
	fmt.Fprintf(d, "</title>\n<style>\n%s</style>\n", style())
	fmt.Fprintf(d, `<rect class="i%d" width="%g" height="%g"/>`+"\n", inkPaper, plotWidth, height)
	d.text(inkText, "start", 4, textSize+4, p.Title, "")
	p.draw(d)
	d.WriteString("</svg>\n")
	_, err := io.WriteString(w, d.String())
	return err
}

// draw draws axes and series, and the legend below them.
func (p *Plot) draw(d *drawing) {
	var xs, ys []float64
	for _, s := range p.series {
		for _, v := range s.points {
			xs, ys = append(xs, v[0]), append(ys, v[1])
		}
	}
	x, y := p.x.over(xs), p.y.over(ys)
	d.axes(x, y)
	for i, s := range p.series {
		at := plotHeight + float64(legendLine*(float64(i)+0.5))
		var points []float64
		for _, v := range s.points {
			points = append(points, left+float64(x.at(v[0])*(right-left)), bottom-float64(y.at(v[1])*(bottom-top)))
			if x.nominal != nil {
				// Beside the series before.
				points[len(points)-2] += float64(2 * markRadius * float64(i))
			}
		}
		if x.nominal == nil {
			dash := dashes[0]
			if s.plain {
				dash = dashes[s.look%len(dashes)]
			}
			d.line(s.ink(), 1.6, dash, points...)
			d.line(s.ink(), 1.6, dash, 4, at, 4+thumbWidth, at)
		}
		if !s.plain {
			for j := 0; j < len(points); j += 2 {
				d.mark(s, points[j], points[j+1])
			}
			d.mark(s, 4+thumbWidth/2, at)
		}
		d.text(inkText, "start", thumbWidth+9, at+textSize/3, s.name, "")
	}
}

// axes draws the grid, the ticks and the labels.
func (d *drawing) axes(x, y axis) {
	for _, t := range y.ticks() {
		at := bottom - float64(y.at(t.value)*(bottom-top))
		d.line(inkGrid, 0.7, dashes[0], left-4, at, right, at)
		d.text(inkMuted, "end", left-7, at+textSize/3, t.label, "")
	}
	last := math.Inf(-1)
	for _, t := range x.ticks() {
		at := left + float64(x.at(t.value)*(right-left))
		d.line(inkGrid, 0.7, dashes[0], at, top, at, bottom+4)
		if half := float64(textWidth(t.label) / 2); at-half > last+3 {
			// No label overlaps the one before it.
			d.text(inkMuted, "middle", min(at, plotWidth-half-1), bottom+17, t.label, "")
			last = at + half
		}
	}
	d.line(inkMuted, 0.8, dashes[0], left, top, left, bottom, right, bottom)
	d.text(inkText, "middle", (left+right)/2, bottom+34, x.label, "")
	const beside, middle = textSize + 2, (top + bottom) / 2
	d.text(inkText, "middle", beside, middle, y.label, fmt.Sprintf(` transform="rotate(-90 %g %g)"`, beside, middle))
}
