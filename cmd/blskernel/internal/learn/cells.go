package learn

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
)

// described is the number of first rows that the words and the means of the columns are taken from.
const described = 4096

// prepare checks the columns and decides the task.
func (tr *training) prepare(r *stream.Reader) error {
	switch {
	case r.Outputs() > 0:
	case r.Heading().Format == stream.CSV:
		return ui.Usagef("--target is missing: name the column of the labels or targets, by its name or number")
	default:
		return errNoTargets
	}
	if err := tr.checkNames(r.Inputs(), r.Targets()); err != nil {
		return err
	}
	if err := tr.describe(r); err != nil {
		return err
	}
	heading := r.Heading()
	tr.images, tr.rest = heading.Format == stream.IDX || heading.Dims > 2, batchRows(tr.batch, 0, r.Dim(), r.Outputs())
	if err := tr.decideTask(r); err != nil {
		return err
	}
	if err := tr.checkClasses(r); err != nil {
		return err
	}
	if !tr.labeled {
		tr.sayNotations(tr.opt.TargetNotations, namesOr(r.Targets(), len(tr.opt.TargetNotations), "target"))
	}
	if !tr.labeled && tr.classWeight == bls.Balanced {
		return ui.Usagef("--class-weight is about classes, and the task is a regression: leave it out")
	}
	return nil
}

// fewRows is too few for an order of whole numbers to mean anything.
const fewRows = 10

// describe finds out how the columns become inputs, and notes what is not plain.
func (tr *training) describe(r *stream.Reader) error {
	found, err := r.Survey(described)
	if err == nil && rowNames(r, found) {
		tr.Warn("the first column has no name and numbers the rows, so it is no input: name it in --inputs if it is one")
		s := r.Selection()
		s.Exclude = append(s.Exclude, "1")
		if err := r.Select(s); err != nil {
			return err
		}
		found, err = r.Survey(described)
	}
	if errors.Is(err, io.EOF) {
		return errNoRows
	}
	names := namesOr(r.Inputs(), r.Dim(), "input column")
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
	s := r.Selection()
	s.TargetNotations, tr.opt.TargetNotations = found.Targets, found.Targets
	if s.Columns = found.Columns; found.Columns == nil && s.Missing == stream.MissingMean {
		s.Missing = stream.MissingError
	}
	if err := r.Select(s); err != nil {
		return err
	}
	if found.Rows >= fewRows && found.RowNumbers != nil {
		var numbers []string
		for _, i := range found.RowNumbers {
			numbers = append(numbers, names[i])
		}
		tr.Warn("%s: whole numbers in order, no two the same: leave out by --exclude what numbers the rows", shortList(numbers))
	}
	for i, column := range found.Columns {
		if words := column.Levels; likeNumbers(words) {
			tr.Warn("%.80q is taken for words, such as %.80q: if they are numbers, write them as such, or see --decimal and --thousands", names[i], words[0])
		}
	}
	return nil
}

// rowNames reports whether the first column has no name and numbers the rows, as pandas and R write it,
// and is one of several inputs that nobody has chosen.
func rowNames(r *stream.Reader, found *stream.Description) bool {
	s, names := r.Selection(), r.Heading().Names
	return s.Inputs == nil && names != nil && names[0] == "" && r.Dim() > 1 && r.Inputs()[0] == "" &&
		slices.Contains(found.RowNumbers, 0) && !slices.Contains(s.Exclude, "1")
}

// sayNotations notes which columns, of these names, have numbers that are not plain.
func (c *reading) sayNotations(all []stream.Notation, names []string) {
	written := map[stream.Notation][]string{{}: nil}
	for i, n := range all {
		written[n] = append(written[n], names[i])
	}
	for i, n := range all {
		if n != (stream.Notation{}) && slices.Index(all, n) == i {
			c.Warn("%s: read %v", shortList(written[n]), n)
		}
	}
}

// namesOr returns names, or what with a number for each of n without a name.
func namesOr(names []string, n int, what string) []string {
	for i := len(names); i < n; i++ {
		names = append(names, fmt.Sprintf("%s %d", what, i+1))
	}
	return names
}

// shortList lists the first names.
func shortList(names []string) string {
	const most = 10
	var shown []string
	for _, name := range names[:min(most, len(names))] {
		shown = append(shown, cmp.Or(ui.Printable(name), `""`))
	}
	text := strings.Join(shown, ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// likeNumbers reports whether most of the words begin as numbers do.
func likeNumbers(words []string) bool {
	n := 0
	for _, word := range words {
		if word = strings.TrimLeft(word, "+-$€£ "); word != "" && word[0] >= '0' && word[0] <= '9' {
			n++
		}
	}
	return 2*n > len(words)
}

// asIn selects how the columns become inputs as a model has it.
func asIn(meta *modelfile.Metadata, r *stream.Reader) error {
	as, s := meta.Options(), r.Selection()
	s.Columns, s.Missing, s.TargetNotations = as.Columns, as.Missing, as.TargetNotations
	return r.Select(s)
}

// keep writes how the cells of the data are read to the metadata.
func (tr *training) keep(meta *modelfile.Metadata, r *stream.Reader) {
	s := r.Selection()
	meta.Columns, meta.Exclude, meta.NA = s.Columns, s.Exclude, tr.opt.NA
	if !tr.labeled {
		meta.TargetNotations = s.TargetNotations
	}
	if s.Weight != "" {
		meta.Exclude = append(meta.Exclude, s.Weight)
	}
	if s.Missing != stream.MissingError {
		meta.Missing = s.Missing.String()
	}
	if tr.opt.Decimal == ',' {
		meta.Decimal = ","
	}
	if tr.opt.Thousands != 0 {
		meta.Thousands = string(tr.opt.Thousands)
	}
}

// cellNames returns the columns of the inputs as messages name them.
func cellNames(r *stream.Reader) []string {
	columns := r.Selection().Columns
	names := columns.Names(r.Inputs())
	if names == nil {
		names = make([]string, len(columns))
		for i := range names {
			names[i] = fmt.Sprintf("input column %d", i+1)
		}
		return names
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%.80q", name)
	}
	return names
}

// tell notes which rows were left out, which cells were filled in, and which words are unknown, of the
// columns with these names.
func (c *reading) tell(t stream.Tally, names []string) {
	each := func(counts []int64) string {
		const most = 10
		var parts []string
		more := 0
		for i, n := range counts {
			switch {
			case n == 0:
			case len(parts) == most:
				more++
			default:
				parts = append(parts, fmt.Sprintf("%d in %s", n, names[i]))
			}
		}
		if more > 0 {
			parts = append(parts, fmt.Sprintf("some in %d more columns", more))
		}
		return strings.Join(parts, ", ")
	}
	if c.silent {
		return
	}
	if t.Dropped > 0 {
		c.Warn("left out %s with missing cells", ui.Count(t.Dropped, "row"))
	}
	if text := each(t.Filled); text != "" {
		c.Warn("filled in missing cells by means of the first rows: %s", text)
	}
	if text := each(t.Unknown); text != "" {
		c.Warn("words that the model does not know, which count as none of its words: %s", text)
	}
}
