package report

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes in points. A plot is about as wide as the page of a phone, where a point then is nearly a pixel of CSS.
const (
	plotWidth   = 400
	plotHeight  = 280
	titleHeight = 22
	titleLine   = 15 // each further line of the title
	legendLine  = 17
	labelLine   = 17 // for the label of the x axis
	labelColumn = 21 // for that of the y axis
	margin      = 4
	textSize    = 12.5
	tickSize    = 12
	glyphRadius = 3.4
	lineWidth   = 1.6
)

func sans(size font.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// draw draws the plot with its legend below, and its title if wanted.
func (p *Plot) draw(c draw.Canvas, titled bool) error {
	g := plot.New()
	g.BackgroundColor = nil // what is below shows through
	if titled {
		g.Title.Text = strings.Join(p.titleLines(), "\n")
		g.Title.TextStyle.Font, g.Title.TextStyle.Color = sans(textSize), inkText
		g.Title.Padding = 6
	}
	var x, y []float64
	for i := range p.series {
		s := p.drawable(p.series[i])
		x, y = append(x, s.x...), append(y, s.y...)
		for j, e := range s.err {
			y = append(y, s.y[j]-e, s.y[j]+e)
		}
	}
	p.x.set(&g.X, x)
	p.y.set(&g.Y, y)
	grid := plotter.NewGrid()
	grid.Vertical = draw.LineStyle{Color: inkGrid, Width: 0.7}
	grid.Horizontal = grid.Vertical
	g.Add(grid)
	for _, s := range p.series {
		if err := p.addTo(g, s); err != nil {
			return fmt.Errorf("report: plot %s: %w", p.Name, err)
		}
	}
	rows := p.legendRows()
	below := legendLine * vg.Length(len(rows))
	// The labels of the axes are drawn here: package plot keeps room for them at the middle of the range,
	// which on a logarithmic axis is near its end, and shrinks the plot for nothing.
	inner := draw.Crop(c, margin+labelColumn, -margin, margin+below+labelLine, -margin)
	g.Draw(inner)
	data := g.DataCanvas(inner)
	style := draw.TextStyle{Color: inkText, Font: sans(textSize), XAlign: draw.XCenter, YAlign: draw.YBottom, Handler: legendStyle.Handler}
	c.FillText(style, vg.Point{X: data.Center().X, Y: c.Min.Y + margin + below + 2}, p.x.label)
	style.Rotation, style.YAlign = math.Pi/2, draw.YTop
	c.FillText(style, vg.Point{X: c.Min.X + margin/2, Y: data.Center().Y}, p.y.label)
	p.drawLegend(draw.Crop(c, margin, -margin, 0, 0), rows)
	return nil
}

// set puts the range, the ticks and the look of an axis into that of a plot, without its label.
func (a axis) set(to *plot.Axis, values []float64) {
	to.Min, to.Max = a.extent(values)
	to.Tick.Label.Font, to.Tick.Label.Color = sans(tickSize), inkMuted
	to.LineStyle = draw.LineStyle{Color: inkMuted, Width: 0.8}
	to.Tick.LineStyle = to.LineStyle
	to.Tick.Length = 4
	to.Padding = 0
	switch {
	case a.nominal != nil:
		var ticks plot.ConstantTicks
		for i, label := range a.nominal {
			ticks = append(ticks, plot.Tick{Value: float64(i + 1), Label: label})
		}
		to.Tick.Marker = ticks
	case a.log:
		to.Scale, to.Tick.Marker = plot.LogScale{}, logTicks{}
	default:
		to.Tick.Marker = linearTicks{}
	}
}

// bars are points with error bars.
type bars struct {
	plotter.XYs
	plotter.YErrors
}

func (p *Plot) addTo(g *plot.Plot, s series) error {
	s = p.drawable(s)
	if len(s.x) == 0 {
		return nil
	}
	points := make(plotter.XYs, len(s.x))
	for i := range s.x {
		points[i].X, points[i].Y = s.x[i], s.y[i]
	}
	if s.err != nil {
		errs := make(plotter.YErrors, len(s.err))
		for i, e := range s.err {
			errs[i].Low, errs[i].High = e, e
		}
		b, err := plotter.NewYErrorBars(bars{points, errs})
		if err != nil {
			return err
		}
		b.LineStyle = draw.LineStyle{Color: s.ink, Width: 1}
		g.Add(b)
	}
	if s.style != pointsOnly {
		line, err := plotter.NewLine(points)
		if err != nil {
			return err
		}
		line.LineStyle = s.line()
		g.Add(line)
	}
	if s.style == lineAndPoints || s.style == pointsOnly {
		scatter, err := plotter.NewScatter(points)
		if err != nil {
			return err
		}
		scatter.GlyphStyle = s.glyph()
		g.Add(scatter)
	}
	return nil
}

// line returns how the line of the series looks.
func (s series) line() draw.LineStyle {
	width := vg.Length(lineWidth)
	if s.style == thinLine {
		width = 0.9
	}
	return draw.LineStyle{Color: s.ink, Width: width, Dashes: dashes[s.dash%len(dashes)]}
}

// glyph returns how the points of the series look.
func (s series) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.ink, Radius: glyphRadius, Shape: markers[s.marker%len(markers)]}
}
