package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"

	"blskernel"
	"blskernel/bench/speed"
	"blskernel/internal/kernel"

	"github.com/klauspost/cpuid/v2"
)

// machine is what a comparison runs on.
type machine struct {
	CPU        string   `json:"cpu"`
	Features   []string `json:"features"`
	Kernel     string   `json:"kernel,omitempty"` // of the backend pure
	Go         string   `json:"go"`
	GOMAXPROCS int      `json:"gomaxprocs"`
	Backends   []string `json:"backends"`
	OpenBLAS   string   `json:"openblas,omitempty"` // its version
	Missing    string   `json:"missing,omitempty"`  // why it is not usable
	Threads    []int    `json:"threads"`
	Rounds     int      `json:"rounds"`
	MinSeconds float64  `json:"min_seconds"` // of one timing
}

func newMachine(c *speed.Comparison) machine {
	m := machine{
		CPU: cmp.Or(strings.TrimSpace(cpuid.CPU.BrandName), "unknown"), Features: kernel.Features(),
		Go:         fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH),
		GOMAXPROCS: runtime.GOMAXPROCS(0), Threads: c.Threads, Rounds: c.Rounds, MinSeconds: c.MinTime.Seconds(),
	}
	for _, b := range c.Backends {
		m.Backends = append(m.Backends, b.Name())
		if k, err := kernel.Selected(); err == nil && b.Name() == "pure" {
			m.Kernel = k.Name
		}
		if v, ok := b.(interface{ Version() string }); ok {
			m.OpenBLAS = v.Version()
		}
	}
	if _, err := blskernel.Lookup("openblas"); err != nil {
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
type jsonCells struct {
	w       io.Writer
	summary bool
}

func (j jsonCells) head(m machine) error {
	return json.NewEncoder(j.w).Encode(struct {
		Kind string `json:"kind"`
		machine
	}{"machine", m})
}

func (j jsonCells) print(r speed.Result) error {
	return json.NewEncoder(j.w).Encode(struct {
		Kind string `json:"kind"`
		speed.Result
	}{"cell", r})
}

func (j jsonCells) foot(ratios []speed.Ratio, larges []speed.Large) error {
	enc := json.NewEncoder(j.w)
	for _, r := range ratios {
		if err := enc.Encode(struct {
			Kind string `json:"kind"`
			speed.Ratio
		}{"ratio", r}); err != nil {
			return err
		}
	}
	for _, l := range larges {
		if err := enc.Encode(struct {
			Kind string `json:"kind"`
			speed.Large
		}{"large", l}); err != nil {
			return err
		}
	}
	return nil
}

// speedTable prints a line for each cell.
type speedTable struct {
	w       io.Writer
	summary bool
	names   []string // of the backends
}

// cellLine are the columns that say which cell it is.
const cellLine = "%-9s %-4s %-15s %7v"

// head says what is measured on what, and prints the heads of the columns.
func (t *speedTable) head(m machine) error {
	t.names = m.Backends
	var b strings.Builder
	fmt.Fprintf(&b, "cpu        %s\n", strings.TrimSpace(m.CPU+" "+strings.Join(m.Features, " ")))
	if m.Kernel != "" {
		fmt.Fprintf(&b, "kernel     %s, of the backend pure\n", m.Kernel)
	}
	fmt.Fprintf(&b, "backends   %s\n", strings.Join(m.Backends, ", "))
	if m.OpenBLAS != "" {
		fmt.Fprintf(&b, "openblas   %s\n", m.OpenBLAS)
	}
	if m.Missing != "" {
		fmt.Fprintf(&b, "not usable %s\n", m.Missing)
	}
	fmt.Fprintf(&b, "go         %s, GOMAXPROCS %d\n", m.Go, m.GOMAXPROCS)
	fmt.Fprintf(&b, "medians    over rounds: %d, each timing at least %g ms\n", m.Rounds, 1e3*m.MinSeconds)
	if len(m.Backends) > 1 {
		fmt.Fprintf(&b, "ratio      speed of %s as a multiple of the other's\n", m.Backends[0])
	}
	if !t.summary {
		all, others := m.Backends, m.Backends[1:]
		b.WriteString("\n")
		b.WriteString(t.line(fmt.Sprintf(cellLine, "", "", "", ""), t.titles()))
		b.WriteString(t.line(fmt.Sprintf(cellLine, "operation", "case", "shape", "threads"), [][]string{all, others, all, {"GFLOP/s"}}))
	}
	_, err := io.WriteString(t.w, b.String())
	return err
}

// titles returns what stands above the groups of columns.
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

// line returns a line: which cell it is, and groups of columns as wide as the names of backends.
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

func (t *speedTable) print(r speed.Result) error {
	var speeds, ratios, ofPeak []string
	for i, timing := range r.Backends {
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
	line := t.line(fmt.Sprintf(cellLine, r.Op, args, r.Shape(), r.Threads), [][]string{speeds, ratios, ofPeak, {gflops(r.Peak)}})
	_, err := io.WriteString(t.w, line)
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

// foot sums up.
func (t *speedTable) foot(ratios []speed.Ratio, larges []speed.Large) error {
	var b strings.Builder
	if len(ratios) > 0 {
		b.WriteString("\noperation threads  speed over                 cells  geometric mean    worst  at\n")
	}
	for _, r := range ratios {
		fmt.Fprintf(&b, "%-9s %7d  %-25s %6d %15.3f %8.3f  %s\n", r.Op, r.Threads, r.Backend+" / "+r.Against, r.Cells, r.Mean, r.Worst, r.At)
	}
	if len(larges) > 0 {
		b.WriteString("\nall sizes 1000 or more                          of peak                     over 1 thread\n")
		b.WriteString("operation threads  backend              cells     worst  at               geometric mean    worst  at\n")
	}
	for _, l := range larges {
		line := fmt.Sprintf("%-9s %7d  %-19s %6d %9.3f  %-15s", l.Op, l.Threads, l.Backend, l.Cells, l.OfPeak, l.OfPeakAt)
		if l.Speedup > 0 {
			line += fmt.Sprintf(" %15.3f %8.3f  %s", l.Speedup, l.WorstSpeedup, l.SpeedupAt)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(t.w, b.String())
	return err
}
