package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/bench/speed"
)

// html returns the page of files.
func html(t testing.TB, files ...*result.File) string {
	t.Helper()
	p, err := New(files)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
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

// parse reads a page as XML, which is stricter than HTML: an element that is not closed or a value without quotes is an
// error.
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

// all returns the elements below e with one of the names, in order.
func (e *element) all(names ...string) []*element {
	var found []*element
	for _, c := range e.children {
		if slices.Contains(names, c.name) {
			found = append(found, c)
		}
		found = append(found, c.all(names...)...)
	}
	return found
}

// inside tells whether e is somewhere in an element of that name.
func (e *element) inside(name string) bool {
	for p := e.parent; p != nil; p = p.parent {
		if p.name == name {
			return true
		}
	}
	return false
}

// TestStructure checks what a browser would forgive: the page is XML, ids are unique and what refers to them finds them,
// nothing is loaded from anywhere, headings are in order, and tables have captions, heads and even rows.
func TestStructure(t *testing.T) {
	page := html(t, sampleFiles(t)...)
	if !strings.HasPrefix(page, "<!DOCTYPE html>\n<html lang=\"en\">") {
		t.Errorf("the page begins with %.40q", page)
	}
	root := parse(t, page)
	ids := map[string]bool{}
	var walk func(e *element)
	walk = func(e *element) {
		if id, ok := e.attr["id"]; ok {
			if ids[id] {
				t.Errorf("the id %q is there twice", id)
			}
			ids[id] = true
		}
		for _, c := range e.children {
			walk(c)
		}
	}
	walk(root)
	walk = func(e *element) {
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
		for _, c := range e.children {
			walk(c)
		}
	}
	walk(root)
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

// TestNumbers looks for what the sample has in the cells of the section where it belongs. Numbers are written here by
// fmt's %.3g and %.2f, which is not how the page writes them.
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
					if m := base(c.Method); row.Step > 0 && (m == "original" || m == "improved") {
						three(speedups, what, c.Seconds)
					}
					if c.Accuracy != nil && (table.Table != 2 || c.Method != "gram") {
						if s := fmt.Sprintf("%.2f", *c.Accuracy); accuracy[s] == 0 {
							t.Errorf("%s: no cell has the accuracy %s", what, s)
						}
					}
					if i > 0 && row.Step > 0 && base(c.Method) == "improved" {
						if s := fmt.Sprintf("%.2f", row.Cells[0].Seconds/c.Seconds); speedups[s] == 0 {
							t.Errorf("%s: no cell has the speed-up %s", what, s)
						}
						if s := fmt.Sprintf("%.2f", row.Cells[0].FlopsModel/c.FlopsModel); speedups[s] == 0 {
							t.Errorf("%s: no cell has the speed-up by flops %s", what, s)
						}
					}
				}
				if r := row.Retraining; r != nil {
					three(updates, "retraining", r.PseudoinverseSeconds)
					three(updates, "retraining", r.WeightsSeconds)
				}
			}
			paper, _ := bench.PaperFigures(table.Table)
			for i, v := range paper.Speedup {
				if s := fmt.Sprintf("%.2f", v); i < len(table.Rows)-1 && speedups[s] == 0 {
					t.Errorf("no cell has the paper's speed-up %s of table %d", s, table.Table)
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
	crossover, prediction, rates := cellsOf(t, root, "crossover"), cellsOf(t, root, "prediction"), cellsOf(t, root, "speed")
	for _, f := range files {
		for _, p := range f.Crossovers {
			for _, m := range append(p.Methods, p.RetrainPseudoinverse, p.RetrainWeights) {
				three(crossover, fmt.Sprintf("crossover, q = %d, %s", p.Q, m.Method), m.Seconds)
			}
		}
		for _, c := range f.Costs {
			what := fmt.Sprintf("cost of %s, k = %d", c.Method, c.K)
			three(prediction, what, c.Total.PredictedSeconds)
			three(prediction, what, c.Total.MeasuredSeconds)
			if s := fmt.Sprintf("%+.1f", 100*(c.Total.PredictedSeconds/c.Total.MeasuredSeconds-1)); prediction[s] == 0 {
				t.Errorf("%s: no cell has the deviation %s", what, s)
			}
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
			improved = append(improved, row.Cells[1].Seconds)
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
	if cells := cellsOf(t, root, "accuracy"); cells[fmt.Sprintf("%.2f", mean)] == 0 || cells[fmt.Sprintf("%.2f", sd)] == 0 {
		t.Errorf("no cells with %.2f and %.2f: %v", mean, sd, cells)
	}
	if cells := cellsOf(t, root, "speed-ups"); cells[fmt.Sprintf("%.2f", ratios[1])] == 0 || cells[fmt.Sprintf("%.3g", improved[1])] == 0 {
		t.Errorf("no cells with %.2f and %.3g: %v", ratios[1], improved[1], cells)
	}
}

// TestJoin has a run of two seeds in one file; in two, of which one repeats a row; and interrupted, with a second
// head: the page is the same.
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
	if text := apart.text.String(); !strings.Contains(text, "Table 2, pure, 2 threads on another") {
		t.Error("the page does not say which of two machines a run is of")
	}
	if n := len(apart.all("svg")); n != 2+1+1 { // times of both, the overview, one accuracy
		t.Errorf("two machines have %d plots", n)
	}
}

// TestFindings checks the sentences against numbers that are plain to see.
func TestFindings(t *testing.T) {
	sentences := func(lines ...sampleLine) string {
		p, err := New([]*result.File{readSample(t, "x", append([]sampleLine{sampleMachine("x", "pure")}, lines...))})
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, f := range p.Findings {
			all = append(all, f.Text)
		}
		return strings.ReplaceAll(strings.Join(all, "\n"), "\u00a0", " ")
	}
	head := bench.TableHead{
		Table: 5, Title: "x", Data: "mnist", Scale: 1, Initial: 100, Batch: 50, Updates: 1, Nodes: 40, Methods: []string{"original", "improved", "gram"}, Planner: "gram", Seeds: []uint64{1},
	}
	row := func(n int, seconds ...float64) sampleLine {
		r := bench.TableRow{Table: 5, Seed: 1, Step: n, Samples: 100 + 50*n, FeatureSeconds: 1, Retraining: &bench.Retraining{PseudoinverseSeconds: 4, PseudoinverseBy: "cholesky", WeightsSeconds: 2}}
		for i, s := range seconds {
			r.Cells = append(r.Cells, bench.TableCell{Method: head.Methods[i], Seconds: s, FlopsModel: s})
		}
		return sampleLine{"row", r}
	}
	point := func(q int, update, inverse, weights float64) sampleLine {
		return sampleLine{"crossover", bench.CrossoverPoint{
			Backend: "pure", L: 1000, K: 100, Q: q, C: 1, Rounds: 3, Planner: "gram",
			Methods:              []bench.CrossoverTiming{{Series: "improved", Method: "improved", Seconds: update, Flops: update}, {Series: bench.PlannerSeries, Method: "gram", Seconds: weights / 4, Flops: 1}},
			RetrainPseudoinverse: bench.CrossoverTiming{By: "cholesky", Seconds: inverse, Flops: inverse}, RetrainWeights: bench.CrossoverTiming{Seconds: weights, Flops: weights},
		}}
	}
	for _, tc := range []struct {
		name  string
		lines []sampleLine
		want  []string
	}{
		{"table", []sampleLine{{"table", head}, row(0, 10, 10, 2), row(1, 14, 11, 3)}, []string{
			"In total training time Improved is 1.14 times as fast as Original with the paper's sizes and recipe, at least the paper's figure in 1 of 1 run.",
			"Table 5, pure, 2 threads: updating the pseudoinverse by improved takes 2.50 times as long as computing A⁺ by the ridge formula and W from scratch (it loses at 1 of 1 update), and 5.00 times as long as computing W alone from scratch (it loses at 1 of 1 update).",
			"Table 5, pure, 2 threads: the planner's method is 4.20 times as fast as improved in the whole training with features, and 5.00 times in the updates alone.",
		}},
		{"once", []sampleLine{point(10, 1, 4, 16), point(1000, 64, 16, 256)}, []string{
			// log(1/4) to log(4) crosses 0 at the geometric mean of 10 and 1000.
			"Updating A⁺ by improved wins over computing A⁺ by the ridge formula and W from scratch up to q ≈ 100 = 1.00 k (by flops up to 1.00 k), and loses beyond: at q = 1000 it takes 4.00 times as long.",
			"Updating A⁺ by improved still wins over computing W alone from scratch at q = 1000, where it takes 0.25 of the time.",
			"The planner's choice is 4.00 times as fast as computing W from scratch and 0.25 to 1.00 times as fast as improved.",
		}},
		{"always", []sampleLine{point(10, 8, 4, 2), point(1000, 64, 16, 8)}, []string{
			"Updating A⁺ by improved loses to computing A⁺ by the ridge formula and W from scratch at every q from 10 to 1000: it takes 2.00 to 4.00 times as long.",
		}},
	} {
		got := sentences(tc.lines...)
		for _, want := range tc.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", tc.name, want, got)
			}
		}
	}
}

