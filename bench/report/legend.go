package report

import (
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The legend is below the plot, in as many lines as it takes: inside, it would hide points.
const (
	thumbWidth = 26
	thumbGap   = 5
	entryGap   = 14
)

// legendStyle is how names look.
var legendStyle = draw.TextStyle{
	Color: inkText, Font: sans(tickSize), YAlign: draw.YCenter,
	Handler: text.Plain{Fonts: font.NewCache(liberation.Collection())},
}

// legendRows returns the series that have a name, in lines that are not wider than the plot.
func (p *Plot) legendRows() [][]series {
	var rows [][]series
	room := vg.Length(-1)
	for _, s := range p.series {
		if s.name == "" || len(p.drawable(s).x) == 0 {
			continue
		}
		need := thumbWidth + thumbGap + legendStyle.Width(s.name)
		if need > room {
			rows = append(rows, nil)
			room = plotWidth - 2*margin
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], s)
		room -= need + entryGap
	}
	return rows
}

// drawLegend draws the lines of the legend at the bottom of c.
func (p *Plot) drawLegend(c draw.Canvas, rows [][]series) {
	for i, row := range rows {
		y := c.Min.Y + legendLine*(vg.Length(len(rows)-i)-0.5)
		x := c.Min.X
		for _, s := range row {
			if s.style != pointsOnly {
				c.StrokeLine2(s.line(), x, y, x+thumbWidth, y)
			}
			if s.style == lineAndPoints || s.style == pointsOnly {
				c.DrawGlyph(s.glyph(), vg.Point{X: x + thumbWidth/2, Y: y})
			}
			x += thumbWidth + thumbGap
			c.FillText(legendStyle, vg.Point{X: x, Y: y}, s.name)
			x += legendStyle.Width(s.name) + entryGap
		}
	}
}
