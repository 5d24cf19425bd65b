package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/internal/testutil"
)

// html returns the page of files.
func html(t testing.TB, files ...*result.File) string {
	t.Helper()
	p, err := New(files)
	testutil.NoError(t, err)
	var b bytes.Buffer
	testutil.NoError(t, p.WriteHTML(&b))
	return b.String()
}

// An element is a part of the page.
type element struct {
	name     string
	attr     map[string]string
	children []*element
	parent   *element
	text     strings.Builder // of it and all below
}

// parse reads a page as XML, which is stricter than HTML: an element that is not closed or a value
// without quotes is an error.
func parse(t testing.TB, page string) *element {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	root := &element{name: "#root", attr: map[string]string{}}
	at := root
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, attr: map[string]string{}, parent: at}
			for _, a := range token.Attr {
				if _, twice := e.attr[a.Name.Local]; twice {
					t.Errorf("%s has the attribute %s twice", e.name, a.Name.Local)
				}
				e.attr[a.Name.Local] = a.Value
			}
			at.children = append(at.children, e)
			at = e
		case xml.EndElement:
			at = at.parent
		case xml.CharData:
			for e := at; e != nil; e = e.parent {
				e.text.Write(token)
			}
		}
	}
	return root
}

// all returns the elements below e with one of the names, or all without any, in order.
func (e *element) all(names ...string) []*element {
	var found []*element
	for _, c := range e.children {
		if len(names) == 0 || slices.Contains(names, c.name) {
			found = append(found, c)
		}
		found = append(found, c.all(names...)...)
	}
	return found
}

// TestStructure checks what a browser would forgive: the page is XML, ids are unique and what refers to
// them finds them, nothing is loaded from anywhere, headings are in order, and tables have captions,
// heads and even rows.
func TestStructure(t *testing.T) {
	page := html(t, sampleFiles(t)...)
	if !strings.HasPrefix(page, "<!DOCTYPE html>\n<html lang=\"en\">") {
		t.Errorf("the page begins with %.40q", page)
	}
	root := parse(t, page)
	ids := map[string]bool{}
	for _, e := range root.all() {
		if id, ok := e.attr["id"]; ok {
			if ids[id] {
				t.Errorf("the id %q is there twice", id)
			}
			ids[id] = true
		}
	}
	for _, e := range root.all() {
		for _, id := range strings.Fields(e.attr["aria-labelledby"]) {
			if !ids[id] {
				t.Errorf("%s refers to the id %q, which is not there", e.name, id)
			}
		}
		for _, name := range []string{"href", "src", "srcset", "action", "data", "poster"} {
			v, ok := e.attr[name]
			switch {
			case !ok || v == "data:,":
			case !strings.HasPrefix(v, "#"):
				t.Errorf("%s has %s=%q", e.name, name, v)
			case !ids[v[1:]]:
				t.Errorf("%s leads to %q, which is not there", e.name, v)
			}
		}
		for name := range e.attr {
			if strings.HasPrefix(name, "on") {
				t.Errorf("%s has a handler %s", e.name, name)
			}
		}
		if slices.Contains([]string{"script", "iframe", "object", "embed", "img"}, e.name) {
			t.Errorf("the page has an element %s", e.name)
		}
	}
	if css := root.all("style")[0].text.String(); regexp.MustCompile(`url\(|@import`).MatchString(css) {
		t.Error("the style loads something")
	}
	level := 0
	for _, h := range root.all("h1", "h2", "h3", "h4", "h5", "h6") {
		l := int(h.name[1] - '0')
		if l > level+1 || l == 1 && level > 0 {
			t.Errorf("%s %q follows h%d", h.name, h.text.String(), level)
		}
		level = l
	}
	for _, f := range root.all("figure") {
		if len(f.all("table")) == 0 || len(f.all("figcaption")) != 1 || strings.TrimSpace(f.all("figcaption")[0].text.String()) == "" {
			t.Errorf("the figure %q has no table or no caption", f.all("h3")[0].text.String())
		}
	}
	for _, s := range root.all("svg") {
		if s.attr["role"] != "img" || len(strings.Fields(s.attr["aria-labelledby"])) != 2 || s.all("title")[0].text.String() == "" || s.all("desc")[0].text.String() == "" {
			t.Errorf("a plot has no name: %v", s.attr)
		}
	}
	for _, table := range root.all("table") {
		caption := table.all("caption")[0].text.String()
		rows := table.all("tr")
		head := rows[0].all("th", "td")
		for _, th := range head {
			if th.name != "th" || th.attr["scope"] != "col" || th.text.String() == "" {
				t.Errorf("%s: a head is %s %q %v", caption, th.name, th.text.String(), th.attr)
			}
		}
		for _, row := range rows[1:] {
			cells := row.all("th", "td")
			if len(cells) != len(head) || cells[0].name != "th" || cells[0].attr["scope"] != "row" {
				t.Errorf("%s: a row has %d cells, want %d, and begins with %s", caption, len(cells), len(head), cells[0].name)
			}
			for i, c := range cells {
				if i < len(head) && c.attr["class"] != head[i].attr["class"] {
					t.Errorf("%s: a cell is aligned as %q below a head as %q", caption, c.attr["class"], head[i].attr["class"])
				}
			}
		}
	}
	if size := len(page); size > 3e6 {
		t.Errorf("the page has %d bytes", size)
	}
}

