package report

import (
	"encoding/xml"
	"fmt"
	"html"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"blskernel/internal/testutil"
)

// An element is a part of an SVG file, with all elements below it, by name.
type element struct {
	XMLName xml.Name
	X       float64 `xml:"x,attr"`
	Y       float64 `xml:"y,attr"`
	Anchor  string  `xml:"text-anchor,attr"`
	ViewBox string  `xml:"viewBox,attr"`

	Transform string `xml:"transform,attr"`
	Text      string `xml:",chardata"`

	Children []*element `xml:",any"`
}

// parse reads an SVG file as XML, and returns its elements by name.
func parse(t testing.TB, svg string) map[string][]*element {
	t.Helper()
	root, all := new(element), map[string][]*element{}
	testutil.NoError(t, xml.Unmarshal([]byte(svg), root))
	var add func(e *element)
	add = func(e *element) {
		all[e.XMLName.Local] = append(all[e.XMLName.Local], e)
		for _, c := range e.Children {
			add(c)
		}
	}
	add(root)
	return all
}

// TestPlotFiles draws the published plots: each SVG is XML with a title, the names of its series, and
// colors for both kinds of pages. No text extends beyond it.
func TestPlotFiles(t *testing.T) {
	for _, p := range plotsOf(newPage(t, published(t, "")...)) {
		svg := p.SVG()
		all := parse(t, svg)
		if len(all["svg"]) != 1 || all["title"][0].Text != p.Title || p.Title == "" {
			t.Errorf("%s has the title %q", p.Name, all["title"][0].Text)
		}
		for _, s := range p.Series {
			says(t, svg, []string{">" + html.EscapeString(s.Name) + "<"})
		}
		says(t, svg, []string{"prefers-color-scheme:dark"}, "NaN", "Inf")
		inside(t, all)
	}
}

// inside reports texts and marks that extend beyond a plot.
func inside(t *testing.T, all map[string][]*element) {
	t.Helper()
	height, err := strconv.ParseFloat(strings.Fields(all["svg"][0].ViewBox)[3], 64)
	testutil.NoError(t, err)
	for _, e := range all["text"] {
		x, long := e.X, 6.5*float64(utf8.RuneCountInString(e.Text))
		x -= map[string]float64{"start": 0, "middle": 0.5, "end": 1}[e.Anchor] * long
		if !(x >= 0 && x+long <= plotWidth && e.Y >= 0 && e.Y <= height) {
			t.Errorf("%q is at %g to %g, %g in a plot of %d by %g", e.Text, x, x+long, e.Y, plotWidth, height)
		}
	}
	for _, e := range all["path"] {
		var x, y float64
		if n, _ := fmt.Sscanf(e.Transform, "translate(%f %f)", &x, &y); n == 2 && !(x >= 0 && x <= plotWidth && y >= 0 && y <= height) {
			t.Errorf("a mark is at %g, %g in a plot of %d by %g", x, y, plotWidth, height)
		}
	}
}

