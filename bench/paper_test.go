package bench

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"blskernel"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/internal/testutil"
)

// TestPaperTables compares the settings with the flops that follow from them, in Gflop, as the design
// has them for some rows: they would not agree with another k, q or l.
func TestPaperTables(t *testing.T) {
	for _, tc := range []struct {
		table, update      int // the first update is 1
		original, improved float64
	}{
		{2, 1, 6080, 4370}, {2, 5, 22320, 16610}, {3, 3, 36450, 22480}, {4, 1, 6610, 5860}, {4, 5, 10170, 8920},
		{5, 5, 6910, 6280}, {6, 2, 4210, 3020}, {7, 1, 1010, 1010}, {7, 4, 1970, 1830}, {8, 4, 1460, 1300}, {9, 1, 700, 650}, {9, 4, 950, 870},
	} {
		p, ok := LookupPaperTable(tc.table)
		if !ok {
			t.Fatalf("no table %d", tc.table)
		}
		s := blsupdate.Shape{L: p.Initial + (tc.update-1)*p.Batch, K: p.Nodes, Q: p.Batch, C: 10}
		for _, m := range []struct {
			method blsupdate.Method
			want   float64
		}{{blsupdate.Original, tc.original}, {blsupdate.Improved, tc.improved}} {
			got := blsupdate.Total(blsupdate.Model(m.method, blsupdate.ActionAdd, blsupdate.Options{Form: blsupdate.Paper, Workspace: p.Workspace()}, s)) / 1e9
			if !(math.Abs(got-m.want) <= 6) { // they are printed to 10 Gflop
				t.Errorf("table %d, update %d, %v: %.0f Gflop, want %.0f", tc.table, tc.update, m.method, got, m.want)
			}
		}
	}
	for n := -1; n <= 11; n++ {
		p, ok := LookupPaperTable(n)
		f, known := PaperFigures(n)
		if want := n >= 2 && n <= 9; ok != want || known != want {
			t.Errorf("table %d: %v, figures %v", n, ok, known)
		} else if want && (len(f.Speedup) != p.Updates || f.Accuracy != nil && len(f.Accuracy) != p.Updates+1 || p.Samples() > 60000) {
			t.Errorf("table %d: %d speed-ups, %d accuracies for %d updates; %d samples", n, len(f.Speedup), len(f.Accuracy), p.Updates, p.Samples())
		}
	}
}

func TestScaled(t *testing.T) {
	p, _ := LookupPaperTable(2)
	for _, scale := range []float64{1e-3, 0.01, 0.1, 0.5, 1, 2} {
		s := p.Scaled(scale)
		f := s.Features()
		if k := f.Groups*f.GroupNodes + f.EnhancementNodes; k != s.Nodes || f.EnhancementNodes < 0 || s.Initial < s.Nodes || s.Batch < 1 || s.Updates != p.Updates {
			t.Errorf("scale %v: %+v with %+v", scale, s, f)
		}
	}
	if p.Scaled(1) != p {
		t.Errorf("scale 1: %+v", p.Scaled(1))
	}
}

// smallPaper is Table 2 at a hundredth of its size.
func smallPaper(t *testing.T) *Paper {
	table, _ := LookupPaperTable(2)
	table = table.Scaled(0.01)
	p := &Paper{
		Table: table, Scale: 0.01, Data: SyntheticDigits, Train: dataset.Digits(table.Samples(), 1), Test: dataset.Digits(200, 2),
		Variants: Variants(blsupdate.Original, blsupdate.Gram), Planner: 1, Repeat: 1,
		Update: blsupdate.Options{Lambda: 1e-6, Backend: blskernel.Default()}, Seeds: []uint64{7, 8, 9}, Retrain: true,
	}
	_, err := PlanVariant(table, 10, p.Update)
	testutil.NoError(t, err)
	return p
}

func paperRows(t *testing.T, p *Paper) []TableRow {
	t.Helper()
	var rows []TableRow
	last := -1.0
	err := p.Run(context.Background(), func(r TableRow) error {
		rows = append(rows, r)
		return nil
	}, func(done, total float64, _ string) {
		if !(done/total >= last && done <= total) {
			t.Errorf("progress goes from %v to %v", last, done/total)
		}
		last = done / total
	})
	testutil.NoError(t, err)
	if last != 1 {
		t.Errorf("progress ends at %v", last)
	}
	return rows
}

