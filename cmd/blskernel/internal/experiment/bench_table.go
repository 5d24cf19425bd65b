package experiment

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"blskernel/bench/result"
	"blskernel/bench/speed"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/elementary"
)

// machine describes what a comparison runs on.
type machine struct {
	result.Machine
	Opponents  []string `json:"opponents,omitempty"`
	Missing    string   `json:"missing,omitempty"` // why OpenBLAS is not available, or has no LAPACK
	Rounds     int      `json:"rounds"`
	MinSeconds float64  `json:"min_seconds"` // of one timing
}

func newMachine(command string, c *speed.Comparison) machine {
	m := machine{
		Machine:   result.Here(command, c.Backends...),
		Opponents: c.Opponents, Rounds: c.Rounds, MinSeconds: c.MinTime.Seconds(),
	}
	m.Threads = c.Threads
	if _, err := speed.Library(nil); err != nil {
		m.Missing = err.Error()
	}
	return m
}

// A cellPrinter prints the cells of a comparison as they come, between a head and a summary.
type cellPrinter interface {
	head(m machine) error
	print(r speed.Result) error
	foot(ratios []speed.Ratio, shares []speed.Share) error
}

// jsonCells prints an object for the machine, each cell and each line of the summary.
type jsonCells struct{ w io.Writer }

func (j jsonCells) head(m machine) error       { return result.Write(j.w, "machine", m) }
func (j jsonCells) print(r speed.Result) error { return result.Write(j.w, "cell", r) }

func (j jsonCells) foot(ratios []speed.Ratio, shares []speed.Share) error {
	for _, r := range ratios {
		if err := result.Write(j.w, "ratio", r); err != nil {
			return err
		}
	}
	for _, s := range shares {
		if err := result.Write(j.w, "share", s); err != nil {
			return err
		}
	}
	return nil
}

// speedTable prints a line for each cell.
type speedTable struct {
	w      io.Writer
	width  int      // of the names of the operations
	names  []string // of the backends and opponents above the columns
	groups []ui.Group[speed.Result]
}

// head prints the machine and the settings.
func (t *speedTable) head(m machine) error {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%-10s %s\n", name, text)
		}
	}
	line("cpu", strings.TrimSpace(m.CPU+" "+strings.Join(m.Features, " ")))
	line("kernel", m.Kernel)
	line("backends", strings.Join(m.Backends, ", "))
	line("opponents", strings.Join(m.Opponents, ", "))
	line("openblas", m.OpenBLAS)
	line("not usable", m.Missing)
	line("go", fmt.Sprintf("%s, GOMAXPROCS %d", m.Go, m.GOMAXPROCS))
	line("medians", fmt.Sprintf("over rounds: %d, each timing at least %g ms", m.Rounds, 1e3*m.MinSeconds))
	if m.Beside > 0 {
		line("beside", fmt.Sprintf("processes that keep a CPU busy: %d", m.Beside))
	}
	if len(m.Backends)+len(m.Opponents) > 1 {
		line("ratio", fmt.Sprintf("speed of %s as a multiple of the other's", m.Backends[0]))
	}
	_, err := io.WriteString(t.w, b.String())
	return err
}

// columns sets the columns for cells of these backends and opponents.
func (t *speedTable) columns(names []string) {
	type result = speed.Result
	left := func(head string, width int, cell func(r result) string) ui.Group[result] {
		return ui.One(fmt.Sprintf("%-*s", width, head), func(r result) string { return fmt.Sprintf("%-*s", width, cell(r)) })
	}
	t.names = names
	t.groups = []ui.Group[result]{
		left("operation", t.width, func(r result) string { return r.Op }),
		left("case", 0, func(r result) string { return cmp.Or(r.Args, "-") }),
		left("shape", 15, func(r result) string { return r.Shape().String() }),
		ui.One("threads", func(r result) string { return speed.ThreadsName(r.Threads) }),
		ui.Each("GFLOP/s", names, func(r result, i int) string { return gflops(r.Backends[i].GFLOPS) }),
	}
	if len(names) > 1 {
		ratio := func(r result, i int) string { return fmt.Sprintf("%.3f", r.Backends[i+1].Ratio) }
		t.groups = append(t.groups, ui.Each("ratio", names[1:], ratio))
	}
	t.groups = append(t.groups,
		ui.Each("of peak", names, func(r result, i int) string { return fmt.Sprintf("%.3f", r.Backends[i].OfPeak) }),
		ui.Each("peak", []string{"GFLOP/s"}, func(r result, _ int) string { return gflops(r.Peak) }))
}

// print prints the cell, below heads if its columns are not those of the cell before.
func (t *speedTable) print(r speed.Result) error {
	var names []string
	for _, timing := range r.Backends {
		names = append(names, timing.Backend)
	}
	heads := ""
	if !slices.Equal(names, t.names) {
		t.columns(names)
		heads = "\n" + ui.Heads(t.groups)
	}
	_, err := io.WriteString(t.w, heads+ui.Line(t.groups, r))
	return err
}

// gflops writes a speed in four digits, with no more than three decimals.
func gflops(v float64) string {
	decimals := 3
	if v >= 1 {
		decimals = max(0, 3-int(elementary.Log10(v)))
	}
	return fmt.Sprintf("%.*f", decimals, v)
}

// foot prints the summary.
func (t *speedTable) foot(ratios []speed.Ratio, shares []speed.Share) error {
	w := tabwriter.NewWriter(t.w, 0, 0, 2, ' ', 0)
	if len(ratios) > 0 {
		fmt.Fprintln(w, "\noperation\tcase\tthreads\tspeed over\tcells\tgeometric mean\tlowest\tat")
	}
	for _, r := range ratios {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s / %s\t%d\t%.3f\t%.3f\t%s\n",
			r.Op, cmp.Or(r.Args, "all"), speed.ThreadsName(r.Threads), r.Backend, r.Against, r.Cells, r.Mean, r.Worst, r.At)
	}
	var shapes []string
	inverses := slices.ContainsFunc(shares, func(s speed.Share) bool { return s.Memory > 0 })
	for _, s := range shares {
		if !slices.Equal(s.Shapes, shapes) {
			shapes = s.Shapes
			fmt.Fprintf(w, "\nshare of the peak by shape\noperation\tcase\tthreads\tbackend\t%s", strings.Join(shapes, "\t"))
			if inverses {
				fmt.Fprint(w, "\tmemory")
			}
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s", s.Op, cmp.Or(s.Args, "all"), speed.ThreadsName(s.Threads), s.Backend)
		for _, share := range s.OfPeak {
			fmt.Fprintf(w, "\t%.3f", share)
		}
		switch {
		case s.Memory > 0:
			fmt.Fprintf(w, "\t%.3f", s.Memory)
		case inverses:
			fmt.Fprint(w, "\t-")
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}
