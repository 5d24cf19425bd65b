package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
)

// OpenMatched opens data for a model and selects its columns as Model.Match does, with the labels
// or targets if they are wanted. It opens the data once, so that it can be a pipe.
func (in *Input) OpenMatched(ctx context.Context, m *model.Model, targets bool) (*stream.Reader, error) {
	m.LabelsIn = Shown(in.Options.TargetPath)
	if err := in.adopt(m); err != nil {
		return nil, err
	}
	if weight := m.Metadata.Notes[session.NoteWeight]; targets && weight != "" && in.Options.Weight == "" {
		in.say.Warn("the model was trained with --weight %s, but here all rows have weight 1", ui.Printable(weight))
	}
	r, err := in.Open(ctx, m.Classifier != nil)
	if err != nil {
		return nil, err
	}
	if err = in.match(r, m, targets); err == nil && targets && r.Outputs() == 0 {
		err = session.ErrNoTargets
	}
	if err != nil {
		_ = r.Close()
		return nil, err
	}
	return r, nil
}

// adopt reads the cells as the training did, unless flags say otherwise.
func (in *Input) adopt(m *model.Model) error {
	as := m.Metadata.Options()
	in.Options.Decimal, in.Options.Thousands = cmp.Or(in.Options.Decimal, as.Decimal), cmp.Or(in.Options.Thousands, as.Thousands)
	in.Options.NA, in.Options.TargetNotations = slices.Concat(in.Options.NA, as.NA), as.TargetNotations
	switch {
	case in.Missing == "":
		in.Options.Missing = as.Missing
	case in.Options.Missing == stream.MissingMean && (m.Metadata.Columns == nil || !m.Metadata.Columns.Filled()):
		return ui.Usagef("--missing is mean, but the model has no means, since it was trained by --missing %s, or on whole numbers: want drop or error", as.Missing)
	}
	return nil
}

// match selects the columns of the data by the names of the model.
func (in *Input) match(r *stream.Reader, m *model.Model, targets bool) error {
	err := m.Match(r, model.Data{Missing: in.Options.Missing, Learn: targets, Elsewhere: in.Options.TargetPath != "", Single: len(in.Sources()) == 1})
	fault, ok := err.(*stream.Error)
	switch {
	case ok && fault.Path == "": // of columns, which knows no paths
		fault.Path = Shown(in.Paths[0])
		return session.InFlags(fault)
	case errors.Is(err, model.ErrNoTargets):
		return ui.Usagef("--target is missing: the columns have no names to find the labels or targets by; give its number, such as --target 4, or --targets-file for a file of them")
	}
	return err
}

// Shown returns a path as in a stream.Error.
func Shown(path string) string {
	if path == session.StandardInput {
		return "standard input"
	}
	return path
}

// CheckNames returns an error if two columns have the same name or a name is not UTF-8. Targets in a
// separate file may have names of inputs.
func (in *Input) CheckNames(inputs, targets []string) error {
	if in.Options.TargetPath == "" {
		return checkNames(in.Paths[0], slices.Concat(inputs, targets))
	}
	return cmp.Or(checkNames(in.Paths[0], inputs), checkNames(in.Options.TargetPath, targets))
}

func checkNames(path string, names []string) error {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		switch {
		case !utf8.ValidString(name):
			return &stream.Error{Path: Shown(path), What: fmt.Sprintf("has a column named %q, which is not UTF-8: save the file as UTF-8", name)}
		case seen[name]:
			return &stream.Error{Path: Shown(path), What: fmt.Sprintf("has more than one column named %q: rename one, or leave it out by --exclude", name)}
		}
		seen[name] = true
	}
	return nil
}

// AsIn selects how the columns become inputs as a model has it.
func AsIn(meta *modelfile.Metadata, r *stream.Reader) error {
	as, s := meta.Options(), r.Selection()
	s.Columns, s.Missing, s.TargetNotations = as.Columns, as.Missing, as.TargetNotations
	for _, name := range meta.Exclude { // of a column that numbers the rows, and of the weights
		if name != s.Weight && !slices.Contains(s.Exclude, name) {
			s.Exclude = append(s.Exclude, name)
		}
	}
	return r.Select(s)
}
