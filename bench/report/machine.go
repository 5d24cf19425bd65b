package report

import (
	"fmt"
	"slices"
	"strings"

	"blskernel/bench/result"
)

// place is what makes times comparable: they are joined only where it is the same.
type place struct {
	cpu, backends, kernel, openblas, platform, threads string
	processors                                         int
	shown                                              string // the CPU, where a page has several
}

func placeOf(m result.Machine) place {
	return place{
		cpu: m.CPU, backends: strings.Join(m.Backends, ", "), kernel: m.Kernel, openblas: m.OpenBLAS, platform: m.Go,
		threads: threadNumbers(m), processors: m.GOMAXPROCS,
	}
}

// threadNumbers writes the numbers of threads that were used.
func threadNumbers(m result.Machine) string {
	var numbers []string
	for _, n := range m.Threads {
		numbers = append(numbers, fmt.Sprint(n))
	}
	return list(numbers)
}

// String says what most differs between places.
func (p place) String() string {
	name := p.backends
	if name == "" {
		name = "unknown backend"
	}
	switch p.threads {
	case "":
	case "1":
		name += ", 1 thread"
	default:
		name += ", " + p.threads + " threads"
	}
	return name + on(p.shown)
}

// machineTable returns a row for each place and version, and the commands that were run there.
func machineTable(files []*result.File) (t table, commands []string) {
	t = table{
		Caption: "Machines and versions",
		Columns: []column{
			{Head: "CPU", Text: true}, {Head: "backend", Text: true}, {Head: "threads"}, {Head: "processors"},
			{Head: "kernel", Text: true}, {Head: "OpenBLAS", Text: true}, {Head: "Go", Text: true}, {Head: "version", Text: true}, {Head: "date, UTC", Text: true},
		},
	}
	type row struct {
		place
		version string
	}
	at := map[row]int{}
	for _, f := range files {
		for _, m := range f.Machines {
			if m.Command != "" && !slices.Contains(commands, m.Command) {
				commands = append(commands, m.Command)
			}
			r := row{placeOf(m), m.Version}
			date := m.Date.UTC().Format("2006-01-02")
			if m.Date.IsZero() {
				date = absent
			}
			if i, ok := at[r]; ok {
				last := &t.Rows[i][len(t.Columns)-1]
				if !strings.Contains(*last, date) {
					*last += ", " + date
				}
				continue
			}
			at[r] = len(t.Rows)
			cells := []string{m.CPU, strings.Join(m.Backends, ", "), threadNumbers(m), fmt.Sprint(m.GOMAXPROCS), m.Kernel, m.OpenBLAS, m.Go, m.Version, date}
			for i, c := range cells {
				if c == "" {
					cells[i] = absent
				}
			}
			t.Rows = append(t.Rows, cells)
		}
	}
	return t, commands
}

// origins names the CPU of each file where files are of more than one, so that what was measured on one is not mixed
// with what was measured on another.
func origins(files []*result.File) map[*result.File]string {
	of := map[*result.File]string{}
	seen := map[string]bool{}
	for _, f := range files {
		if len(f.Machines) > 0 {
			of[f] = f.Machines[len(f.Machines)-1].CPU
			seen[of[f]] = true
		}
	}
	if len(seen) < 2 {
		return map[*result.File]string{}
	}
	return of
}

// on names an origin at the end of a title.
func on(origin string) string {
	if origin == "" {
		return ""
	}
	return " on " + origin
}
