package report

import "io"

// A Plot is a drawing of bars in groups, with their values beside them.
type Plot struct {
	Title  string
	Series []string // the names of the bars of each group, at most four
	Groups []Group
}

// A Group has a value for each series, or NaN.
type Group struct {
	Name   string
	Values []float64
}

// Sizes in points. The plot is about as wide as a phone, where a point is nearly a pixel of CSS.
const (
	plotWidth, textSize  = 400, 12
	barsLeft, barsTop    = 120, 46
	longestBar           = plotWidth - barsLeft - 4*textSize // leaves room for the value
	barHeight, groupRoom = 13, 9                             // with the gap below it; below a group
)

// A bar is a value of a series, the name of a group or one in the legend, and where it is drawn.
type bar struct {
	Series, X, Y, Width int
	Text                string
}

// WriteSVG writes the plot as an SVG file, with colors for light and dark pages. Values that are not
// positive, or near overflow, have no bars.
func (p *Plot) WriteSVG(w io.Writer) error {
	drawn := func(v float64) bool { return v > 0 && v <= 1e99 }
	most := 0.0
	for _, g := range p.Groups {
		for _, v := range g.Values {
			if drawn(v) {
				most = max(most, v)
			}
		}
	}
	var legend, names, bars []bar
	for n, name := range p.Series {
		legend = append(legend, bar{Series: n, X: 8 + 98*n, Y: 26, Text: name})
	}
	y := barsTop
	for _, g := range p.Groups {
		names = append(names, bar{Y: y + len(g.Values)*barHeight/2 + textSize/4, Text: g.Name})
		for n, v := range g.Values {
			if drawn(v) {
				bars = append(bars, bar{Series: n, Y: y, Width: int(longestBar * v / most), Text: times(v)})
			}
			y += barHeight
		}
		y += groupRoom
	}
	return failed(templates.ExecuteTemplate(w, "plot.tmpl", map[string]any{
		"Title": p.Title, "Width": plotWidth, "Height": y, "TextSize": textSize, "Left": barsLeft,
		"Legend": legend, "Names": names, "Bars": bars,
	}))
}
