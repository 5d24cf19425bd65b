package stream

import (
	"slices"
	"strconv"
	"strings"
)

// A choice is the columns of the inputs and of the targets, as positions from 0.
type choice struct {
	inputs, targets []int
}

// A request selects columns of a file.
type request struct {
	inputs, targets []string
	targetsOnly     bool // a file of targets: no inputs, and without targets every column is one
	inline          bool // nothing is read ahead
}

// named reports whether q selects a column by name, which needs a header.
func (q *request) named() bool {
	return slices.ContainsFunc(slices.Concat(q.inputs, q.targets), func(spec string) bool { return !isPositions(spec) })
}

// choose finds the columns of q among width columns with the given names, nil for none. Its error has
// What and, for the fault of a column, Column and Name.
func (q *request) choose(names []string, width int) (choice, error) {
	var c choice
	var err error
	if c.targets, err = pick(q.targets, names, width); err != nil {
		return c, err
	}
	if q.targetsOnly {
		if len(q.targets) == 0 {
			c.targets = upTo(width)
		}
		return c, nil
	}
	if q.inputs == nil {
		isTarget := set(c.targets)
		c.inputs = slices.DeleteFunc(upTo(width), func(col int) bool { return isTarget[col] })
		if len(c.inputs) == 0 {
			return c, faultf("every column is a target; leave at least one for the inputs")
		}
		return c, nil
	}
	if c.inputs, err = pick(q.inputs, names, width); err != nil {
		return c, err
	}
	if len(c.inputs) == 0 {
		return c, faultf("an empty list of input columns; name at least one, or give no list for every column but the targets")
	}
	isInput := set(c.inputs)
	for _, col := range c.targets {
		if isInput[col] {
			return c, &Error{Column: col + 1, Name: nameOf(names, col), What: "is both an input and a target; leave it out of one of them"}
		}
	}
	return c, nil
}

func set(columns []int) map[int]bool {
	in := make(map[int]bool, len(columns))
	for _, col := range columns {
		in[col] = true
	}
	return in
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
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

// pick returns the positions that specs name. No column may be named twice.
func pick(specs, names []string, width int) ([]int, error) {
	var out []int
	seen := map[int]bool{}
	for _, spec := range specs {
		from, to, err := span(spec, names, width)
		if err != nil {
			return nil, err
		}
		for col := from; col <= to; col++ {
			if seen[col] {
				return nil, &Error{Column: col + 1, Name: nameOf(names, col), What: "is named twice; name each column once"}
			}
			seen[col] = true
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
	if from, err = byName(spec, names); err == nil {
		return from, from, nil
	}
	for i, c := range []byte(spec) {
		if c != ':' {
			continue
		}
		from, to := only(spec[:i], names), only(spec[i+1:], names)
		if from < 0 || to < 0 {
			continue
		}
		if to < from {
			return 0, 0, faultf("columns %q: the first comes after the last", spec)
		}
		return from, to, nil
	}
	return 0, 0, err
}

// only returns the position of the column with that name, -1 unless there is exactly one.
func only(name string, names []string) int {
	at := slices.Index(names, name)
	if at >= 0 && slices.Contains(names[at+1:], name) {
		return -1
	}
	return at
}

// byName returns the position of the column with that name.
func byName(name string, names []string) (int, error) {
	at := only(name, names)
	switch {
	case names == nil:
		return 0, faultf("a column named %s is selected, but the columns have no names; give its number from 1", shorten(name))
	case at >= 0:
		return at, nil
	case slices.Contains(names, name):
		return 0, faultf("has more than one column named %s; give its number from 1", shorten(name))
	}
	return 0, faultf("has no column named %s; %s", shorten(name), instead(name, names))
}

// isPositions reports whether spec is n, n-m, n:m, n- or n: in digits.
func isPositions(spec string) bool {
	first, last, _ := cutRange(spec)
	return first != "" && strings.Trim(first+last, "0123456789") == ""
}

// cutRange cuts spec at the first hyphen or colon.
func cutRange(spec string) (first, last string, isRange bool) {
	if i := strings.IndexAny(spec, "-:"); i >= 0 {
		return spec[:i], spec[i+1:], true
	}
	return spec, "", false
}

// positions reads a spec for which isPositions holds.
func positions(spec string, width int) (from, to int, err error) {
	first, last, isRange := cutRange(spec)
	from, errFrom := strconv.Atoi(first)
	to = from
	var errTo error
	switch {
	case isRange && last == "":
		to = width
	case isRange:
		to, errTo = strconv.Atoi(last)
	}
	switch {
	case errFrom != nil || errTo != nil || from > width || to > width:
		return 0, 0, faultf("columns %s are selected, but there are %d", spec, width)
	case from < 1:
		return 0, 0, faultf("columns %s are selected, but the first column is number 1", spec)
	case to < from:
		return 0, 0, faultf("columns %s: the first comes after the last", spec)
	}
	return from - 1, to - 1, nil
}
