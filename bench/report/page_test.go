package report

import (
	"bytes"
	"errors"
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

func newPage(t testing.TB, files ...*result.File) *Page {
	t.Helper()
	p, err := New(files)
	testutil.NoError(t, err)
	return p
}

// published returns the files in docs/results, which include every kind, or in a folder there.
func published(t testing.TB, folder string) (files []*result.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("../../docs/results", folder, "*.jsonl"))
	testutil.NoError(t, err)
	for _, name := range names {
		f, err := result.ReadFile(nil, name)
		testutil.NoError(t, err)
		files = append(files, f)
	}
	return files
}

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

// TestStructure checks what Markdown would forgive. Every row of every table has as many cells as its
// head, each plot is linked once, and what is opened is closed.
func TestStructure(t *testing.T) {
	p := newPage(t, published(t, "")...)
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

// TestEscapeMarkdown escapes a text that Markdown would not show as it is.
func TestEscapeMarkdown(t *testing.T) {
	if got, want := escape("<i> | *x* [y](z) `\\\n&"), "&lt;i> \\| \\*x\\* \\[y\\](z) \\`\\\\ &amp;"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestMissing makes pages of files without results, and of files with a single kind of result.
func TestMissing(t *testing.T) {
	head := smallHead
	head.Seeds = nil
	for _, files := range [][]*result.File{nil, {readSample(t, "x", sampleMachine(nil))}, {readSample(t, "x", sampleLine{"table", head})}} {
		if _, err := New(files); !errors.Is(err, ErrNoResults) {
			t.Errorf("a page of nothing: %v", err)
		}
	}
	for _, f := range published(t, "") {
		if p := newPage(t, f); (len(p.Sections) == 1) != (len(f.Tables) == 0) {
			t.Errorf("%s has %d sections", f.Name, len(p.Sections))
		}
	}
}

// TestNasty draws numbers that measurements hardly ever have: nothing may panic or spoil the page.
func TestNasty(t *testing.T) {
	for _, v := range []float64{0, 1, -1, 5e-324, 1e-300, 1e300, math.MaxFloat64} {
		accuracy := v
		head := bench.TableHead{
			PaperTable: bench.PaperTable{Table: 2, Updates: 1}, Scale: 1, Planner: "gone", Seeds: []uint64{1},
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
			sampleLine{"machine", result.Machine{Command: "<i>\n<b>", Kernel: "../<k>"}},
			sampleLine{"table", head}, sampleLine{"row", row}, sampleLine{"row", next}, sampleLine{"cost", cost},
			sampleLine{"cell", speed.Result{Op: "<s>", N: n, Peak: v, Backends: []speed.Timing{{Backend: "<p>", GFLOPS: v, Ratio: v}}}},
			sampleLine{"cell", speed.Result{Op: "dgemm", Args: "NN", N: n, Threads: 1, Backends: []speed.Timing{{Backend: "pure", OfPeak: v}}}},
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
			says(t, plot.Name, nil, ".", "/", "<")
			says(t, svg, nil, "NaN", "Inf")
		}
	}
}
