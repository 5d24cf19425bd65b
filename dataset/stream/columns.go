package stream

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A choice is the columns of the inputs, of the targets and of the weights, as positions from 0.
type choice struct {
	inputs, targets []int
	weights         []int // at most one
	kept            []int // as text; they can be any of the others, too
}

// A request selects columns of a file.
type request struct {
	inputs, targets []string
	exclude         []string // columns that are no inputs
	weight          string   // the column of the weights, empty without one
	keep            []string // columns that are kept as text
	targetsOnly     bool     // a file of targets: no inputs, and without targets every column is one
}

// all reports whether q selects every column as an input.
func (q *request) all() bool {
	return !q.targetsOnly && q.inputs == nil && len(q.targets) == 0 && len(q.exclude) == 0 && len(q.keep) == 0 && q.weight == ""
}

// named reports whether q selects a column by name, which needs a header.
func (q *request) named() bool {
	all := slices.Concat(q.inputs, q.targets, q.exclude, q.keep)
	if q.weight != "" {
		all = append(all, q.weight)
	}
	return slices.ContainsFunc(all, func(spec string) bool { return !isPositions(spec) })
}

// choose finds the columns of q among width columns with the given names, nil for none. Its error has
// What and, for the fault of a column, Column and Name.
func (q *request) choose(names []string, width int) (choice, error) {
	var c choice
	taken := map[int]bool{}
	var err error
	if c.targets, err = pick(q.targets, names, width, taken); err != nil {
		return c, err
	}
	if q.weight != "" {
		if c.weights, err = pick([]string{q.weight}, names, width, taken); err != nil {
			return c, err
		}
		if len(c.weights) > 1 {
			return c, Errorf("columns %s are the weights of the samples; name one column", q.weight)
		}
	}
	if c.kept, err = pick(q.keep, names, width, map[int]bool{}); err != nil {
		return c, err
	}
	out := map[int]bool{}
	for _, spec := range q.exclude {
		from, to, err := span(spec, names, width)
		if err != nil {
			return c, err
		}
		for col := from; col <= to; col++ {
			if taken[col] {
				return c, &Error{Column: col + 1, Name: nameOf(names, col), What: "is excluded, and is a target or the weight; name it once"}
			}
			out[col] = true
		}
	}
	switch {
	case q.targetsOnly && len(q.targets) == 0:
		c.targets = rest(width, nil)
	case q.targetsOnly:
	case q.inputs == nil:
		c.inputs = rest(width, taken)
	default:
		c.inputs, err = pick(q.inputs, names, width, taken)
		if err == nil && len(c.inputs) == 0 {
			err = Errorf("an empty list of input columns; name at least one, or give no list for every column but the targets")
		}
	}
	if err != nil || q.targetsOnly {
		return c, err
	}
	if c.inputs = slices.DeleteFunc(c.inputs, func(col int) bool { return out[col] }); len(c.inputs) == 0 {
		return c, Errorf("every column is a target, the weight or excluded; leave at least one for the inputs")
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

// nameOf returns the name of a column, empty without one.
func nameOf(names []string, col int) string {
	if col < len(names) {
		return names[col]
	}
	return ""
}

// namesOf returns the names of columns, nil without names.
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

// keptNames returns the names of kept columns, or their numbers from 1 without names.
func keptNames(names []string, kept []int) (out []string) {
	for _, col := range kept {
		out = append(out, cmp.Or(nameOf(names, col), strconv.Itoa(col+1)))
	}
	return out
}

// pick returns the positions that specs name, and adds them to taken.
func pick(specs, names []string, width int, taken map[int]bool) ([]int, error) {
	var out []int
	for _, spec := range specs {
		from, to, err := span(spec, names, width)
		if err != nil {
			return nil, err
		}
		for col := from; col <= to; col++ {
			if taken[col] {
				return nil, &Error{Column: col + 1, Name: nameOf(names, col), What: "is named twice among inputs, targets and weight; name each column once"}
			}
			taken[col] = true
			out = append(out, col)
		}
	}
	return out, nil
}

// span returns the first and the last position of what one entry of Inputs or Targets names.
func span(spec string, names []string, width int) (from, to int, err error) {
	if isPositions(spec) {
		return positions(spec, width)
	}
	from, err = byName(spec, names)
	return from, from, err
}

// byName returns the position of the only column with that name.
func byName(name string, names []string) (int, error) {
	at := slices.Index(names, name)
	switch {
	case names == nil:
		return 0, Errorf("a column named %s is selected, but the columns have no names; give its number from 1", shorten(name))
	case at < 0:
		return 0, Errorf("has no column named %s; it has %s", shorten(name), listNames(names))
	case slices.Contains(names[at+1:], name):
		return 0, Errorf("has more than one column named %s; give its number from 1", shorten(name))
	}
	return at, nil
}

// listNames shows the first names.
func listNames(names []string) string {
	const shown = 8
	var parts []string
	for _, name := range names[:min(shown, len(names))] {
		parts = append(parts, shorten(name))
	}
	if len(names) > shown {
		parts = append(parts, fmt.Sprintf("and %d more", len(names)-shown))
	}
	return strings.Join(parts, ", ")
}

// isPositions reports whether spec is n, n-m or n- in digits.
func isPositions(spec string) bool {
	first, last, _ := strings.Cut(spec, "-")
	return first != "" && strings.Trim(first+last, "0123456789") == ""
}

// positions reads a spec for which isPositions holds.
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
		return 0, 0, Errorf("columns %s are selected, but there are %d", spec, width)
	case from < 1:
		return 0, 0, Errorf("columns %s are selected, but the first column is number 1", spec)
	case to < from:
		return 0, 0, Errorf("columns %s: the first comes after the last", spec)
	}
	return from - 1, to - 1, nil
}
