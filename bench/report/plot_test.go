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

	"blskernel/internal/testutil"
)

// TestPlotFiles draws all plots of the sample twice: the bytes are the same, and the SVG is XML with a
// title and colors for both kinds of pages.
func TestPlotFiles(t *testing.T) {
	first, err := New(sampleFiles(t))
	testutil.NoError(t, err)
	second, err := New(sampleFiles(t))
	testutil.NoError(t, err)
	var pages [2]bytes.Buffer
	for i, p := range []*Page{first, second} {
		testutil.NoError(t, p.WriteHTML(&pages[i]))
	}
	if !bytes.Equal(pages[0].Bytes(), pages[1].Bytes()) {
		t.Error("the page of the same files is another one")
	}
	names := map[string]bool{}
	for i, p := range first.Plots() {
		if names[p.Name] || !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(p.Name) {
			t.Errorf("the name %q is there twice, or is no name of a file", p.Name)
		}
		names[p.Name] = true
		var svg, again bytes.Buffer
		testutil.NoError(t, p.WriteSVG(&svg))
		testutil.NoError(t, second.Plots()[i].WriteSVG(&again))
		if !bytes.Equal(svg.Bytes(), again.Bytes()) {
			t.Errorf("%s: the SVG differs from one time to the other", p.Name)
		}
		root := parse(t, svg.String()).children[0]
		if root.name != "svg" || root.all("title")[0].text.String() != p.Title || !strings.Contains(svg.String(), "prefers-color-scheme:dark") {
			t.Errorf("%s: %s with title %q", p.Name, root.name, root.all("title")[0].text.String())
		}
		if strings.Contains(svg.String(), "NaN") || strings.Contains(svg.String(), "Inf") {
			t.Errorf("%s: a coordinate is no number", p.Name)
		}
		var text []string
		for _, e := range root.all("text") {
			text = append(text, e.text.String())
		}
		for _, want := range []string{p.x.label, p.y.label} {
			if all := strings.Join(text, " "); !strings.Contains(all, want) {
				t.Errorf("%s: %q is not in the drawing", p.Name, want)
			}
		}
	}
}

// TestInside checks that no text of a plot reaches out of it, by textWidth.
func TestInside(t *testing.T) {
	p, err := New(sampleFiles(t))
	testutil.NoError(t, err)
	for _, plot := range p.Plots() {
		var b bytes.Buffer
		testutil.NoError(t, plot.WriteSVG(&b))
		root := parse(t, b.String())
		number := func(s string) float64 {
			v, err := strconv.ParseFloat(s, 64)
			testutil.NoError(t, err)
			return v
		}
		height := number(strings.Fields(root.all("svg")[0].attr["viewBox"])[3])
		for _, e := range root.all("text") {
			x, y, long := number(e.attr["x"]), number(e.attr["y"]), textWidth(e.text.String())
			before := long * map[string]float64{"start": 0, "middle": 0.5, "end": 1}[e.attr["text-anchor"]]
			x0, x1, y0, y1 := x-before, x-before+long, y, y
			if strings.HasPrefix(e.attr["transform"], "rotate(-90 ") {
				x0, x1, y0, y1 = x, x, y-before, y-before+long
			}
			if !(x0 >= 0 && x1 <= plotWidth && y0 >= 0 && y1 <= height) {
				t.Errorf("%s: %q is at %g to %g, %g to %g in a plot of %g by %g", plot.Name, e.text.String(), x0, x1, y0, y1, plotWidth, height)
			}
		}
	}
}

// TestDraw compares a drawing with coordinates found by hand: the data are between 0.5 and 2.5, and 0
// and 10.5. Points are not joined on an axis of names, and are elsewhere.
func TestDraw(t *testing.T) {
	p := &Plot{x: axis{nominal: []string{"a", "b<"}}, y: axis{holds: []float64{0, 10}}}
	p.add("s", false, []float64{1, 2}, []float64{0, 10.5})
	p.add("none", false, []float64{2}, []float64{nan})
	p.add("r", false, []float64{1, 2}, []float64{3, nan})
	d := p.draw()
	if d.x != (scale{0.5, 2.5, false}) || d.y.low != 0 || !(d.y.high > 10.5) {
		t.Fatalf("scales %+v, %+v", d.x, d.y)
	}
	middle := d.left + (d.right-d.left)/4
	if x, y := d.point(1, 0); x != middle || y != d.bottom {
		t.Errorf("(1, 0) is at %g, %g", x, y)
	}
	text := d.String()
	says(t, text, []string{">b&lt;</text>", `<circle class="f3" cx="` + coordinate(middle) + `"`, ">s</text>", ">r</text>"},
		"NaN", "none", "dasharray", `class="s3" stroke-width="1.6"`)
	p.x.nominal = nil
	says(t, p.draw().String(), []string{`<path class="s3" stroke-width="1.6" d="M`})
	if v := (scale{1, 100, true}).at(10); !(math.Abs(v-0.5) <= 1e-15) {
		t.Errorf("10 is at %g of 1 to 100", v)
	}
}

