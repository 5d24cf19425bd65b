package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"blskernel/bench/result"
)

// A place is the conditions of a measurement. Times are joined only where they are equal.
type place struct {
	result.Conditions
	shown string // the conditions that differ within the page and are not in String
}

// String returns the backend, the number of threads and what else differs within the page.
func (p place) String() string { return p.with(p.Backends) }

// with is String for one of several backends.
func (p place) with(backend string) string {
	name := cmp.Or(backend, "unknown backend")
	switch p.Threads {
	case "":
	case "1":
		name += ", 1 thread"
	default:
		name += ", " + strings.ReplaceAll(p.Threads, ", ", " and ") + " threads"
	}
	return name + p.shown
}

// places are the conditions of all parts.
type places []result.Conditions

func placesOf(parts []*result.File) places {
	var all places
	for _, f := range parts {
		if c := machineOf(f).Conditions(); !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// machineOf returns the machine of a part, or the zero value.
func machineOf(part *result.File) result.Machine {
	if len(part.Machines) == 0 {
		return result.Machine{}
	}
	return part.Machines[0]
}

// of returns the place of a machine. A kernel or a version that only one of two has, since it has
// another backend, is no difference.
func (all places) of(m result.Machine) place {
	p := place{Conditions: m.Conditions()}
	for _, d := range []struct {
		format string
		of     func(result.Conditions) string
	}{
		{" on %s", func(c result.Conditions) string { return c.CPU }},
		{", kernel %s", func(c result.Conditions) string { return c.Kernel }},
		{", OpenBLAS %s", func(c result.Conditions) string { return c.OpenBLAS }},
		{", %s", func(c result.Conditions) string { return c.Go }},
		{", GOMAXPROCS=%s", func(c result.Conditions) string { return fmt.Sprint(c.GOMAXPROCS) }},
	} {
		mine := d.of(p.Conditions)
		other := func(c result.Conditions) bool { return d.of(c) != "" && d.of(c) != mine }
		if mine != "" && slices.ContainsFunc(all, other) {
			p.shown += fmt.Sprintf(d.format, strings.NewReplacer("(R)", "", " Processor", "").Replace(mine))
		}
	}
	return p
}

// machineTable returns a row for each place and version, and the commands that ran there.
func machineTable(files []*result.File) (t Table, commands []string) {
	t = Table{Caption: "Machines and versions", Columns: texts(
		"CPU", "backend", "threads", "processors", "kernel", "OpenBLAS", "Go", "version", "date, UTC")}
	type row struct {
		result.Conditions
		version string
	}
	var dates ordered[row, []string]
	for _, f := range files {
		for _, m := range f.Machines {
			if m.Command != "" {
				commands = append(commands, m.Command)
			}
			if of := dates.at(row{m.Conditions(), m.Version}); !m.Date.IsZero() {
				*of = append(*of, m.Date.UTC().Format("2006-01-02"))
			}
		}
	}
	for r, of := range dates.all {
		cells := []string{
			r.CPU, r.Backends, r.Threads, fmt.Sprint(r.GOMAXPROCS), r.Kernel, r.OpenBLAS, r.Go, r.version,
			strings.Join(unique(*of), ", "),
		}
		for i := range cells {
			cells[i] = cmp.Or(cells[i], absent)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t, unique(commands)
}