// cellsOf returns the texts of all cells of the section with that id.
func cellsOf(t testing.TB, root *element, id string) map[string]int {
	t.Helper()
	cells := map[string]int{}
	for _, s := range root.all("section") {
		if s.attr["id"] != id {
			continue
		}
		for _, c := range s.all("td", "th") {
			cells[c.text.String()]++
		}
	}
	if len(cells) == 0 {
		t.Fatalf("no section %q", id)
	}
	return cells
}

// hasCell fails the test unless a cell has v in that format.
func hasCell(t *testing.T, cells map[string]int, what, format string, v float64) {
	t.Helper()
	if s := fmt.Sprintf(format, v); cells[s] == 0 {
		t.Errorf("%s: no cell has %s", what, s)
	}
}

// TestNumbers looks for what the sample has in the cells of the section where it belongs. Numbers are
// written here by fmt's %.3g and %.2f, which is not how the page writes them.
func TestNumbers(t *testing.T) {
	files := sampleFiles(t)
	root := parse(t, html(t, files...))
	three := func(cells map[string]int, what string, v float64) {
		t.Helper()
		want := fmt.Sprintf("%.3g", v)
		for c := range cells {
			var got float64
			if n, _ := fmt.Sscan(c, &got); n == 1 && fmt.Sprintf("%.3g", got) == want && len(strings.Trim(c, "0.-")) <= 8 {
				return
			}
		}
		t.Errorf("%s: no cell has %s", what, want)
	}
	speedups, updates, accuracy := cellsOf(t, root, "speed-ups"), cellsOf(t, root, "times"), cellsOf(t, root, "accuracy")
	for _, f := range files {
		for _, table := range f.Tables {
			if len(table.Seeds) > 1 {
				continue // the page has medians and means: see TestSeeds
			}
			for _, row := range table.Rows {
				for i, c := range row.Cells {
					if b := base(c.Method); row.Step == 0 && (b == "original" || b == "improved") {
						continue // these share their starts: see TestSharedStart
					}
					what := fmt.Sprintf("%s, table %d, step %d, %s", f.Name, table.Table, row.Step, c.Method)
					three(updates, what, c.Seconds-row.FeatureSeconds)
					if c.Accuracy != nil && (table.Table != 2 || c.Method != "gram") {
						hasCell(t, accuracy, what+": accuracy", "%.2f", *c.Accuracy)
					}
					if i > 0 && row.Step > 0 && base(c.Method) == "improved" {
						hasCell(t, speedups, what+": speed-up", "%.2f", row.Cells[0].Seconds/c.Seconds)
						hasCell(t, speedups, what+": by flops", "%.2f", row.Cells[0].FlopsModel/c.FlopsModel)
					}
				}
				if r := row.Retraining; r != nil {
					three(updates, "retraining", r.PseudoinverseSeconds)
					three(updates, "retraining", r.WeightsSeconds)
				}
			}
			paper, _ := bench.PaperFigures(table.Table)
			for i, v := range paper.Speedup {
				if i < len(table.Rows)-1 {
					hasCell(t, speedups, fmt.Sprintf("the paper's table %d", table.Table), "%.2f", v)
				}
			}
		}
	}
	counts := cellsOf(t, root, "flops")
	for _, f := range files {
		for _, c := range f.Flops {
			for _, s := range append(c.Steps, bench.FlopsStep{Step: "all", Original: c.Original, Improved: c.Improved}) {
				for _, v := range []float64{s.Original.Paper, s.Original.Counted, s.Improved.Paper, s.Improved.Counted} {
					three(counts, "flops of "+s.Step, v/1e9)
				}
			}
		}
	}
	prediction, rates := cellsOf(t, root, "prediction"), cellsOf(t, root, "speed")
	for _, f := range files {
		for _, c := range f.Costs {
			what := fmt.Sprintf("cost of %s, k = %d", c.Method, c.K)
			three(prediction, what, c.Total.PredictedSeconds)
			three(prediction, what, c.Total.MeasuredSeconds)
			deviation := 100 * (c.Total.PredictedSeconds/c.Total.MeasuredSeconds - 1)
			hasCell(t, prediction, what+": deviation", "%+.1f", deviation)
		}
		for _, c := range f.Cells {
			for _, b := range c.Backends {
				three(rates, fmt.Sprintf("%s %s %s", c.Op, c.Cell(), b.Backend), b.GFLOPS)
				three(rates, "peak", c.Peak)
			}
		}
	}
}