// TestContrast holds the inks to WCAG's contrast with both kinds of pages: 4.5 for text, 3 for what
// else has a meaning.
func TestContrast(t *testing.T) {
	for i, ink := range inks {
		least := 3.0
		switch i {
		case int(inkText), int(inkMuted):
			least = 4.5
		case int(inkGrid):
			least = 1.1 // only to be seen
		}
		for _, pair := range [][2]string{{ink.light, paperLight}, {ink.dark, paperDark}} {
			if c := contrast(pair[0], pair[1]); !(c >= least) {
				t.Errorf("ink %d: %s on %s has a contrast of %.1f; want %g", i, pair[0], pair[1], c, least)
			}
		}
	}
	for _, want := range []string{"--paper: " + paperLight, "--paper: " + paperDark, "--text: " + inks[inkText].light, "--text: " + inks[inkText].dark, "--muted: " + inks[inkMuted].light} {
		if !strings.Contains(pageCSS, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

// Pages are of these colors.
const paperLight, paperDark = "#ffffff", "#15181c"

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

// TestLooks adds many series: no two look the same, and lines of reference have no marker.
func TestLooks(t *testing.T) {
	p := &Plot{}
	for i := range 21 {
		p.add(fmt.Sprint(i), i%5 == 4, []float64{1}, []float64{1})
	}
	type look struct {
		ink          ink
		marker, dash int
	}
	taken := map[look]bool{}
	for _, s := range p.series {
		l := look{s.ink, s.marker, s.dash}
		if taken[l] || s.plain != (s.ink == inkMuted) {
			t.Errorf("%s looks like another: %+v", s.name, l)
		}
		taken[l] = true
	}
}

func TestTicks(t *testing.T) {
	for _, tc := range []struct {
		name      string
		axis      axis
		low, high float64
		want      string // the labels
	}{
		{"linear", axis{}, 0, 107, "0 20 40 60 80 100"},
		{"linear", axis{}, 0.97, 1.43, "1.0 1.1 1.2 1.3 1.4"},
		{"linear", axis{}, -0.05, 0.05, "-0.04 -0.02 0.00 0.02 0.04"},
		{"linear", axis{}, 97.4, 98.7, "97.5 98.0 98.5"},
		{"linear", axis{}, 9000, 61000, "10000 20000 30000 40000 50000 60000"},
		{"log", axis{log: true}, 0.9, 1100, "1 2 5 10 20 50 100 200 500 1000"},
		{"log", axis{log: true}, 0.9e-5, 1.1, "1e-05 0.0001 0.001 0.01 0.1 1"},
		{"log", axis{log: true}, 0.9e-16, 1.1e4, "1e-15 1e-12 1e-09 1e-06 0.001 1 1000"},
		{"log", axis{log: true}, 3.1, 4.9, "3.5 4.0 4.5"},
	} {
		var labels []string
		last := math.Inf(-1)
		for _, tick := range tc.axis.ticks(tc.low, tc.high) {
			if !(tick.value > last) || tick.value < tc.low*(1-1e-6)-1e-9 || tick.value > tc.high*(1+1e-6) {
				t.Errorf("%s from %g to %g: a tick at %g after %g", tc.name, tc.low, tc.high, tick.value, last)
			}
			last = tick.value
			if tick.label == "" {
				continue
			}
			labels = append(labels, tick.label)
			if v, err := strconv.ParseFloat(tick.label, 64); err != nil || !(math.Abs(v-tick.value) <= 1e-9*math.Abs(v)+1e-12) {
				t.Errorf("%s: the tick at %g says %s", tc.name, tick.value, tick.label)
			}
		}
		if got := strings.Join(labels, " "); got != tc.want {
			t.Errorf("%s from %g to %g: %s; want %s", tc.name, tc.low, tc.high, got, tc.want)
		}
	}
}

func TestNumberFormats(t *testing.T) {
	for _, tc := range []struct{ got, want string }{
		{significant(0), "0"}, {significant(1234.5), "1234"}, {significant(0.012345), "0.0123"}, {significant(99.96), "100.0"},
		{significant(0.00099996), "0.001000"}, {significant(1.2345e-5), "1.23e-05"}, {significant(2.5e9), "2.50e+09"},
		{significant(-3.14159), "-3.14"}, {significant(math.NaN()), absent}, {significant(math.Inf(1)), "+Inf"},
		{short(0.1), "0.1"}, {short(1), "1"}, {short(0x1p-30), "9.31e-10"}, {short(0), "0"},
		{times(1.345), "1.34"}, {times(12.345), "12.3"}, {times(0.0123), "0.0123"}, {times(9.996), "10.00"}, {times(nan), absent},
		{fixed(98.645, 2), "98.64"}, {between([]float64{2, 1, 3}, times), "1.00 to 3.00"}, {between([]float64{1, 1.0001}, times), "1.00"},
		{between(nil, times), absent}, {list([]string{"a", "b", "c"}), "a, b and c"}, {list(nil), ""},
		{slug("Speed-up: Table 2, <x>"), "speed-up-table-2-x"}, {count(2, "run"), "2 runs"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}

// TestEscape has texts with characters that XML does not take.
func TestEscape(t *testing.T) {
	p := &Plot{Name: "id", Title: "<&>", About: "\"", x: axis{label: "<&\"'>\x01"}}
	p.add("<", false, []float64{1}, []float64{1})
	var b bytes.Buffer
	testutil.NoError(t, p.WriteSVG(&b))
	if err := xml.Unmarshal(b.Bytes(), new(struct{})); err != nil {
		t.Error(err)
	}
}
