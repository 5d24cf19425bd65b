package train

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"blskernel/cmd/blskernel/internal/input"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
)

// described is the number of first rows from which the words and the means of the columns come.
const described = 4096

// fewRows is the minimum number of rows for a note that a column of whole numbers may number the rows.
const fewRows = 10

// describe decides how columns become inputs, and prints notes on columns that are not plain numbers.
// It also checks the names of the columns.
func (tr *training) describe(r *stream.Reader) error {
	found, err := r.Survey(described)
	if err == io.EOF && len(tr.In.Paths) > 1 && tr.In.Once() != "" {
		return ui.Usagef("%s has no rows, and the first rows decide how the columns are read: begin with a file that has rows", tr.In.Paths[0])
	}
	if left := tr.leaveOut(r, found); left != nil {
		s := r.Selection()
		s.Exclude = append(s.Exclude, left...)
		tr.In.Options.Exclude = s.Exclude // for the log
		if err := r.Select(s); err != nil {
			return err
		}
		found, err = r.Survey(described)
	}
	if err := tr.checkNames(r.Inputs(), r.Targets()); err != nil {
		return err
	}
	names := input.NamesOr(r.Inputs(), r.Dim(), "input column")
	if found != nil {
		var written []stream.Notation
		for _, column := range found.Columns {
			written = append(written, column.Notation)
		}
		tr.sayNotations(written, names)
	}
	if err != nil {
		return err
	}
	tr.gaps = found.Gaps
	s := r.Selection()
	s.TargetNotations, tr.In.Options.TargetNotations = found.Targets, found.Targets
	if s.Columns = found.Columns; found.Columns == nil && s.Missing == stream.MissingMean {
		s.Missing = stream.MissingError
	}
	header := r.Heading().HasHeader
	if err := r.Select(s); err != nil {
		return err
	}
	if header && !r.Heading().HasHeader {
		if err := tr.tellHeader(r); err != nil {
			return err
		}
	}
	if found.Rows >= fewRows && found.RowNumbers != nil {
		var numbers []string
		for _, i := range found.RowNumbers {
			numbers = append(numbers, names[i])
		}
		tr.Warn("each row has a different value in %s, as in a column of row numbers or names: use --exclude if such a column only identifies the rows", shortList(numbers))
	}
	for i, column := range found.Columns {
		if odd := column.NotNumber(); odd != "" {
			tr.Warn("the column %.80q is read as words, since %.80q is not a number: if it stands for a missing cell, use --na; if all are numbers, write them as such, or see --decimal and --thousands", names[i], odd)
		}
	}
	return nil
}

// tellHeader makes a first line of words a header if its label is a word that no other of the first
// rows has. It does nothing if the labels are in a separate file.
func (tr *training) tellHeader(r *stream.Reader) error {
	s := r.Selection()
	if tr.In.Options.TargetPath != "" {
		return nil
	}
	labeled := s
	labeled.Classes = true
	if err := r.Select(labeled); err != nil { // several targets
		return nil
	}
	if b, err := r.Peek(described); err == nil && !slices.Contains(b.Labels[1:], b.Labels[0]) {
		if _, number := tr.In.Options.Number(b.Labels[0]); !number && !slices.Contains(tr.classes, b.Labels[0]) {
			s.Header = stream.HeaderPresent
			tr.Warn("the first line is read as column names: use --header absent if it is a row")
		}
	}
	return r.Select(s)
}

// checkNames returns an error if two columns have the same name or a name is not UTF-8. Targets in a
// separate file may share names with inputs.
func (tr *training) checkNames(inputs, targets []string) error {
	if tr.In.Options.TargetPath == "" {
		return distinct(tr.In.Paths[0], slices.Concat(inputs, targets))
	}
	return cmp.Or(distinct(tr.In.Paths[0], inputs), distinct(tr.In.Options.TargetPath, targets))
}

// runsOf returns Metadata.Runs for the selection of r: how many consecutive columns are left out, then
// how many are inputs, and so on.
func runsOf(r *stream.Reader) []int {
	inputs, besides := r.Positions()
	runs := []int{0}
	for _, col := range besides {
		_, isInput := slices.BinarySearch(inputs, col)
		if ofInputs := len(runs)%2 == 0; isInput != ofInputs {
			runs = append(runs, 0)
		}
		runs[len(runs)-1]++
	}
	return runs
}

func distinct(path string, names []string) error {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		switch {
		case !utf8.ValidString(name):
			return &stream.Error{Path: input.Shown(path), What: fmt.Sprintf("has a column named %q, which is not UTF-8: save the file as UTF-8", name)}
		case seen[name]:
			return &stream.Error{Path: input.Shown(path), What: fmt.Sprintf("has more than one column named %q: rename one, or leave one out with --exclude and its number", name)}
		}
		seen[name] = true
	}
	return nil
}

// leaveOut returns the numbers of unnamed columns that must not become inputs, and prints notes about
// them: columns without a value in the first rows, and a first column of row numbers, as pandas and R
// write it. It returns nil with --inputs, if found or the names are nil, or if no input would be left.
func (tr *training) leaveOut(r *stream.Reader, found *stream.Description) (columns []string) {
	s, names := r.Selection(), r.Heading().Names
	if s.Inputs != nil || names == nil || found == nil {
		return nil
	}
	for _, col := range found.Blank {
		columns = append(columns, strconv.Itoa(col))
	}
	blank := len(columns)
	if names[0] == "" && r.Inputs()[0] == "" && slices.Contains(found.RowNumbers, 0) && !slices.Contains(s.Exclude, "1") {
		columns = append(columns, "1")
	}
	if len(columns) == r.Dim() {
		return nil
	}
	if blank > 0 {
		tr.Warn("columns without a name and without a value in the first rows are not used as inputs (%s): to use one, list its number in --inputs", shortList(columns[:blank]))
	}
	if blank < len(columns) {
		tr.Warn("the first column has no name and only distinct values without fractions, so it is taken for row numbers or names, not for an input: to use it, list its number, 1, in --inputs")
	}
	return columns
}

// sayNotations prints a note with the column names for each notation in all, except the plain one.
func (tr *training) sayNotations(all []stream.Notation, names []string) {
	written := map[stream.Notation][]string{{}: nil}
	for i, n := range all {
		written[n] = append(written[n], names[i])
	}
	for i, n := range all {
		if n != (stream.Notation{}) && slices.Index(all, n) == i {
			tr.Warn("%s: read %v", shortList(written[n]), n)
		}
	}
}

func shortList(names []string) string {
	const maxShown = 10
	var shown []string
	for _, name := range names[:min(maxShown, len(names))] {
		shown = append(shown, cmp.Or(ui.Printable(name), `""`))
	}
	text := strings.Join(shown, ", ")
	if more := len(names) - maxShown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