// TestSeeds compares means, deviations and medians with ones that are computed here from the rows.
func TestSeeds(t *testing.T) {
	methods := []string{"original", "improved", "gram"}
	lines := append([]sampleLine{sampleMachine("x", "pure")}, sampleTable(3, "mnist", 1, methods, steps(4, 4, 5, 6), 4, 5, 6)...)
	f := readSample(t, "x", lines)
	var accuracies, improved, ratios []float64
	for _, row := range f.Tables[0].Rows {
		if row.Step == 2 {
			accuracies = append(accuracies, *row.Cells[2].Accuracy)
			improved = append(improved, row.Cells[1].Seconds-row.FeatureSeconds)
			ratios = append(ratios, row.Cells[0].Seconds/row.Cells[1].Seconds)
		}
	}
	if len(accuracies) != 3 {
		t.Fatal("no three seeds")
	}
	mean := (accuracies[0] + accuracies[1] + accuracies[2]) / 3
	sd := 0.0
	for _, a := range accuracies {
		sd += (a - mean) * (a - mean) / 2
	}
	sd = math.Sqrt(sd)
	slices.Sort(improved)
	slices.Sort(ratios)
	root := parse(t, html(t, f))
	hasCell(t, cellsOf(t, root, "accuracy"), "mean", "%.2f", mean)
	hasCell(t, cellsOf(t, root, "accuracy"), "deviation", "%.2f", sd)
	hasCell(t, cellsOf(t, root, "speed-ups"), "median of the ratios", "%.2f", ratios[1])
	hasCell(t, cellsOf(t, root, "times"), "median of the times", "%.3g", improved[1])
}

// TestJoin has a run of two seeds in one file; in two, of which one repeats a row; and interrupted,
// with a second head: the page is the same.
func TestJoin(t *testing.T) {
	machine := sampleMachine("blskernel paper", "pure")
	lines := sampleTable(2, "mnist", 1, []string{"original", "improved", "gram"}, steps(6, 1, 2), 1, 2)
	whole := readSample(t, "x", append([]sampleLine{machine}, lines...))
	head, rows := lines[0], lines[1:]
	wrong := rows[2].value.(bench.TableRow)
	wrong.Cells = slices.Clone(wrong.Cells)
	wrong.Cells[0].Seconds *= 7 // measured again right after that
	first := readSample(t, "x", slices.Concat([]sampleLine{machine, head, rows[0], rows[1], {"row", wrong}}, rows[2:6]))
	second := readSample(t, "x", append([]sampleLine{machine, head}, rows[6:]...))
	continued := readSample(t, "x", slices.Concat([]sampleLine{machine, head}, rows[:4], []sampleLine{machine, head}, rows[4:]))
	page := func(files ...*result.File) string {
		all := html(t, files...)
		return all[:strings.Index(all, "<footer>")]
	}
	one := page(whole)
	if one != page(first, second) {
		t.Error("the page of a run in two files is another one")
	}
	if one != page(continued) {
		t.Error("the page of a run that was continued is another one")
	}
	// On another machine it is another run.
	other := machine.value.(result.Machine)
	other.CPU = "another"
	apart := parse(t, html(t, whole, readSample(t, "y", append([]sampleLine{{"machine", other}}, lines...))))
	ids := map[string]bool{}
	for _, title := range apart.all("title") {
		if id := title.attr["id"]; ids[id] {
			t.Errorf("two plots have the id %q", id)
		} else {
			ids[id] = true
		}
	}
	if text := apart.text.String(); !strings.Contains(text, "Table 2, pure (avx512), 2 threads on another") {
		t.Error("the page does not say which of two machines a run is of")
	}
	if n := len(apart.all("svg")); n != 2+1+1 { // times of both, the overview, one accuracy
		t.Errorf("two machines have %d plots", n)
	}
}