func TestPaperRows(t *testing.T) {
	p := smallPaper(t)
	rows := paperRows(t, p)
	steps := p.Table.Updates + 1
	if len(rows) != 3*steps {
		t.Fatalf("%d rows, want %d", len(rows), 3*steps)
	}
	for i, r := range rows {
		run, step := i/steps, i%steps
		if r.Table != 2 || r.Seed != p.Seeds[run] || r.Step != step || r.Samples != p.Table.Initial+step*p.Table.Batch {
			t.Errorf("row %d: %+v", i, r)
		}
		if run == 0 && len(r.Cells) != 2 || run > 0 && (len(r.Cells) != 1 || r.Cells[0].Method != "gram") {
			t.Errorf("row %d: %+v", i, r.Cells)
		}
		if (r.Retraining != nil) != (run == 0 && step > 0) {
			t.Errorf("row %d: retraining %v", i, r.Retraining)
		} else if again := r.Retraining; again != nil {
			l, k := float64(r.Samples), float64(p.Table.Nodes)
			if want := 3*l*k*k + k*k*k/3 + 2*l*k*10; again.PseudoinverseBy != "cholesky" || !(math.Abs(again.PseudoinverseFlops-want) <= 1e-12*want) {
				t.Errorf("row %d: %+v; want %v flops by cholesky", i, again, want)
			}
		}
		if step == 0 && run == 0 && r.Cells[0].Seconds == r.Cells[1].Seconds {
			t.Errorf("starts in two ways have the same time: %+v", r.Cells)
		}
		for _, c := range r.Cells {
			if c.Accuracy == nil || !(*c.Accuracy > 20) || !(c.TotalSeconds >= c.Seconds && c.Seconds >= r.FeatureSeconds) || c.FlopsCounted != c.FlopsModel {
				t.Errorf("row %d: %+v", i, c)
			}
		}
	}
}

// TestHead has the settings of a table, and the names of its whitening.
func TestHead(t *testing.T) {
	p := smallPaper(t)
	p.Whitening = &dataset.ZCAOptions{}
	if h := p.Head(); h.Planner != "gram" || h.Repeat != "gram" || h.Repeated() != "gram" ||
		h.Whitening != ReferenceWhitening || !strings.HasPrefix(h.Title, "synthetic digits, k = ") {
		t.Errorf("%+v", h)
	}
	p.Planner = -1
	if h := p.Head(); h.Planner != "" || h.Repeat != "gram" {
		t.Errorf("without the planner's choice: %+v", h)
	}
	for _, tc := range []struct {
		opt  dataset.ZCAOptions
		want string
	}{
		{dataset.ZCAOptions{RowConstant: dataset.ZCARows}, ReferenceWhitening},
		{dataset.ZCAOptions{RowConstant: dataset.ZCAUnitRows, EigenvalueConstant: dataset.ZCAUnitValues}, UnitWhitening},
		{dataset.ZCAOptions{RowConstant: dataset.ZCAUnitRows}, OtherWhitening},
	} {
		if got := whiteningName(tc.opt); got != tc.want {
			t.Errorf("%+v is %s; want %s", tc.opt, got, tc.want)
		}
	}
}

// TestOldHead reads a table as it was written before Repeat was kept.
func TestOldHead(t *testing.T) {
	var h TableHead
	testutil.NoError(t, json.Unmarshal([]byte(`{"table":7,"data":"random","methods":["original","gram"],"planner":"gram","seeds":[1],"whitened":true}`), &h))
	if h.Repeated() != "gram" || !h.Whitened {
		t.Errorf("%+v", h)
	}
}

