package report

import (
	"fmt"
	"slices"
	"strings"

	"blskernel/bench/result"
)

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
		result.Conditions
		version string
	}
	at := map[row]int{}
	for _, f := range files {
		for _, m := range f.Machines {
			if m.Command != "" && !slices.Contains(commands, m.Command) {
				commands = append(commands, m.Command)
			}
			r := row{m.Conditions(), m.Version}
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
			cells := []string{m.CPU, r.Backends, andThreads(r.Threads), fmt.Sprint(m.GOMAXPROCS), m.Kernel, m.OpenBLAS, m.Go, m.Version, date}
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
