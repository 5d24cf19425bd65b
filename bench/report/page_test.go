package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/bench/speed"
	"blskernel/internal/testutil"
)

// newPage returns the page of files.
func newPage(t testing.TB, files ...*result.File) *Page {
	t.Helper()
	p, err := New(files)
	testutil.NoError(t, err)
	return p
}

// markdown returns the page as Markdown.
func markdown(t testing.TB, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	testutil.NoError(t, p.WriteMarkdown(&b))
	return b.String()
}

// An element is a part of an SVG file.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Children []*element `xml:",any"`
}

// parse reads an SVG file as XML.
func parse(t testing.TB, svg string) *element {
	t.Helper()
	root := new(element)
	testutil.NoError(t, xml.Unmarshal([]byte(svg), root))
	return root
}

// all returns the elements below e with the name.
func (e *element) all(name string) (found []*element) {
	for _, c := range e.Children {
		if c.XMLName.Local == name {
			found = append(found, c)
		}
		found = append(found, c.all(name)...)
	}
	return found
}

// attr returns an attribute, or "".
func (e *element) attr(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// TestStructure checks what Markdown would forgive: every row of every table is there with as many
// cells as its head, the plot is linked once, and what is opened is closed.
func TestStructure(t *testing.T) {
	p := newPage(t, sampleFiles(t)...)
	text := markdown(t, p)
	if open, closed := strings.Count(text, "<details>\n<summary>"), strings.Count(text, "\n</details>\n"); open < len(p.Sections) || open != closed {
		t.Errorf("%d details are opened and %d closed", open, closed)
	}
	if n := strings.Count(text, "](plots/speed-ups.svg)"); n != 1 {
		t.Errorf("the plot is there %d times", n)
	}
	tables := []Table{p.Machines}
	for _, s := range p.Sections {
		tables = append(tables, s.Tables...)
	}
	rows := 0
	for _, table := range tables {
		for _, row := range append(table.Rows, table.Columns) {
			rows++
			if len(row) != len(table.Columns) || !strings.Contains(text, "\n| "+strings.Join(escapeAll(row), " | ")+" |\n") {
				t.Errorf("no row %q below %q", row, table.Columns)
			}
		}
	}
	if n := strings.Count(text, "\n| ") - len(p.Numbers) - 1; n != rows {
		t.Errorf("%d rows, want %d", n, rows)
	}
}

func escapeAll(texts []string) (all []string) {
	for _, s := range texts {
		all = append(all, escape(s))
	}
	return all
}

// TestEscapeMarkdown has a text that Markdown would not show as it is.
func TestEscapeMarkdown(t *testing.T) {
	if got, want := escape("<i> | *x* [y](z) `\\\n&"), "&lt;i> \\| \\*x\\* \\[y\\](z) \\`\\\\ &amp;"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// cellsOf returns all cells of the section with a title that begins so.
func cellsOf(t testing.TB, p *Page, title string) map[string]int {
	t.Helper()
	cells := map[string]int{}
	for _, s := range p.Sections {
		for _, table := range s.Tables {
			for _, row := range table.Rows {
				for _, c := range row {
					if strings.HasPrefix(s.Title, title) {
						cells[c]++
					}
				}
			}
		}
	}
	if len(cells) == 0 {
		t.Fatalf("no section %q", title)
	}
	return cells
}

// hasCell fails the test unless a cell has v in that format.
func hasCell(t *testing.T, cells map[string]int, what, format string, v ...any) {
	t.Helper()
	if s := fmt.Sprintf(format, v...); cells[s] == 0 {
		t.Errorf("%s: no cell has %s", what, s)
	}
}

// hasNumber fails the test unless a cell begins with v, to three digits as fmt writes them.
func hasNumber(t *testing.T, cells map[string]int, what string, v float64) {
	t.Helper()
	want := fmt.Sprintf("%.3g", v)
	for c := range cells {
		c, _, _ = strings.Cut(c, " (")
		var got float64
		if n, _ := fmt.Sscan(c, &got); n == 1 && fmt.Sprintf("%.3g", got) == want && len(strings.Trim(c, "0.-")) <= 8 {
			return
		}
	}
	t.Errorf("%s: no cell has %s", what, want)
}

// TestTableNumbers looks for what the tables of the sample have in the cells of the section where it
// belongs. Numbers are written here by fmt's %.3g and %.2f, which is not how the page writes them.
func TestTableNumbers(t *testing.T) {
	files := sampleFiles(t)
	page := newPage(t, files...)
	speedups, updates, accuracy := cellsOf(t, page, "Speed-up"), cellsOf(t, page, "Time"), cellsOf(t, page, "Accuracy")
	for _, f := range files {
		for _, table := range f.Tables {
			if len(table.Seeds) > 1 {
				continue // the page has means: see TestSeeds
			}
			for _, row := range table.Rows {
				for i, c := range row.Cells {
					if row.Step == 0 && (c.Method == "original" || improved(c.Method)) {
						continue // these share their starts: see TestSharedStart
					}
					what := fmt.Sprintf("%s, table %d, step %d, %s", f.Name, table.PaperTable.Table, row.Step, c.Method)
					hasNumber(t, updates, what, c.Seconds-row.FeatureSeconds)
					if c.Accuracy != nil && (table.PaperTable.Table != 2 || c.Method != "gram") {
						hasCell(t, accuracy, what+": accuracy", "%.2f", *c.Accuracy)
					}
					if i > 0 && row.Step > 0 && improved(c.Method) {
						hasCell(t, speedups, what+": speed-up", "%.2f", row.Cells[0].Seconds/c.Seconds)
						hasCell(t, speedups, what+": by flops", "%.2f", row.Cells[0].FlopsModel/c.FlopsModel)
					}
				}
				if r := row.Retraining; r != nil {
					hasNumber(t, updates, "retraining", r.PseudoinverseSeconds)
					hasNumber(t, updates, "retraining", r.WeightsSeconds)
				}
			}
			r := runsOf([]*result.File{{Tables: []result.Table{table}}})[0]
			for i, v := range r.paperTimes("improved").Speedup {
				if i < len(table.Rows)-1 {
					hasCell(t, speedups, fmt.Sprintf("the paper's table %d", table.PaperTable.Table), "%.2f", v)
				}
			}
		}
	}
}

// TestOtherNumbers does the same for flops, speeds and predictions.
func TestOtherNumbers(t *testing.T) {
	files := sampleFiles(t)
	page := newPage(t, files...)
	counts, prediction, rates := cellsOf(t, page, "Flops"), cellsOf(t, page, "Predicted"), cellsOf(t, page, "Speed of")
	for _, f := range files {
		for _, on := range f.Flops {
			c := on.Value
			for _, s := range append(c.Steps, bench.FlopsStep{Step: "all", Original: c.Original, Improved: c.Improved}) {
				for _, v := range []float64{s.Original.Paper, s.Original.Counted, s.Improved.Paper, s.Improved.Counted} {
					hasNumber(t, counts, "flops of "+s.Step, v/1e9)
				}
			}
		}
		worst := map[string]float64{}
		for _, on := range f.Costs {
			c := on.Value
			deviation := 100 * math.Abs(c.Total.PredictedSeconds/c.Total.MeasuredSeconds-1)
			worst[c.Backend+c.Method] = max(worst[c.Backend+c.Method], deviation)
		}
		for what, v := range worst {
			hasCell(t, prediction, what+": deviation", "%.1f", v)
		}
		for _, on := range f.Cells {
			c := on.Value
			what := fmt.Sprintf("%s %s", c.Op, c.Cell())
			hasNumber(t, rates, what, c.Backends[0].GFLOPS)
			hasCell(t, rates, what, "%s (%.2f)", significant(c.Backends[0].GFLOPS), c.Backends[1].Ratio)
		}
	}
}

// TestSeeds compares means and deviations with ones that are computed here from the rows; times are
// those of the first seed.
func TestSeeds(t *testing.T) {
	methods := []string{"original", "improved", "gram"}
	lines := append([]sampleLine{sampleMachine("x", "pure")}, sampleTable(3, "mnist", 1, methods, steps(4, 4, 5, 6), 4, 5, 6)...)
	f := readSample(t, "x", lines)
	var accuracies, updates []float64
	for _, row := range f.Tables[0].Rows {
		if row.Step == 2 {
			accuracies = append(accuracies, *row.Cells[2].Accuracy)
			updates = append(updates, row.Cells[1].Seconds-row.FeatureSeconds)
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
	page := newPage(t, f)
	hasCell(t, cellsOf(t, page, "Accuracy"), "mean and deviation", "%.2f ± %.2f", mean, math.Sqrt(sd))
	hasCell(t, cellsOf(t, page, "Time"), "times of the first seed", "%.3g", updates[0])
}

// TestMissing has what a page may lack: everything, and all kinds but one.
func TestMissing(t *testing.T) {
	for _, files := range [][]*result.File{
		nil,
		{readSample(t, "x", []sampleLine{sampleMachine("x", "pure")})},
		{readSample(t, "x", sampleTable(2, "mnist", 1, []string{"gram"}, nil, 1))},
	} {
		if _, err := New(files); !errors.Is(err, ErrNoResults) {
			t.Errorf("a page of nothing: %v", err)
		}
	}
	all := sampleFiles(t)
	for _, f := range all[3:] {
		if p := newPage(t, f); len(p.Sections) != 1 {
			t.Errorf("%s has %d sections", f.Name, len(p.Sections))
		}
	}
	says(t, withoutMachine(markdown(t, newPage(t, all...))), []string{"The run was interrupted: it has 4 of 6 steps."})
}

// TestNasty draws what measurements never are, or hardly: nothing may panic or spoil the page.
func TestNasty(t *testing.T) {
	for _, v := range []float64{0, 1, -1, 5e-324, 1e-300, 1e300, math.MaxFloat64} {
		accuracy := v
		head := bench.TableHead{
			PaperTable: bench.PaperTable{Table: 2, Updates: 1}, Title: `<b>"&'`, Scale: 1, Planner: "gone", Seeds: []uint64{1},
			Methods: []string{`<i>&"`, "original", "improved/x", "improved/y", "improved/z"},
		}
		row := bench.TableRow{Table: 2, Seed: 1, Samples: int(min(math.Abs(v), 1e9)), FeatureSeconds: v, Retraining: &bench.Retraining{PseudoinverseSeconds: v}}
		for _, m := range head.Methods {
			row.Cells = append(row.Cells, bench.TableCell{Method: m, Seconds: v, FlopsModel: v, Accuracy: &accuracy})
		}
		next := row
		next.Step = 1
		n := int(min(math.Abs(v), 1e9))
		cost := bench.Cost{Backend: "<u>", Method: "gram", K: n, Total: bench.CostStep{PredictedSeconds: v, MeasuredSeconds: v, Model: v}}
		f := readSample(t, `<a href="x">`, []sampleLine{
			{"machine", result.Machine{Command: "<i>\n<b>"}}, {"table", head}, {"row", row}, {"row", next}, {"cost", cost},
			{"cell", speed.Result{Op: "<s>", N: n, Peak: v, Backends: []speed.Timing{{Backend: "<p>", GFLOPS: v, Ratio: v}}}},
			{"cell", speed.Result{Op: "none"}},
		})
		p := newPage(t, f)
		text, commands, _ := strings.Cut(markdown(t, p), "## Commands")
		says(t, text, []string{"&lt;i>"}, "<i>", "<b>", "<u>", "<s>", "<p>", "<a")
		if commands != "\n\n    <i> <b>\n" {
			t.Errorf("commands %q", commands)
		}
		if p.Plot != nil {
			testutil.NoError(t, p.Plot.WriteSVG(io.Discard))
		}
	}
}
