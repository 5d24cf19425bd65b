package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"blskernel/bls/model"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/internal/columns"
)

// openMatched opens data for a model and selects its columns as package columns does, with the labels
// or targets if they are wanted. It opens the data once, so that it can be a pipe.
func (c *reading) openMatched(ctx context.Context, m *model.Model, targets bool) (*stream.Reader, error) {
	m.LabelsIn = shown(c.opt.TargetPath)
	if err := c.adopt(m); err != nil {
		return nil, err
	}
	if weight := m.Metadata.Notes[noteWeight]; targets && weight != "" && c.opt.Weight == "" {
		c.Warn("the model was trained with --weight %s, and here all rows count alike", ui.Printable(weight))
	}
	r, err := c.open(ctx, m.Classifier != nil)
	if err != nil {
		return nil, err
	}
	if err = c.match(r, m, targets); err == nil && targets && r.Outputs() == 0 {
		err = errNoTargets
	}
	if err != nil {
		_ = r.Close()
		return nil, err
	}
	return r, nil
}

// adopt reads the cells as the training did, as far as no flag says otherwise.
func (c *reading) adopt(m *model.Model) error {
	as := m.Metadata.Options()
	c.opt.Decimal, c.opt.Thousands = cmp.Or(c.opt.Decimal, as.Decimal), cmp.Or(c.opt.Thousands, as.Thousands)
	c.opt.NA, c.opt.TargetNotations = slices.Concat(c.opt.NA, as.NA), as.TargetNotations
	switch {
	case c.missing == "":
		c.opt.Missing = as.Missing
	case c.opt.Missing == stream.MissingMean && (m.Metadata.Columns == nil || !m.Metadata.Columns.Filled()):
		return ui.Usagef("--missing is mean, and the model has no means, since it was trained by --missing %s, or on whole numbers: want drop or error", as.Missing)
	}
	return nil
}

// match selects the columns of the data by the names of the model.
func (c *reading) match(r *stream.Reader, m *model.Model, targets bool) error {
	err := m.Match(r, model.Data{Missing: c.opt.Missing, Learn: targets, Elsewhere: c.opt.TargetPath != "", Single: len(c.sources()) == 1})
	fault, ok := err.(*stream.Error)
	switch {
	case ok && fault.Path == "": // of columns, which knows no paths
		fault.Path = shown(c.paths[0])
		return inFlags(fault)
	case errors.Is(err, columns.ErrNoTarget):
		return ui.Usagef("--target is missing: the columns have no names to find that of the labels or targets by; give its number, such as --target 4, or --targets-file for a file of them")
	}
	return err
}

// shown returns a path as stream.Error has it.
func shown(path string) string {
	if path == standardInput {
		return "standard input"
	}
	return path
}

// checkNames returns an error if the names do not tell the columns of the data apart: if two are the
// same, or one is not UTF-8. Targets in a file of their own may have names of inputs.
func (c *reading) checkNames(inputs, targets []string) error {
	check := func(path string, names []string) error {
		path = shown(path)
		seen := make(map[string]bool, len(names))
		for _, name := range names {
			switch {
			case !utf8.ValidString(name):
				return &stream.Error{Path: path, What: fmt.Sprintf("has a column named %q, which is not UTF-8: save the file as UTF-8", name)}
			case seen[name]:
				return &stream.Error{Path: path, What: fmt.Sprintf("has more than one column named %q: rename one, or leave it out by --exclude", name)}
			}
			seen[name] = true
		}
		return nil
	}
	if c.opt.TargetPath == "" {
		return check(c.paths[0], slices.Concat(inputs, targets))
	}
	if err := check(c.paths[0], inputs); err != nil {
		return err
	}
	return check(c.opt.TargetPath, targets)
}
