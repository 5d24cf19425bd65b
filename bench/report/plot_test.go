package report

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"blskernel/internal/testutil"
)

// TestPlotFiles draws all plots of the sample twice: the bytes are the same, and the SVG is XML with a
// title, the labels and colors for both kinds of pages. No text reaches out of it, by textWidth.
func TestPlotFiles(t *testing.T) {
	first, second := newPage(t, sampleFiles(t)...), newPage(t, sampleFiles(t)...)
	if markdown(t, first) != markdown(t, second) {
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
		root := parse(t, svg.String())
		if root.XMLName.Local != "svg" || root.all("title")[0].Text != p.Title {
			t.Errorf("%s: %s with title %q", p.Name, root.XMLName.Local, root.all("title")[0].Text)
		}
		says(t, svg.String(), []string{">" + p.x.label + "<", ">" + p.y.label + "<", "prefers-color-scheme:dark"}, "NaN", "Inf")
		inside(t, p.Name, root)
	}
}

// inside reports texts that reach out of a plot.
func inside(t *testing.T, name string, root *element) {
	t.Helper()
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		testutil.NoError(t, err)
		return v
	}
	height := number(strings.Fields(root.attr("viewBox"))[3])
	for _, e := range root.all("text") {
		x, y, long := number(e.attr("x")), number(e.attr("y")), textWidth(e.Text)
		before := long * map[string]float64{"start": 0, "middle": 0.5, "end": 1}[e.attr("text-anchor")]
		x0, x1, y0, y1 := x-before, x-before+long, y, y
		if strings.HasPrefix(e.attr("transform"), "rotate(-90 ") {
			x0, x1, y0, y1 = x, x, y-before, y-before+long
		}
		if !(x0 >= 0 && x1 <= plotWidth && y0 >= 0 && y1 <= height) {
			t.Errorf("%s: %q is at %g to %g, %g to %g in a plot of %g by %g", name, e.Text, x0, x1, y0, y1, plotWidth, height)
		}
	}
}

// TestDraw compares a drawing with coordinates found by hand: the data are between 0.5 and 2.5. Points
// are not joined on an axis of names, and are elsewhere.
func TestDraw(t *testing.T) {
	p := &Plot{x: axis{nominal: []string{"a", "b<"}}}
	p.add("s", false, []float64{1, 2}, []float64{0, 10})
	p.add("none", false, []float64{2}, []float64{nan})
	p.add("r", false, []float64{1, 2}, []float64{3, nan})
	draw := func() string {
		var d drawing
		p.draw(&d)
		return d.String()
	}
	middle := left + (right-left)/4.
	point := fmt.Sprintf(`cx="%.1f" cy="%.1f"`, middle, float64(bottom))
	says(t, draw(), []string{">b&lt;</text>", `<circle class="i4" ` + point, `<rect class="i5"`, ">s</text>", ">r</text>"},
		"NaN", "none<", `class="i4 line"`)
	p.x.nominal = nil
	says(t, draw(), []string{`<polyline class="i4 line" stroke-width="1.6"`, fmt.Sprintf(`points="%.1f,`, float64(left))[:10]})
	for _, tc := range []struct {
		axis            axis
		values          []float64
		low, high, want float64 // where the last value is
	}{
		{axis{}, []float64{5, 10}, 0, 10.25, 10 / 10.25},
		{axis{}, []float64{90, 100}, 89, 101, 11. / 12},
		{axis{}, []float64{0}, 0, 1, 0},
		{axis{log: true}, []float64{1, 100}, math.Pow(100, -0.04), math.Pow(100, 1.04), 1.04 / 1.08},
		{axis{nominal: []string{"", ""}}, []float64{1}, 0.5, 2.5, 0.25},
	} {
		a := tc.axis.over(tc.values)
		for i, v := range []float64{a.low - tc.low, a.high - tc.high, a.at(tc.values[len(tc.values)-1]) - tc.want} {
			if !(math.Abs(v) <= 1e-12) {
				t.Errorf("%v over %v: %+v, %d is off by %g", tc.axis, tc.values, a, i, v)
			}
		}
	}
}

// TestContrast holds the inks to WCAG's contrast with both kinds of pages: 4.5 for text, 3 for what
// else has a meaning.
func TestContrast(t *testing.T) {
	for i, c := range inks[1:] {
		least := 3.0
		switch i + 1 {
		case int(inkText), int(inkMuted):
			least = 4.5
		case int(inkGrid):
			least = 1.1 // only to be seen
		}
		for _, pair := range [][2]string{{c.light, inks[inkPaper].light}, {c.dark, inks[inkPaper].dark}} {
			if c := contrast(pair[0], pair[1]); !(c >= least) {
				t.Errorf("ink %d: %s on %s has a contrast of %.1f; want %g", i+1, pair[0], pair[1], c, least)
			}
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

// TestLooks adds more series than any page has: no two look the same, by ink and marker, and
// references by dashes.
func TestLooks(t *testing.T) {
	p := &Plot{}
	for i := range 31 {
		p.add(fmt.Sprint(i), i < 3, []float64{1}, []float64{1})
	}
	taken := map[[2]int]bool{}
	for _, s := range p.series {
		look := [2]int{int(s.ink()), s.look % 4}
		if taken[look] || s.plain != (s.ink() == inkMuted) {
			t.Errorf("%s looks like another: %v", s.name, look)
		}
		taken[look] = true
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
		tc.axis.low, tc.axis.high = tc.low, tc.high
		var labels []string
		last := math.Inf(-1)
		for _, tick := range tc.axis.ticks() {
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
	p := &Plot{Title: "<&>", x: axis{label: "<&\"'>\x01"}}
	p.add("<", false, []float64{1}, []float64{1})
	var b bytes.Buffer
	testutil.NoError(t, p.WriteSVG(&b))
	if got := parse(t, b.String()).all("title")[0].Text; got != p.Title {
		t.Errorf("the title is %q", got)
	}
}
