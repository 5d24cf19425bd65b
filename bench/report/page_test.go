package report

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// published returns the files of results in docs/results, which have every kind.
func published(t testing.TB) (files []*result.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.FromSlash("../../docs/results/*.jsonl"))
	testutil.NoError(t, err)
	for _, name := range names {
		f, err := result.ReadFile(nil, name)
		testutil.NoError(t, err)
		files = append(files, f)
	}
	return files
}

// A sampleLine is a line of a file of results.
type sampleLine struct {
	kind  string
	value any
}

// readSample writes lines and reads them as a file.
func readSample(t testing.TB, name string, lines ...sampleLine) *result.File {
	t.Helper()
	var b bytes.Buffer
	for _, l := range lines {
		testutil.NoError(t, result.Write(&b, l.kind, l.value))
	}
	f, err := result.Read(name, &b)
	testutil.NoError(t, err)
	return f
}

// sampleMachine returns the line of a machine; change may be nil.
func sampleMachine(change func(m *result.Machine)) sampleLine {
	m := result.Machine{
		Command: "x", Date: time.Date(2025, 11, 21, 9, 30, 0, 0, time.UTC), Version: "48e7019c0ffe+", CPU: "AMD EPYC 9R14 & <friends>",
		GOMAXPROCS: 2, Go: "go1.26.0 linux/amd64", Backends: []string{"pure"}, Kernel: "avx512", OpenBLAS: "0.3.21", Threads: []int{2},
	}
	if change != nil {
		change(&m)
	}
	return sampleLine{"machine", m}
}

// TestStructure checks what Markdown would forgive: every row of every table is there with as many
// cells as its head, each plot is linked once, and what is opened is closed.
func TestStructure(t *testing.T) {
	p := newPage(t, published(t)...)
	text := p.Markdown()
	if open, closed := strings.Count(text, "<details>\n<summary>"), strings.Count(text, "\n</details>\n"); open < len(p.Sections) || open != closed {
		t.Errorf("%d details are opened and %d closed", open, closed)
	}
	tables := []Table{p.Machines}
	for _, plot := range plotsOf(p) {
		if n := strings.Count(text, "\n!["+escape(plot.Title)+"](plots/"+plot.Name+".svg)\n"); n != 1 {
			t.Errorf("the plot %s is there %d times", plot.Name, n)
		}
		tables = append(tables, plot.Table())
	}
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

// TestNumbers looks for what the published files have in the cells of the section where it belongs.
// Numbers are written here by fmt's %.3g and %.2f, which is not how the page writes them.
func TestNumbers(t *testing.T) {
	files := published(t)
	page := newPage(t, files...)
	speedups, updates, accuracy := cellsOf(t, page, "Speed-up"), cellsOf(t, page, "Time"), cellsOf(t, page, "Accuracy")
	counts, prediction, rates := cellsOf(t, page, "Flops"), cellsOf(t, page, "Predicted"), cellsOf(t, page, "Speed of")
	for _, f := range files {
		for _, table := range f.Tables {
			if len(table.Seeds) > 1 {
				continue // the page has means: see "seeds" of TestPages
			}
			for _, row := range table.Rows {
				for i, c := range row.Cells {
					if row.Step == 0 && (c.Method == "original" || improved(c.Method)) {
						continue // these share their starts: see TestShareStarts
					}
					what := fmt.Sprintf("%s, step %d, %s", f.Name, row.Step, c.Method)
					hasNumber(t, updates, what, c.Seconds-row.FeatureSeconds)
					if c.Accuracy != nil {
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
			for _, v := range r.paperTimes("improved").Speedup {
				hasCell(t, speedups, f.Name+" in the paper", "%.2f", v)
			}
		}
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
			worst[c.Backend+c.Variant()] = max(worst[c.Backend+c.Variant()], 100*math.Abs(c.Total.PredictedSeconds/c.Total.MeasuredSeconds-1))
		}
		for what, v := range worst {
			hasCell(t, prediction, what+": deviation", "%.1f", v)
		}
		for _, on := range f.Cells {
			c := on.Value
			what := fmt.Sprint(c.Op, " ", c.Args, " ", c.N)
			hasNumber(t, rates, what, c.Backends[0].GFLOPS)
			for _, b := range c.Backends[1:] {
				hasCell(t, rates, what, "%s (%s)", significant(c.Backends[0].GFLOPS), times(b.Ratio))
			}
		}
	}
}

// TestMissing has what a page may lack: everything, and all kinds but one.
func TestMissing(t *testing.T) {
	head := smallHead
	head.Seeds = nil
	for _, files := range [][]*result.File{nil, {readSample(t, "x", sampleMachine(nil))}, {readSample(t, "x", sampleLine{"table", head})}} {
		if _, err := New(files); !errors.Is(err, ErrNoResults) {
			t.Errorf("a page of nothing: %v", err)
		}
	}
	for _, f := range published(t) {
		if p := newPage(t, f); (len(p.Sections) == 1) != (len(f.Tables) == 0) {
			t.Errorf("%s has %d sections", f.Name, len(p.Sections))
		}
	}
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
		f := readSample(t, `<a href="x">`,
			sampleLine{"machine", result.Machine{Command: "<i>\n<b>"}},
			sampleLine{"table", head}, sampleLine{"row", row}, sampleLine{"row", next}, sampleLine{"cost", cost},
			sampleLine{"cell", speed.Result{Op: "<s>", N: n, Peak: v, Backends: []speed.Timing{{Backend: "<p>", GFLOPS: v, Ratio: v}}}},
			sampleLine{"cell", speed.Result{Op: "none"}})
		p := newPage(t, f)
		text, commands, _ := strings.Cut(p.Markdown(), "## Commands")
		says(t, text, []string{"&lt;i>"}, "<i>", "<b>", "<u>", "<s>", "<p>", "<a")
		if commands != "\n\n    <i> <b>\n" {
			t.Errorf("commands %q", commands)
		}
		for _, plot := range plotsOf(p) {
			svg := plot.SVG()
			inside(t, parse(t, svg))
			says(t, svg, nil, "NaN", "Inf")
		}
	}
}
