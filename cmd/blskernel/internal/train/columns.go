package train

import (
	"errors"
	"io"
	"strings"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/input"
	"blskernel/cmd/blskernel/internal/session"
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
		return session.ErrNoTargets
	}
	if err := tr.In.CheckNames(r.Inputs(), r.Targets()); err != nil {
		return err
	}
	if err := tr.describe(r); err != nil {
		return err
	}
	heading := r.Heading()
	tr.images, tr.rest = heading.Format == stream.IDX || heading.Dims > 2, tr.In.BatchRows(r, 0, r.Outputs())
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
		return session.ErrNoRows
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
	for i, name := range input.CellNames(r) {
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
	if tr.In.Options.Decimal == ',' {
		meta.Decimal = ","
	}
	if tr.In.Options.Thousands != 0 {
		meta.Thousands = string(tr.In.Options.Thousands)
	}
}
