package input

import (
	"fmt"
	"strings"

	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
)

// CellNames returns the names of the input columns as messages show them.
func CellNames(r *stream.Reader) []string {
	columns := r.Selection().Columns
	names := columns.Names(r.Inputs())
	for i, name := range names {
		names[i] = fmt.Sprintf("%.80q", name)
	}
	return NamesOr(names, len(columns), "input column")
}

// Tell prints a note with the number of rows left out, and notes with the numbers of cells filled in
// and of unknown words in each column, unless in.Silent is set. names[j] is the name of column j.
func (in *Input) Tell(t stream.Tally, names []string) {
	each := func(counts []int64) string {
		const maxShown = 10
		var parts []string
		more := 0
		for i, n := range counts {
			switch {
			case n == 0:
			case len(parts) == maxShown:
				more++
			default:
				parts = append(parts, fmt.Sprintf("%d in %s", n, names[i]))
			}
		}
		if more > 0 {
			parts = append(parts, "some in "+ui.Count(more, "more column"))
		}
		return strings.Join(parts, ", ")
	}
	if in.Silent {
		return
	}
	if t.Dropped > 0 {
		in.say.Warn("left out %s with missing cells", ui.Count(t.Dropped, "row"))
	}
	if text := each(t.Filled); text != "" {
		in.say.Warn("filled in missing cells with the means of the first rows: %s", text)
	}
	if text := each(t.Unknown); text != "" {
		in.say.Warn("words that the model does not know are all read as the same word (%s): to tell them apart, train again with such words among the first 4096 rows", text)
	}
}

// NamesOr returns names, extended to n elements by what and the number of the column, as in "target 2".
func NamesOr(names []string, n int, what string) []string {
	for i := len(names); i < n; i++ {
		names = append(names, fmt.Sprintf("%s %d", what, i+1))
	}
	return names
}
