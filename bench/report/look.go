package report

import (
	"fmt"
	"strings"
)

// An ink is a color by its role: a CSS class, with one color for light pages and one for dark pages.
type ink int

const (
	inkText ink = iota
	inkMuted
	inkGrid
	inkBlue
	inkVermillion
	inkGreen
	inkPurple
	inkOcher
	inkGray
	inkTeal
	inkRose
)

// inks has the colors of each ink. Those of series differ in lightness as well as in hue.
var inks = [...]struct{ light, dark string }{
	inkText:       {"#1b1f24", "#e6e8ea"},
	inkMuted:      {"#59626c", "#a3adb8"},
	inkGrid:       {"#dfe3e7", "#343a41"},
	inkBlue:       {"#0b62a8", "#6bb5f2"},
	inkVermillion: {"#c2410c", "#ff9a62"},
	inkGreen:      {"#0a7a5a", "#3ecfa0"},
	inkPurple:     {"#9a3c86", "#e59ad2"},
	inkOcher:      {"#8a6700", "#e3c04a"},
	inkGray:       {"#4d5761", "#bcc5cd"},
	inkTeal:       {"#00707f", "#5ed3e0"},
	inkRose:       {"#7a1f3d", "#f2a0b5"},
}

// inkCSS returns the rules of the classes: sN strokes in ink N, fN fills. Print is light.
func inkCSS() string {
	var b strings.Builder
	rule := func(i int, color string) {
		fmt.Fprintf(&b, ".plot .s%d{stroke:%s;fill:none}.plot .f%d{fill:%s}\n", i, color, i, color)
	}
	for i, c := range inks {
		rule(i, c.light)
	}
	b.WriteString("@media screen and (prefers-color-scheme:dark){\n")
	for i, c := range inks {
		rule(i, c.dark)
	}
	b.WriteString("}\n")
	return b.String()
}

// seriesInks are the inks of series in the order in which they are given out.
var seriesInks = []ink{inkBlue, inkVermillion, inkGreen, inkPurple, inkOcher, inkTeal, inkRose}

// A methodLook is the ink and the marker of a method, the same in all plots.
type methodLook struct {
	ink    ink
	marker int
}

var methodLooks = map[string]methodLook{
	"original": {inkVermillion, 1}, "improved": {inkBlue, 0}, "gram": {inkGreen, 2}, "qr": {inkPurple, 3},
	"ridge-inverse": {inkOcher, 4}, "inverse-cholesky": {inkGray, 5}, "planner": {inkTeal, 8},
}

// spareInks are for names that methodLooks lacks.
var spareInks = []ink{inkRose, inkTeal, inkGray, inkOcher}

// looks gives out inks, markers and dashes in one plot, so that no two series look the same.
type looks struct {
	variants map[string]int // by method
	spare    int
}

// method returns a series of a method. Its first variant has a solid line and the method's marker;
// later ones have dashed lines and other markers.
func (l *looks) method(name string) series {
	if l.variants == nil {
		l.variants = map[string]int{}
	}
	b := base(name)
	n := l.variants[b]
	l.variants[b]++
	look, known := methodLooks[b]
	if !known {
		if n == 0 {
			l.spare++
		}
		look.ink = spareInks[(l.spare-1)%len(spareInks)]
	}
	marker := look.marker + 5*n
	if n > 1 {
		marker += n
	}
	return series{name: name, ink: look.ink, dash: n, marker: marker % len(markers)}
}

// A marker is a glyph: a regular polygon, turned by some quarters of a right angle, or a circle for no
// corners.
type marker struct {
	corners int
	turn    float64 // in units of π/4
	open    bool    // an outline
}

// markers are the glyphs in the order in which they are given out. The sixth is the first one open, and
// so on.
var markers = []marker{
	{0, 0, false}, {4, 1, false}, {3, 2, false}, {4, 0, false}, {3, -2, false},
	{0, 0, true}, {4, 1, true}, {3, 2, true}, {4, 0, true}, {3, -2, true},
}

// dashes are the patterns of lines in the order in which they are given out; the first is a solid line.
var dashes = []string{"", "6 3", "2 2", "8 2 2 2", "12 4"}
