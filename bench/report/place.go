package report

import (
	"cmp"
	"fmt"
	"strings"

	"blskernel/bench/result"
)

// A place is the conditions of a measurement. Times are joined only where they are equal.
type place struct{ result.Conditions }

// placeOf returns the place of a part, which has at most one machine.
func placeOf(part *result.File) place {
	if len(part.Machines) == 0 {
		return place{}
	}
	return place{part.Machines[0].Conditions()}
}

// String returns the backend, its kernel, the number of threads and the CPU.
func (p place) String() string { return p.with(p.Backends) }

// with is String for one of several backends.
func (p place) with(backend string) string {
	name := cmp.Or(backend, "unknown backend")
	if p.Kernel != "" && strings.HasPrefix(backend, "pure") {
		name += " (" + p.Kernel + ")"
	}
	if p.Threads == "1" {
		name += ", 1 thread"
	} else if p.Threads != "" {
		name += ", " + p.Threads + " threads"
	}
	return name + p.beside() + p.cpu()
}

// beside returns what kept CPUs busy meanwhile.
func (p place) beside() string {
	if p.Beside == 0 {
		return ""
	}
	return fmt.Sprintf(", beside busy processes: %d", p.Beside)
}

// cpu returns where a place is.
func (p place) cpu() string {
	if p.CPU == "" {
		return ""
	}
	return " on " + strings.NewReplacer("(R)", "", " Processor", "").Replace(p.CPU)
}

// machineTable returns a row for each place and version, and the commands that ran there.
func machineTable(files []*result.File) (t Table, commands []string) {
	t = Table{Columns: []string{
		"CPU", "backend", "threads", "processors", "kernel", "OpenBLAS", "Go", "version", "date, UTC",
	}}
	type row struct {
		result.Conditions
		version string
	}
	var dates ordered[row, []string]
	for _, f := range files {
		for _, m := range f.Machines {
			if m.Command != "" {
				commands = append(commands, strings.Join(strings.Fields(m.Command), " "))
			}
			if of := dates.at(row{m.Conditions(), m.Version}); !m.Date.IsZero() {
				*of = append(*of, m.Date.UTC().Format("2006-01-02"))
			}
		}
	}
	for r, of := range dates.all {
		cells := []string{
			r.CPU, r.Backends, r.Threads + place{r.Conditions}.beside(), fmt.Sprint(r.GOMAXPROCS), r.Kernel, r.OpenBLAS, r.Go, r.version,
			strings.Join(unique(*of), ", "),
		}
		for i := range cells {
			cells[i] = cmp.Or(cells[i], absent)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t, unique(commands)
}
