package report

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A marker is a glyph: a regular polygon, turned by some angle, or a circle where it has no corners; filled or an outline.
type marker struct {
	corners int
	turn    float64
	open    bool
}

// markers are the shapes in the order in which they are given out. The sixth looks like the first but is open.
var markers = []marker{
	{corners: 0},
	{corners: 4, turn: math.Pi / 4},
	{corners: 3, turn: math.Pi / 2},
	{corners: 4},
	{corners: 3, turn: -math.Pi / 2},
	{corners: 0, open: true},
	{corners: 4, turn: math.Pi / 4, open: true},
	{corners: 3, turn: math.Pi / 2, open: true},
	{corners: 4, open: true},
	{corners: 3, turn: -math.Pi / 2, open: true},
}

// DrawGlyph draws the marker around p.
func (m marker) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, p vg.Point) {
	var path vg.Path
	if m.corners == 0 {
		path.Move(vg.Point{X: p.X + style.Radius, Y: p.Y})
		path.Arc(p, style.Radius, 0, 2*math.Pi)
	} else {
		radius := style.Radius * 1.2 // corners reach further than a circle of as much ink
		for i := range m.corners {
			sin, cos := math.Sincos(m.turn + 2*math.Pi*float64(i)/float64(m.corners))
			q := vg.Point{X: p.X + radius*vg.Length(cos), Y: p.Y + radius*vg.Length(sin)}
			if i == 0 {
				path.Move(q)
			} else {
				path.Line(q)
			}
		}
	}
	path.Close()
	if !m.open {
		c.SetColor(style.Color)
		c.Fill(path)
		return
	}
	c.SetLineStyle(draw.LineStyle{Color: style.Color, Width: 1.2})
	c.Stroke(path)
}

// dashes are the patterns of lines in the order in which they are given out; the first is a solid line.
var dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 2, 2, 2}, {12, 4}}
