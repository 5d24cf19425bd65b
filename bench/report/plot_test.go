package report

import (
	"bytes"
	"encoding/xml"
	"image/color"
	"image/png"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// TestPlotFiles draws all plots of the sample as SVG and PNG, twice: the bytes are the same, the SVG is XML with a title and
// colors for both kinds of pages, and the PNG has the size that it should.
func TestPlotFiles(t *testing.T) {
	first, err := New(sampleFiles(t))
	if err != nil {
		t.Fatal(err)
	}
	second, err := New(sampleFiles(t))
	if err != nil {
		t.Fatal(err)
	}
	var pages [2]bytes.Buffer
	for i, p := range []*Page{first, second} {
		if err := p.WriteHTML(&pages[i]); err != nil {
			t.Fatal(err)
		}
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
		if err := p.WriteSVG(&svg); err != nil {
			t.Fatal(err)
		}
		if err := second.Plots()[i].WriteSVG(&again); err != nil {
			t.Fatal(err)
		}
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
		for _, want := range []string{p.Title, p.x.label, p.y.label} {
			if all := strings.Join(text, " "); !strings.Contains(all, want) {
				t.Errorf("%s: %q is not in the drawing", p.Name, want)
			}
		}
		if i > 2 {
			continue // PNGs are slow
		}
		var image, imageAgain bytes.Buffer
		if err := p.WritePNG(&image); err != nil {
			t.Fatal(err)
		}
		if err := second.Plots()[i].WritePNG(&imageAgain); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(image.Bytes(), imageAgain.Bytes()) {
			t.Errorf("%s: the PNG differs from one time to the other", p.Name)
		}
		decoded, err := png.Decode(&image)
		if err != nil {
			t.Fatal(err)
		}
		width, height := p.size(true)
		if size := decoded.Bounds().Size(); size.X != int(width*pngDPI/72) || size.Y != int(math.Round(float64(height*pngDPI/72))) {
			t.Errorf("%s: a PNG of %v", p.Name, size)
		}
		if r, g, b, a := decoded.At(0, 0).RGBA(); r&g&b&a != 0xffff {
			t.Errorf("%s: the PNG is not on white", p.Name)
		}
	}
}

// TestInside checks that no text of a plot reaches out of it, with the widths that the texts are given.
func TestInside(t *testing.T) {
	p, err := New(sampleFiles(t))
	if err != nil {
		t.Fatal(err)
	}
	number := func(e *element, name string) float64 {
		v, err := strconv.ParseFloat(e.attr[name], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, plot := range p.Plots() {
		var b bytes.Buffer
		if err := plot.WriteSVG(&b); err != nil {
			t.Fatal(err)
		}
		width, height := plot.size(true)
		for _, e := range parse(t, b.String()).all("text") {
			x, y, long := number(e, "x"), number(e, "y"), number(e, "textLength")
			x1, y1 := x+long, y
			if strings.HasPrefix(e.attr["transform"], "rotate(-90 ") {
				x1, y1 = x, y-long
			}
			if x < 0 || x1 > width.Points() || y > height.Points() || y1 < 0 {
				t.Errorf("%s: %q is at %g, %g to %g, %g in a plot of %g by %g", plot.Name, e.text.String(), x, y, x1, y1, width.Points(), height.Points())
			}
		}
	}
}

// TestSVGCanvas draws with every kind of transformation and compares with coordinates found by hand. The canvas is 100 by 80,
// so (x, y) is (x, 80-y) in SVG.
func TestSVGCanvas(t *testing.T) {
	c := newSVGCanvas(100, 80)
	line := vg.Path{}
	line.Move(vg.Point{X: 1, Y: 2})
	line.Line(vg.Point{X: 5, Y: 2})
	c.SetColor(inkBlue)
	c.SetLineWidth(2)
	c.Stroke(line)
	c.Push()
	c.Translate(vg.Point{X: 10, Y: 20})
	c.Rotate(math.Pi / 2) // (x, y) goes to (10-y, 20+x)
	c.SetLineDash([]vg.Length{3, 1}, 0.5)
	c.Stroke(line)
	c.Scale(2, 2) // to (10-2y, 20+2x)
	c.Stroke(line)
	c.SetColor(color.NRGBA{R: 255, A: 128})
	c.FillString(face(), vg.Point{X: 1, Y: 2}, "a<b")
	c.Pop()
	curve := vg.Path{}
	curve.Move(vg.Point{X: 0, Y: 0})
	curve.QuadTo(vg.Point{X: 1, Y: 1}, vg.Point{X: 2, Y: 0})
	curve.CubeTo(vg.Point{X: 3, Y: 1}, vg.Point{X: 4, Y: 1}, vg.Point{X: 5, Y: 0})
	curve.Close()
	c.Fill(curve)
	c.SetLineWidth(0)
	c.Stroke(line) // of no width: nothing
	got := c.body.String()
	f := face()
	long := coordinate(2 * f.Width("a<b").Points())
	want := `<path class="s3" stroke-width="2" d="M1 78L5 78"/>
<path class="s3" stroke-width="2" stroke-dasharray="3 1" stroke-dashoffset="0.5" d="M8 59L8 55"/>
<path class="s3" stroke-width="4" stroke-dasharray="6 2" stroke-dashoffset="1" d="M6 58L6 50"/>
<text fill="#ff0000" fill-opacity="0.5" x="6" y="58" font-size="20" textLength="` + long + `" lengthAdjust="spacingAndGlyphs" transform="rotate(-90 6 58)">a&lt;b</text>
<path class="f3" d="M0 80Q1 79 2 80 C3 79 4 79 5 80 Z"/>
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestSVGArc follows arcs along the path data: every point between pieces is on the circle, and the turn is the one
// that was asked for.
func TestSVGArc(t *testing.T) {
	for _, angle := range []float64{0.1, 1, math.Pi, 5, 2 * math.Pi, -1, -2 * math.Pi} {
		c := newSVGCanvas(100, 80)
		var path vg.Path
		path.Arc(vg.Point{X: 30, Y: 40}, 10, 0.5, angle)
		c.SetColor(color.Black)
		c.Fill(path)
		data := regexp.MustCompile(`d="(.*)"`).FindStringSubmatch(c.body.String())[1]
		begin := regexp.MustCompile(`^M(\S+) ([^A]+)`).FindStringSubmatch(data)
		pieces := regexp.MustCompile(`A10 10 0 0 (\d) (\S+?) ([^A]+)`).FindAllStringSubmatch(data, -1)
		at := func(x, y string) float64 {
			fx, _ := strconv.ParseFloat(x, 64)
			fy, _ := strconv.ParseFloat(y, 64)
			if r := math.Hypot(fx-30, fy-40); !(math.Abs(r-10) <= 0.01) {
				t.Errorf("angle %g: (%s, %s) is %g from the center", angle, x, y, r)
			}
			return math.Atan2(40-fy, fx-30)
		}
		last, turned := at(begin[1], begin[2]), 0.0
		if !(math.Abs(last-0.5) <= 0.01) {
			t.Errorf("angle %g begins at %g", angle, last)
		}
		for _, p := range pieces {
			now := at(p[2], p[3])
			step := math.Mod(now-last+4*math.Pi, 2*math.Pi) // counterclockwise
			if p[1] == "1" {                                // clockwise, where y points down
				step -= 2 * math.Pi
			}
			if math.Abs(step) >= math.Pi {
				t.Errorf("angle %g: a piece turns by %g, which no flag tells from its complement", angle, step)
			}
			turned += step
			last = now
		}
		if !(math.Abs(turned-angle) <= 0.01) {
			t.Errorf("angle %g turns by %g", angle, turned)
		}
	}
}

func face() font.Face {
	return legendStyle.Handler.Cache().Lookup(sans(10), 10)
}

// TestContrast holds the inks to WCAG's contrast with both kinds of pages: 4.5 for text, 3 for what else has a meaning.
func TestContrast(t *testing.T) {
	for i, ink := range inks {
		least := 3.0
		switch i {
		case int(inkText), int(inkMuted):
			least = 4.5
		case int(inkGrid):
			least = 1.1 // only to be seen
		}
		for _, pair := range [][2]color.Color{{ink.light, paperLight}, {ink.dark, paperDark}} {
			if c := contrast(pair[0], pair[1]); !(c >= least) {
				t.Errorf("ink %d: %s on %s has a contrast of %.1f; want %g", i, hexColor(pair[0]), hexColor(pair[1]), c, least)
			}
		}
	}
	for _, want := range []string{"--paper: " + hexColor(paperLight), "--paper: " + hexColor(paperDark), "--text: " + hexColor(inks[inkText].light), "--text: " + hexColor(inks[inkText].dark), "--muted: " + hexColor(inks[inkMuted].light)} {
		if !strings.Contains(pageCSS, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

func contrast(a, b color.Color) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	linear := func(v uint32) float64 {
		s := float64(v) / 0xffff
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

// TestLooks gives out series for many methods: no two look the same.
func TestLooks(t *testing.T) {
	var l looks
	type seen struct {
		ink          ink
		marker, dash int
	}
	taken := map[seen]string{}
	for _, name := range []string{
		"original", "improved", "improved/small", "improved/large", "improved/compressed/solve", "gram", "qr", "ridge-inverse", "ridge-inverse/large",
		"inverse-cholesky", "inverse-cholesky/large", "planner", "new", "newer", "newest",
	} {
		s := l.method(name)
		k := seen{s.ink, s.marker, s.dash}
		if other, ok := taken[k]; ok {
			t.Errorf("%s looks like %s", name, other)
		}
		taken[k] = name
	}
}

func TestTicks(t *testing.T) {
	for _, tc := range []struct {
		name      string
		ticker    plot.Ticker
		low, high float64
		want      string // the labels
	}{
		{"linear", linearTicks{}, 0, 107, "0 20 40 60 80 100"},
		{"linear", linearTicks{}, 0.97, 1.43, "1.0 1.1 1.2 1.3 1.4"},
		{"linear", linearTicks{}, -0.05, 0.05, "-0.04 -0.02 0.00 0.02 0.04"},
		{"linear", linearTicks{}, 97.4, 98.7, "97.5 98.0 98.5"},
		{"linear", linearTicks{}, 9000, 61000, "10000 20000 30000 40000 50000 60000"},
		{"log", logTicks{}, 0.9, 1100, "1 2 5 10 20 50 100 200 500 1000"},
		{"log", logTicks{}, 0.9e-5, 1.1, "1e-5 1e-4 0.001 0.01 0.1 1"},
		{"log", logTicks{}, 0.9e-16, 1.1e4, "1e-15 1e-12 1e-9 1e-6 0.001 1 1000"},
		{"log", logTicks{}, 3.1, 4.9, "3.5 4.0 4.5"},
	} {
		var labels []string
		last := math.Inf(-1)
		for _, tick := range tc.ticker.Ticks(tc.low, tc.high) {
			if !(tick.Value > last) || tick.Value < tc.low*(1-1e-6)-1e-9 || tick.Value > tc.high*(1+1e-6) {
				t.Errorf("%s from %g to %g: a tick at %g after %g", tc.name, tc.low, tc.high, tick.Value, last)
			}
			last = tick.Value
			if tick.Label == "" {
				continue
			}
			labels = append(labels, tick.Label)
			if v, err := strconv.ParseFloat(tick.Label, 64); err != nil || !(math.Abs(v-tick.Value) <= 1e-9*math.Abs(v)+1e-12) {
				t.Errorf("%s: the tick at %g says %s", tc.name, tick.Value, tick.Label)
			}
		}
		if got := strings.Join(labels, " "); got != tc.want {
			t.Errorf("%s from %g to %g: %s; want %s", tc.name, tc.low, tc.high, got, tc.want)
		}
	}
}

func TestNumberFormats(t *testing.T) {
	for _, tc := range []struct{ got, want string }{
		{significant(0), "0.00"}, {significant(1234.5), "1234"}, {significant(0.012345), "0.0123"}, {significant(9.996), "10.0"}, {significant(99.96), "100"},
		{significant(0.00099996), "0.00100"}, {significant(1.2345e-5), "1.23e-5"}, {significant(2.5e9), "2.50e9"}, {significant(-3.14159), "-3.14"}, {significant(math.NaN()), absent},
		{short(0.1), "0.1"}, {short(1), "1"}, {short(0x1p-30), "9.31e-10"}, {short(0), "0"},
		{times(1.345), "1.34"}, {times(12.345), "12.3"}, {times(0.0123), "0.0123"}, {times(9.996), "10.0"},
		{power(1e8), "1e8"}, {power(2.25e-16), "2.3e-16"}, {power(0), "0e0"},
		{fixed(98.645, 2), "98.64"}, {between([]float64{2, 1, 3}, times), "1.00 to 3.00"}, {between([]float64{1, 1.0001}, times), "1.00"}, {between(nil, times), absent},
		{list([]string{"a", "b", "c"}), "a, b and c"}, {slug("Speed-up: Table 2, <x>"), "speed-up-table-2-x"}, {sentence("a b"), "A b"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}

func TestMeanAndDeviation(t *testing.T) {
	// The deviations from 7/3 are -4/3, -1/3 and 5/3, and their squares sum up to 42/9.
	if mean, sd := meanAndDeviation([]float64{1, 2, 4}); !(math.Abs(mean-7./3) <= 1e-15) || !(math.Abs(sd-math.Sqrt(7./3)) <= 1e-15) {
		t.Errorf("%g ± %g", mean, sd)
	}
	if mean, sd := meanAndDeviation([]float64{5}); mean != 5 || !math.IsNaN(sd) {
		t.Errorf("of one: %g ± %g", mean, sd)
	}
	if m := median([]float64{4, 1, 2, 8}); m != 3 {
		t.Errorf("the median is %g", m)
	}
}

// TestEscape has texts that XML could not take as they are.
func TestEscape(t *testing.T) {
	c := newSVGCanvas(10, 10)
	c.FillString(face(), vg.Point{}, "<&\"'>\x01")
	var b bytes.Buffer
	if err := c.write(&b, "id", "<&>", "\"", true); err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(b.Bytes(), new(struct{})); err != nil {
		t.Error(err)
	}
}
