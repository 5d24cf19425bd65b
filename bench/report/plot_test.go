package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"blskernel/internal/testutil"
)

// An element is a part of an SVG file, and all that is below it by the names.
type element struct {
	XMLName xml.Name
	X       float64 `xml:"x,attr"`
	Y       float64 `xml:"y,attr"`
	Width   string  `xml:"width,attr"`
	Anchor  string  `xml:"text-anchor,attr"`
	ViewBox string  `xml:"viewBox,attr"`
	Text    string  `xml:",chardata"`

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

// TestPlotFile draws the published plot twice: the bytes are the same, and the SVG is XML with a
// title, the labels and colors for both kinds of pages. No text reaches out of it.
func TestPlotFile(t *testing.T) {
	first, second := newPage(t, published(t)...), newPage(t, published(t)...)
	if markdown(t, first) != markdown(t, second) {
		t.Error("the page of the same files is another one")
	}
	var svg, again bytes.Buffer
	testutil.NoError(t, first.Plot.WriteSVG(&svg))
	testutil.NoError(t, second.Plot.WriteSVG(&again))
	if !bytes.Equal(svg.Bytes(), again.Bytes()) {
		t.Error("the SVG differs from one time to the other")
	}
	all := parse(t, svg.String())
	if len(all["svg"]) != 1 || all["title"][0].Text != first.Plot.Title {
		t.Errorf("%d plots with title %q", len(all["svg"]), all["title"][0].Text)
	}
	says(t, svg.String(), []string{">measured<", ">Table 3<", "prefers-color-scheme:dark"}, "NaN", "Inf")
	inside(t, all)
}

// inside reports what reaches out of a plot.
func inside(t *testing.T, all map[string][]*element) {
	t.Helper()
	height, err := strconv.ParseFloat(strings.Fields(all["svg"][0].ViewBox)[3], 64)
	testutil.NoError(t, err)
	for _, e := range all["text"] {
		x, long := e.X, 0.6*textSize*float64(utf8.RuneCountInString(e.Text))
		if e.Anchor == "end" {
			x -= long
		}
		if !(x >= 0 && x+long <= plotWidth && e.Y >= 0 && e.Y <= height) {
			t.Errorf("%q is at %g to %g, %g in a plot of %d by %g", e.Text, x, x+long, e.Y, plotWidth, height)
		}
	}
}

// TestDraw has the longest bar at the largest value, others in proportion, and none for values that
// have no length.
func TestDraw(t *testing.T) {
	p := &Plot{Title: "<&>", Series: []string{"s", "r", "<"}, Groups: []Group{
		{"a", []float64{1, nan, 0}}, {"b<", []float64{4, 2, math.Inf(1)}},
	}}
	var b bytes.Buffer
	testutil.NoError(t, p.WriteSVG(&b))
	all := parse(t, b.String())
	if got := all["title"][0].Text; got != p.Title {
		t.Errorf("the title is %q", got)
	}
	var widths, texts []string
	for _, e := range all["rect"][1+len(p.Series):] {
		widths = append(widths, e.Width)
	}
	for _, e := range all["text"] {
		texts = append(texts, e.Text)
	}
	if got, want := strings.Join(widths, " "), fmt.Sprint(longestBar/4, longestBar, longestBar/2); got != want {
		t.Errorf("bars of the lengths %s; want %s", got, want)
	}
	if got, want := strings.Join(texts, " "), "<&> s r < a b< 1.00 4.00 2.00"; got != want {
		t.Errorf("texts %s; want %s", got, want)
	}
	inside(t, all)
}

// TestContrast holds the colors to WCAG's contrast with both kinds of pages: 4.5 for text, 3 for bars.
func TestContrast(t *testing.T) {
	var b bytes.Buffer
	testutil.NoError(t, new(Plot).WriteSVG(&b))
	colors := regexp.MustCompile(`\.(\w+)\{fill:(#\w+)\}`).FindAllStringSubmatch(b.String(), -1)
	if len(colors) != 2*6 {
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
		{significant(0), "0"}, {significant(1234.5), "1234"}, {significant(0.012345), "0.0123"}, {significant(99.96), "100.0"},
		{significant(0.00099996), "0.001000"}, {significant(1.2345e-5), "1.23e-05"}, {significant(2.5e9), "2.50e+09"},
		{significant(-3.14159), "-3.14"}, {significant(math.NaN()), absent}, {significant(math.Inf(1)), "+Inf"},
		{times(1.345), "1.34"}, {times(12.345), "12.3"}, {times(0.0123), "0.0123"}, {times(9.996), "10.00"}, {times(nan), absent},
		{fixed(98.645, 2), "98.64"}, {between([]float64{2, 1, 3}), "1.00 to 3.00"}, {between([]float64{1, 1.0001}), "1.00"},
		{count(2, "run"), "2 runs"}, {count(1, "run"), "1 run"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}
