package learn

import (
	"errors"
	"fmt"
	"io"
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
	if !tr.labeled && tr.classWeight == bls.Balanced {
		return ui.Usagef("--class-weight is about classes, and the task is a regression: leave it out")
	}
	return nil
}

// describe finds out how the columns become inputs.
func (tr *training) describe(r *stream.Reader) error {
	found, err := r.Describe(described)
	if errors.Is(err, io.EOF) {
		return errNoRows
	}
	if err != nil {
		return err
	}
	s := r.Selection()
	if s.Columns = found; found == nil && s.Missing == stream.MissingMean {
		s.Missing = stream.MissingError
	}
	if err := r.Select(s); err != nil || found == nil {
		return err
	}
	for i, name := range cellNames(r) {
		if words := found[i].Levels; likeNumbers(words) {
			tr.Warn("%s is taken for words, such as %.80q: if they are numbers, write them as such, or see --decimal and --thousands", name, words[0])
		}
	}
	return nil
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
	s.Columns, s.Missing = as.Columns, as.Missing
	return r.Select(s)
}

// keep writes how the cells of the data are read to the metadata.
func (tr *training) keep(meta *modelfile.Metadata, r *stream.Reader) {
	s := r.Selection()
	meta.Columns, meta.Exclude = s.Columns, s.Exclude
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
