package stream

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"blskernel/internal/io/names"
)

// A choice holds the positions, from 0, of the columns that Options select.
type choice struct {
	inputs, targets []int
	weights         []int // at most one
	kept            []int // kept as text; they may be among the others
}

func (c *choice) runs() (runs [][2]int) {
	columns := slices.Concat(c.inputs, c.targets, c.weights)
	slices.Sort(columns)
	for _, col := range slices.Compact(columns) {
		if n := len(runs); n > 0 && runs[n-1][1] == col {
			runs[n-1][1]++
		} else {
			runs = append(runs, [2]int{col, col + 1})
		}
	}
	return runs
}

// named reports whether a column is selected by name, which needs a header.
func (o *Options) named() bool {
	all := o.Targets
	if !o.targetsOnly {
		all = slices.Concat(o.Inputs, o.Targets, o.Exclude, o.Keep, o.weights())
	}
	return slices.ContainsFunc(all, func(spec string) bool { return !isPositions(spec) })
}

func (o *Options) withoutTargets() *Options {
	without := *o
	without.Targets = nil
	return &without
}

func (o *Options) weights() []string {
	if o.Weight == "" {
		return nil
	}
	return []string{o.Weight}
}

// choose returns the columns that o selects among width columns. header holds the names of all columns,
// or is nil if they have none. The error has What and, if a column is at fault, Column and Name.
func (o *Options) choose(header []string, width int) (c choice, err error) {
	var at map[string]int
	if o.named() {
		at = names.Index(header)
	}
	taken := map[int]bool{}
	if c.targets, err = pick(o.Targets, header, at, width, taken); err != nil {
		return c, err
	}
	if o.targetsOnly {
		if len(o.Targets) == 0 {
			c.targets = rest(width, nil)
		}
		return c, nil
	}
	if c.weights, err = pick(o.weights(), header, at, width, taken); err != nil {
		return c, err
	}
	if len(c.weights) > 1 {
		return c, Errorf("columns %s are selected as the weight; name only one", o.Weight)
	}
	if c.kept, err = pick(o.Keep, header, at, width, map[int]bool{}); err != nil {
		return c, err
	}
	out := map[int]bool{}
	for _, spec := range o.Exclude {
		from, to, err := span(spec, header, at, width)
		if err != nil {
			return c, err
		}
		for col := from; col <= to; col++ {
			if taken[col] {
				return c, &Error{Column: col + 1, Name: nameOf(header, col), What: "is excluded, but is also a target or the weight; name it once"}
			}
			out[col] = true
		}
	}
	if o.Inputs == nil {
		c.inputs = rest(width, taken)
	} else if c.inputs, err = pick(o.Inputs, header, at, width, taken); err != nil {
		return c, err
	} else if len(c.inputs) == 0 {
		return c, Errorf("the list of input columns is empty; name at least one, or give no list to use every column except the targets and the weight")
	}
	if c.inputs = slices.DeleteFunc(c.inputs, func(col int) bool { return out[col] }); len(c.inputs) == 0 {
		return c, Errorf("no input column is left after the targets, the weight and the excluded columns; leave at least one")
	}
	return c, nil
}

func rest(width int, taken map[int]bool) []int {
	columns := make([]int, 0, width-len(taken))
	for col := range width {
		if !taken[col] {
			columns = append(columns, col)
		}
	}
	return columns
}

func nameOf(names []string, col int) string {
	if col < len(names) {
		return names[col]
	}
	return ""
}

func namesOf(names []string, columns []int) []string {
	if names == nil || columns == nil {
		return nil
	}
	out := make([]string, len(columns))
	for i, col := range columns {
		out[i] = names[col]
	}
	return out
}

// keptNames returns the names of kept columns, or their numbers, from 1, if they have none.
func keptNames(names []string, kept []int) (out []string) {
	for _, col := range kept {
		out = append(out, cmp.Or(nameOf(names, col), strconv.Itoa(col+1)))
	}
	return out
}

// pick returns the positions that specs select and adds them to taken. A position in taken is an error.
// at is the names.Index of header.
func pick(specs, header []string, at map[string]int, width int, taken map[int]bool) ([]int, error) {
	var out []int
	for _, spec := range specs {
		from, to, err := span(spec, header, at, width)
		if err != nil {
			return nil, err
		}
		for col := from; col <= to; col++ {
			if taken[col] {
				return nil, &Error{Column: col + 1, Name: nameOf(header, col), What: "is named twice among the inputs, the targets and the weight, or twice among the columns to keep; name it once"}
			}
			taken[col] = true
			out = append(out, col)
		}
	}
	return out, nil
}

// span returns the first and last position, from 0, selected by spec, an entry as in Options.Inputs.
func span(spec string, header []string, at map[string]int, width int) (from, to int, err error) {
	if isPositions(spec) {
		return positions(spec, width)
	}
	from, err = byName(spec, header, at)
	return from, from, err
}

// byName returns the position of name in header, where it must occur exactly once.
func byName(name string, header []string, at map[string]int) (int, error) {
	col, found := at[name]
	switch {
	case header == nil:
		return 0, Errorf("a column named %s is selected, but the columns have no names; select it by its number, counting from 1", names.Shorten(name))
	case !found && len(header) == 1 && strings.ContainsAny(header[0], ",;\t| "):
		return 0, Errorf("has no column named %s; it has only %s: is the separator of the cells right, and does the first line name the columns?", names.Shorten(name), names.List(header))
	case !found:
		return 0, Errorf("has no column named %s; it has %s", names.Shorten(name), names.List(header))
	case col < 0:
		return 0, Errorf("has more than one column named %s; select one by its number, counting from 1", names.Shorten(name))
	}
	return col, nil
}

// isPositions reports whether spec has the form n, n-m or n-, where n and m are decimal numbers.
func isPositions(spec string) bool {
	first, last, _ := strings.Cut(spec, "-")
	return first != "" && strings.Trim(first+last, "0123456789") == ""
}

// positions returns the first and the last position, from 0, that spec selects; see isPositions.
func positions(spec string, width int) (from, to int, err error) {
	first, last, isRange := strings.Cut(spec, "-")
	switch {
	case !isRange:
		last = first
	case last == "":
		last = strconv.Itoa(width)
	}
	from, errFrom := strconv.Atoi(first)
	to, errTo := strconv.Atoi(last)
	switch {
	case errFrom != nil || errTo != nil || from > width || to > width:
		return 0, 0, Errorf("the selection %s is out of range; the last column is %d", spec, width)
	case from < 1:
		return 0, 0, Errorf("the selection %s is out of range; columns are numbered from 1", spec)
	case to < from:
		return 0, 0, Errorf("the selection %s is not a range; put the lower column first", spec)
	}
	return from - 1, to - 1, nil
}