func TestPaperValidate(t *testing.T) {
	for want, change := range map[string]func(*Paper){
		"Train is nil":        func(p *Paper) { p.Train = nil },
		"Variants is empty":   func(p *Paper) { p.Variants = nil },
		"Variants has gram":   func(p *Paper) { p.Variants = Variants(blsupdate.Gram, blsupdate.Gram) },
		"Planner is 2":        func(p *Paper) { p.Planner = 2 },
		"Planner is -2":       func(p *Paper) { p.Planner = -2 },
		"Repeat is -1":        func(p *Paper) { p.Repeat = -1 },
		"Repeat is 2":         func(p *Paper) { p.Repeat = 2 },
		"Seeds is empty":      func(p *Paper) { p.Seeds = nil },
		"Seeds has 7 twice":   func(p *Paper) { p.Seeds[2] = 7 },
		"digits has 300":      func(p *Paper) { p.Train = dataset.Digits(300, 1) },
		"Train has no images": func(p *Paper) { p.Train = dataset.Digits(0, 1) },
	} {
		p := smallPaper(t)
		testutil.NoError(t, p.Validate())
		change(p)
		err := p.Run(context.Background(), func(TableRow) error { t.Errorf("%s: a row", want); return nil }, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

// TestPaperDefaults runs without a backend, the planner's choice and a repeated planner.
func TestPaperDefaults(t *testing.T) {
	p := smallPaper(t)
	p.Update.Backend, p.Seeds, p.Planner, p.Repeat = nil, p.Seeds[:2], -1, 0
	rows := paperRows(t, p)
	if last := rows[len(rows)-1]; len(last.Cells) != 1 || last.Cells[0].Method != "original" {
		t.Errorf("%+v", last)
	}
}

// TestPaperNoData runs a table of NORB on random images.
func TestPaperNoData(t *testing.T) {
	table, _ := LookupPaperTable(7)
	table = table.Scaled(0.01)
	p := &Paper{
		Table: table, Scale: 0.01, Data: RandomImages, Train: RandomNORB(table.Samples(), 3),
		Variants: []Variant{{Method: blsupdate.Improved, Form: blsupdate.Paper}, {Method: blsupdate.Improved, Form: blsupdate.Small}}, Planner: -1,
		Update: blsupdate.Options{Lambda: 1e-6, Backend: blskernel.Default()}, Seeds: []uint64{1},
	}
	for _, r := range paperRows(t, p) {
		for i, c := range r.Cells {
			form := []string{"large", "small"}[i]
			if r.Step == 0 {
				form = ""
			}
			if c.Accuracy != nil || !(c.Seconds > 0) || c.Form != form {
				t.Errorf("row %d: %+v", r.Step, c)
			}
		}
	}
	p.Table.Initial = 10 // fewer than the nodes
	var rank *blsupdate.RankError
	if err := p.Run(context.Background(), nil, nil); !errors.As(err, &rank) {
		t.Errorf("a start from 10 samples: %v", err)
	}
}

// TestPaperFlops compares the paper's formulas with what was counted.
func TestPaperFlops(t *testing.T) {
	for _, name := range blskernel.Names() {
		b, err := blskernel.Lookup(name)
		testutil.NoError(t, err)
		for _, q := range []int{1, 7, 12, 13, 40} {
			c, err := PaperFlops(context.Background(), 50, 12, q, blsupdate.Options{Backend: b}, 5)
			testutil.NoError(t, err)
			for _, s := range c.Steps {
				for _, f := range []FlopsCount{s.Original, s.Improved} {
					if !(math.Abs(f.Counted-f.Paper) <= 1e-12*f.Paper) || !(f.Paper > 0) {
						t.Errorf("%s, q=%d, %s: %v by the paper's %s, %v counted", name, q, s.Step, f.Paper, f.Formula, f.Counted)
					}
				}
			}
			if c.Seed != 5 || c.Backend != name {
				t.Errorf("%+v", c)
			}
			if form := c.Steps[1].Improved.Formula; strings.Contains(form, "k²") != (q > 12) {
				t.Errorf("q=%d: the inner product is %s", q, form)
			}
		}
	}
}

// TestPaperFlopsArguments has sizes that make no update, and the default backend.
func TestPaperFlopsArguments(t *testing.T) {
	for _, s := range [][3]int{{4, 5, 1}, {5, 0, 1}, {5, 5, 0}} {
		if _, err := PaperFlops(context.Background(), s[0], s[1], s[2], blsupdate.Options{}, 1); err == nil {
			t.Errorf("%v: no error", s)
		}
	}
	if c, err := PaperFlops(context.Background(), 9, 4, 2, blsupdate.Options{}, 1); err != nil || c.Backend != blskernel.Default().Name() {
		t.Errorf("%+v, %v", c, err)
	}
}