// TestDraw places points on linear and logarithmic axes and axes of names, and leaves out points that
// an axis cannot show. The band has two numbers for each point.
func TestDraw(t *testing.T) {
	for _, tc := range []struct {
		x, y Axis
		want string // where the marks are, below the one of the legend
	}{
		// From 0 to 4 and from 0 to 8: the ticks at the ends of the axes.
		{Axis{}, Axis{}, "62.0 302.0 221.0 182.0 380.0 62.0"},
		{Axis{Log: true}, Axis{Log: true}, "62.0 302.0 380.0 62.0"},
		{Axis{}, Axis{Names: []string{"a", "b<"}}, "94.0 122.0"},
	} {
		p := &Plot{Title: "<&>", X: tc.x, Y: tc.y, Series: []Series{{Name: "<", Line: true, Points: []Point{{X: 0, Y: 0}, {X: 2, Y: 4}, {X: 4, Y: 8}, {X: nan, Y: 1}, {X: 1, Y: math.Inf(1)}}}}}
		switch {
		case tc.x.Log:
			p.Series[0].Points = []Point{{X: 0, Y: 1}, {X: 1, Y: -1}, {X: 1, Y: 0.1}, {X: 100, Y: 10}}
		case tc.y.Names != nil:
			p.Series[0].Points = []Point{{X: 1, Y: 0}}
		}
		all := parse(t, p.SVG())
		var at []string
		for _, e := range all["path"] {
			if e.Transform != "" {
				at = append(at, strings.TrimSuffix(strings.TrimPrefix(e.Transform, "translate("), ")"))
			}
		}
		if got := strings.Join(at[1:], " "); got != tc.want || all["title"][0].Text != p.Title {
			t.Errorf("%+v, %+v: marks at %s; want %s", tc.x, tc.y, got, tc.want)
		}
		inside(t, all)
	}
	p := &Plot{Series: []Series{{Points: []Point{{1, 5, 1}, {2, 6, 0.5}}}}}
	if _, band, found := strings.Cut(p.SVG(), `<path class="s0 band" d="`); !found || strings.Count(band[:strings.Index(band, `"`)], ",") != 4 {
		t.Errorf("no band in %s", p.SVG())
	}
	parse(t, new(Plot).SVG())
	for _, v := range []float64{0, 1e-300, 1e16, -1e16, 1e99} { // a step that v + step loses
		p = &Plot{Series: []Series{{Points: []Point{{v, v, 0}, {v + 2, math.Nextafter(v, 1), 0}}}}}
		says(t, p.SVG(), nil, "NaN", "Inf")
		if n := len(parse(t, p.SVG())["text"]); n > 40 {
			t.Errorf("%g: %d texts", v, n)
		}
	}
}

// TestPlotTable checks the numbers of the series with marks, by place and by name.
func TestPlotTable(t *testing.T) {
	p := &Plot{X: Axis{Label: "n"}, Series: []Series{
		{Name: "a", Points: []Point{{10, 98.571, 0.06}, {20, 5, 0}}}, {Name: "line", Bare: true, Points: []Point{{1, 1, 0}}}, {Name: "b", Points: []Point{{20, 7, 0}}},
	}}
	if got, want := fmt.Sprint(p.Table()), "{  [n a b] [[10 98.57 ± 0.06 –] [20 5 7]]}"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	p = &Plot{Y: Axis{Label: "table", Names: []string{"x", "y"}}, Series: []Series{{Name: "a", Points: []Point{{1.5, -0.2, 0}, {2, -1.3, 0}}}}}
	if got, want := fmt.Sprint(p.Table()), "{  [table a] [[x 1.50] [y 2.00]]}"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

// TestContrast checks the contrast of the colors with both kinds of pages, by WCAG: 4.5 for text, 3 for
// marks and dashed lines. Marks also differ in shape and fill.
func TestContrast(t *testing.T) {
	colors := regexp.MustCompile(`\.(\w+)\{(?:fill|color):(#\w+)\}`).FindAllStringSubmatch(plotStyle, -1)
	if len(colors) != 2*6 || len(marks) != 4 || len(dashes) != 4 {
		t.Fatalf("colors %q", colors)
	}
	for i, c := range colors {
		paper := colors[i/6*6]
		least := map[string]float64{"paper": 1, "text": 4.5}[c[1]]
		if got := contrast(c[2], paper[2]); paper[1] != "paper" || !(got >= max(least, 3) || c[1] == "paper") {
			t.Errorf("%s on %s has a contrast of %.1f", c, paper, got)
		}
	}
}

func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(hex string) float64 {
	var r, g, b uint32
	fmt.Sscanf(hex, "#%02x%02x%02x", &r, &g, &b)
	linear := func(v uint32) float64 {
		s := float64(v) / 0xff
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

func TestNumberFormats(t *testing.T) {
	for _, tc := range []struct{ got, want string }{
		{times(1.345), "1.34"}, {times(12.345), "12.3"}, {times(0.0123), "0.0123"}, {times(9.996), "10.0"}, {times(nan), absent},
		{between([]float64{2, 1, 3}), "1.00 to 3.00"}, {between([]float64{1, 1.0001}), "1.00"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}