// TestMissing has what a page may lack: everything, all kinds but one, rows of a table, labels.
func TestMissing(t *testing.T) {
	for _, files := range [][]*result.File{nil, {readSample(t, "x", []sampleLine{sampleMachine("x", "pure")})}, {readSample(t, "x", sampleTable(2, "mnist", 1, []string{"gram"}, nil, 1))}} {
		if _, err := New(files); !errors.Is(err, ErrNoResults) {
			t.Errorf("a page of nothing: %v", err)
		}
	}
	all := sampleFiles(t)
	for _, f := range all[3:] {
		p, err := New([]*result.File{f})
		if err != nil {
			t.Fatal(err)
		}
		if titles := p.Sections(); len(titles) != 1 {
			t.Errorf("%s has the sections %q", f.Name, titles)
		}
	}
	page := parse(t, html(t, all...)).text.String()
	for _, want := range []string{
		"This run was interrupted: seed 1 ends after update 3 of 5. So there is no total.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// TestNasty draws what measurements never are, or hardly: nothing may panic or spoil the page.
func TestNasty(t *testing.T) {
	for _, v := range []float64{0, 1, -1, 5e-324, 1e-300, 1e300, math.MaxFloat64} {
		accuracy := v
		head := bench.TableHead{Table: 2, Title: `<b>"&'`, Scale: 1, Updates: 1, Methods: []string{`<i>&"`, "original", "improved/x", "improved/y", "improved/z"}, Planner: "gone", Seeds: []uint64{1}}
		row := bench.TableRow{Table: 2, Seed: 1, Step: 1, Samples: int(min(math.Abs(v), 1e9)), FeatureSeconds: v, Retraining: &bench.Retraining{PseudoinverseSeconds: v}}
		for _, m := range head.Methods {
			row.Cells = append(row.Cells, bench.TableCell{Method: m, Seconds: v, FlopsModel: v, Accuracy: &accuracy})
		}
		n := int(min(math.Abs(v), 1e9))
		cost := bench.Cost{Backend: "<u>", Method: "gram", K: n, Total: bench.CostStep{PredictedSeconds: v, MeasuredSeconds: v, Model: v}}
		f := readSample(t, `<a href="x">`, []sampleLine{
			{"table", head}, {"row", row}, {"cost", cost},
			{"cell", speed.Result{Op: "<s>", M: n, N: n, K: n, Peak: v, Backends: []speed.Timing{{Backend: "<p>", GFLOPS: v, Ratio: v}}}},
			{"cell", speed.Result{Op: "none"}},
			{"crossover", bench.CrossoverPoint{Backend: "<u>", Q: n, K: n, L: n, Methods: []bench.CrossoverTiming{{Series: "improved", Seconds: v, Flops: v}, {Series: bench.PlannerSeries, Seconds: v}}}},
		})
		root := parse(t, html(t, f))
		if n := len(root.all("i", "b", "u", "s")); n > 0 {
			t.Errorf("%g: %d texts have become elements", v, n)
		}
		p, err := New([]*result.File{f})
		if err != nil {
			t.Fatal(err)
		}
		for _, plot := range p.Plots() {
			if err := plot.WriteSVG(io.Discard); err != nil {
				t.Errorf("%g: %v", v, err)
			}
		}
	}
}
