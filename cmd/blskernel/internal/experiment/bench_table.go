package experiment

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"blskernel/bench/result"
	"blskernel/bench/speed"
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
	m := machine{Machine: result.Here(command, c.Backends...), Opponents: c.Opponents, Rounds: c.Rounds, MinSeconds: c.MinTime.Seconds()}
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
	foot(ratios []speed.Ratio, larges []speed.Large) error
}

// jsonCells prints an object for the machine, each cell and each line of the summary.
type jsonCells struct{ w io.Writer }

func (j jsonCells) head(m machine) error       { return result.Write(j.w, "machine", m) }
func (j jsonCells) print(r speed.Result) error { return result.Write(j.w, "cell", r) }

func (j jsonCells) foot(ratios []speed.Ratio, larges []speed.Large) error {
	for _, r := range ratios {
		if err := result.Write(j.w, "ratio", r); err != nil {
			return err
		}
	}
	for _, l := range larges {
		if err := result.Write(j.w, "large", l); err != nil {
			return err
		}
	}
	return nil
}

// speedTable prints a line for each cell.
type speedTable struct {
	w     io.Writer
	width int      // of the operations' names and their head
	names []string // of the backends and opponents above the columns
}

// cell returns the columns that name a cell.
func (t *speedTable) cell(op, args, shape string, threads any) string {
	return fmt.Sprintf("%-*s %-4s %-15s %7v", t.width, op, args, shape, threads)
}

// head prints the machine and the settings.
func (t *speedTable) head(m machine) error {
	var b strings.Builder
	fmt.Fprintf(&b, "cpu        %s\n", strings.TrimSpace(m.CPU+" "+strings.Join(m.Features, " ")))
	if m.Kernel != "" {
		fmt.Fprintf(&b, "kernel     %s, of the backend pure\n", m.Kernel)
	}
	fmt.Fprintf(&b, "backends   %s\n", strings.Join(m.Backends, ", "))
	if len(m.Opponents) > 0 {
		fmt.Fprintf(&b, "opponents  %s\n", strings.Join(m.Opponents, ", "))
	}
	if m.OpenBLAS != "" {
		fmt.Fprintf(&b, "openblas   %s\n", m.OpenBLAS)
	}
	if m.Missing != "" {
		fmt.Fprintf(&b, "not usable %s\n", m.Missing)
	}
	fmt.Fprintf(&b, "go         %s, GOMAXPROCS %d\n", m.Go, m.GOMAXPROCS)
	fmt.Fprintf(&b, "medians    over rounds: %d, each timing at least %g ms\n", m.Rounds, 1e3*m.MinSeconds)
	if len(m.Backends)+len(m.Opponents) > 1 {
		fmt.Fprintf(&b, "ratio      speed of %s as a multiple of the other's\n", m.Backends[0])
	}
	_, err := io.WriteString(t.w, b.String())
	return err
}

// columns returns the heads of the columns.
func (t *speedTable) columns() string {
	all, others := t.names, t.names[1:]
	return "\n" + t.line(t.cell("", "", "", ""), t.titles()) +
		t.line(t.cell("operation", "case", "shape", "threads"), [][]string{all, others, all, {"GFLOP/s"}})
}

// titles returns the titles of the groups of columns.
func (t *speedTable) titles() [][]string {
	group := func(title string, n int) []string {
		cells := make([]string, n)
		if n > 0 {
			cells[0] = title
		}
		return cells
	}
	n := len(t.names)
	return [][]string{group("GFLOP/s", n), group("ratio", n-1), group("of peak", n), {"peak"}}
}

// line returns a line: the cell, and groups of columns as wide as the names above them.
func (t *speedTable) line(cell string, groups [][]string) string {
	var b strings.Builder
	b.WriteString(cell)
	for g, cells := range groups {
		if len(cells) > 0 {
			b.WriteString(" ")
		}
		for i, c := range cells {
			width := 8
			switch g {
			case 0, 2:
				width = max(width, len(t.names[i]))
			case 1:
				width = max(width, len(t.names[i+1]))
			}
			fmt.Fprintf(&b, " %*s", width, c)
		}
	}
	return strings.TrimRight(b.String(), " ") + "\n"
}

// print prints the cell, below heads if its columns are not those of the cell before.
func (t *speedTable) print(r speed.Result) error {
	var names, speeds, ratios, ofPeak []string
	for i, timing := range r.Backends {
		names = append(names, timing.Backend)
		speeds = append(speeds, gflops(timing.GFLOPS))
		ofPeak = append(ofPeak, fmt.Sprintf("%.3f", timing.OfPeak))
		if i > 0 {
			ratios = append(ratios, fmt.Sprintf("%.3f", timing.Ratio))
		}
	}
	args := r.Args
	if args == "" {
		args = "-"
	}
	heads := ""
	if !slices.Equal(names, t.names) {
		t.names = names
		heads = t.columns()
	}
	line := t.line(t.cell(r.Op, args, r.Shape().String(), r.Threads), [][]string{speeds, ratios, ofPeak, {gflops(r.Peak)}})
	_, err := io.WriteString(t.w, heads+line)
	return err
}

// gflops writes a speed in four digits, with no more than three decimals.
func gflops(v float64) string {
	decimals := 3
	if v >= 1 {
		decimals = max(0, 3-int(math.Log10(v)))
	}
	return fmt.Sprintf("%.*f", decimals, v)
}

// foot prints the summary.
func (t *speedTable) foot(ratios []speed.Ratio, larges []speed.Large) error {
	var b strings.Builder
	op, over, name := t.width, 25, 19
	for _, r := range ratios {
		over = max(over, len(r.Backend+" / "+r.Against))
	}
	for _, l := range larges {
		name = max(name, len(l.Backend))
	}
	if len(ratios) > 0 {
		fmt.Fprintf(&b, "\n%-*s threads  %-*s  cells  geometric mean    worst  at\n", op, "operation", over, "speed over")
	}
	for _, r := range ratios {
		fmt.Fprintf(&b, "%-*s %7d  %-*s %6d %15.3f %8.3f  %s\n", op, r.Op, r.Threads, over, r.Backend+" / "+r.Against, r.Cells, r.Mean, r.Worst, r.At)
	}
	inverses := slices.ContainsFunc(larges, func(l speed.Large) bool { return l.Memory > 0 })
	if len(larges) > 0 {
		memory, most := "", ""
		if inverses {
			memory, most = "    at most", "     memory"
		}
		fmt.Fprintf(&b, "\n%-*s   of peak                 %s    over 1 thread\n", op+name+17, "all sizes 1000 or more", memory)
		fmt.Fprintf(&b, "%-*s threads  %-*s  cells     worst  at             %s  geometric mean    worst  at\n", op, "operation", name, "backend", most)
	}
	for _, l := range larges {
		line := fmt.Sprintf("%-*s %7d  %-*s %6d %9.3f  %-15s", op, l.Op, l.Threads, name, l.Backend, l.Cells, l.OfPeak, l.OfPeakAt)
		switch {
		case l.Memory > 0:
			line += fmt.Sprintf(" %10.3f", l.Memory)
		case inverses:
			line += fmt.Sprintf(" %10s", "-")
		}
		if l.Speedup > 0 {
			line += fmt.Sprintf(" %15.3f %8.3f  %s", l.Speedup, l.WorstSpeedup, l.SpeedupAt)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(t.w, b.String())
	return err
}
