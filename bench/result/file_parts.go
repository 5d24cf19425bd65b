package result

import "slices"

// counts says how many of each kind there are.
type counts struct {
	tables, flops, cells, costs, agreements, crossovers int
}

func (f *File) counts() counts {
	return counts{len(f.Tables), len(f.Flops), len(f.Cells), len(f.Costs), len(f.Agreements), len(f.Crossovers)}
}

// attribute notes on a table that the last machine has a row of it.
func (f *File) attribute(t *Table) {
	if n := len(f.Machines); n > t.last {
		t.Continued = append(t.Continued, f.Machines[n-1])
		t.last = n
	}
}

// Parts returns the file command by command: for each machine a file with that one alone and the lines
// below it, up to the next machine, and before them, if there are any, the lines above the first
// machine. A table is with all of its rows in the part of the command that began it. The parts share
// the storage of f.
func (f *File) Parts() []*File {
	begins := slices.Concat([]counts{{}}, f.begins, []counts{f.counts()})
	var parts []*File
	for i := range len(begins) - 1 {
		from, to := begins[i], begins[i+1]
		p := &File{
			Name:   f.Name,
			Tables: f.Tables[from.tables:to.tables], Flops: f.Flops[from.flops:to.flops], Cells: f.Cells[from.cells:to.cells],
			Costs: f.Costs[from.costs:to.costs], Agreements: f.Agreements[from.agreements:to.agreements],
			Crossovers: f.Crossovers[from.crossovers:to.crossovers],
		}
		if i > 0 {
			p.Machines = f.Machines[i-1 : i]
		} else if from == to {
			continue
		}
		parts = append(parts, p)
	}
	return parts
}
