package input

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"

	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
)

// OpenMatched opens the data and selects the columns of m as Model.Match does, with the labels or
// targets if targets is true. It opens the data only once, so the data can be a pipe.
func (in *Input) OpenMatched(ctx context.Context, m *model.Model, targets bool) (*stream.Reader, error) {
	m.LabelsIn = Shown(in.Options.TargetPath)
	if err := in.adopt(m); err != nil {
		return nil, err
	}
	if weight := m.Metadata.Notes[session.NoteWeight]; targets && weight != "" && in.Options.Weight == "" {
		in.say.Warn("the model was trained with --weight %s, but here all rows have weight 1: name the column of weights with --weight", ui.Printable(weight))
	}
	if targets && m.Metadata.Notes[session.NoteClassWeight] != "" {
		in.say.Warn("the model was trained with class weights from Python, which are not applied here")
	}
	r, err := in.Open(ctx, m.Classifier != nil)
	var fault *stream.Error
	target, unnamed := m.Metadata.Targets, m.Metadata.Inputs == nil && in.Options.Targets == nil
	if op := trained(m); target == nil && op.TargetPath == "" {
		target = op.Targets // an array of several targets, which have no names
	}
	if errors.As(err, &fault) && unnamed && len(target) == 1 && in.Once() == "" {
		in.Options.Targets = target // in an .npz with two arrays, the other one has the inputs
		again, err2 := in.Open(ctx, m.Classifier != nil)
		switch {
		case err2 != nil:
			in.Options.Targets = nil
		case again.Heading().Arrays == nil: // not an .npz: the target is the number of a column
			in.Options.Targets = nil
			_ = again.Close()
		default:
			r, err = again, nil
		}
	}
	if err != nil {
		return nil, err
	}
	if unnamed && targets && r.Outputs() == 0 && len(target) == 1 && slices.Contains(r.Heading().Arrays, target[0]) {
		s := r.Selection()
		s.Targets, in.Options.Targets = target, target
		err = session.InFlags(r.Select(s))
	}
	if err == nil {
		in.leaveOutWeights(r, m)
		err = in.match(r, m, targets)
	}
	if err == nil && targets && r.Outputs() == 0 {
		err = session.ErrNoTargets
	}
	if err != nil {
		_ = r.Close()
		return nil, err
	}
	return r, nil
}

// trained returns the options with which the training of m read its data, as far as the log has them.
func trained(m *model.Model) (opt stream.Options) {
	for _, op := range m.Metadata.Log {
		if op.Kind == modelfile.OpTrain || op.Kind == modelfile.OpMaps {
			return op.Options()
		}
	}
	return opt
}

// leaveOutWeights handles data with all columns of the training data, weights too, but no names. It
// excludes the columns that the training left out, provided that no flag selects inputs or weights, the
// targets have the same numbers, and the model's number of inputs remains.
func (in *Input) leaveOutWeights(r *stream.Reader, m *model.Model) {
	was, now := trained(m), &in.Options
	cells, _ := m.Columns()
	if was.Weight == "" || m.Metadata.Inputs != nil || was.Inputs != nil || r.Dim() == len(cells) ||
		now.Weight != "" || now.Inputs != nil || now.Exclude != nil || !slices.Equal(now.Targets, was.Targets) {
		return
	}
	before := r.Selection()
	s := before
	s.Exclude = m.Metadata.Exclude
	switch err := r.Select(s); {
	case err != nil:
	case r.Dim() == len(cells):
		now.Exclude = s.Exclude // also for the log
	default:
		_ = r.Select(before) // if it fails, the next call fails too
	}
}

// OpenFor loads the model in the file args[0], only for reading, and opens the data named by the other
// arguments. targets has the same meaning as for OpenMatched.
func (in *Input) OpenFor(ctx context.Context, s *session.Session, args []string, targets bool) (m *model.Model, r *stream.Reader, err error) {
	if err = in.Begin(args[1:], s); err == nil {
		m, err = s.LoadToRead(ctx, args[0])
	}
	if err == nil {
		r, err = in.OpenMatched(ctx, m, targets)
	}
	return m, r, err
}

// Each calls do for each batch of r while the next one is read, and closes r. It returns the number of
// rows for which do succeeded, without rows set aside. outputs is the number of outputs of the model.
// The progress text begins with doing.
func (in *Input) Each(ctx context.Context, r *stream.Reader, outputs int, doing string, do func(*stream.Batch) error) (rows int64, err error) {
	total, batch := r.Rows(), in.BatchRows(r, 0, outputs)
	names := CellNames(r)
	b := ReadAhead(ctx, r, 0, batch, batch)
	defer b.Stop()
	for read := int64(0); ; {
		f := b.Take(ctx)
		if errors.Is(f.Err, io.EOF) {
			in.Tell(f.Tally, names)
			return rows, nil
		}
		var done *stream.Batch
		if f.Err == nil {
			done, f.Err = in.LearnSkippingBad(f.Batch, do)
		}
		if f.Err != nil {
			return rows, ui.CauseOf(ctx, f.Err)
		}
		if done != nil {
			rows += int64(done.X.RawMatrix().Rows)
		}
		read += int64(f.Batch.X.RawMatrix().Rows)
		in.say.Show(f.Share(read, total), doing+ui.Count(read, "row"))
	}
}

// adopt sets the options for reading cells as in training, unless flags say otherwise.
func (in *Input) adopt(m *model.Model) error {
	as := m.Metadata.Options()
	// A sign that a flag redefines loses its meaning from training.
	if as.Thousands == in.Options.Decimal {
		as.Thousands = 0
	}
	if as.Decimal == in.Options.Thousands {
		as.Decimal = 0
	}
	in.Options.Decimal, in.Options.Thousands = cmp.Or(in.Options.Decimal, as.Decimal), cmp.Or(in.Options.Thousands, as.Thousands)
	in.Options.NA, in.Options.TargetNotations = slices.Concat(in.Options.NA, as.NA), as.TargetNotations
	in.Options.Labels, in.Options.Fixed = as.Labels, as.Fixed
	switch {
	case in.Missing == "":
		in.Options.Missing = as.Missing
	case in.Options.Missing == stream.MissingMean && (m.Metadata.Columns == nil || !m.Metadata.Columns.Filled()):
		return ui.Usagef("--missing is mean, but the model has no means, since it was trained with --missing %s, or on an array of whole numbers: use drop or error", as.Missing)
	}
	return nil
}

func (in *Input) match(r *stream.Reader, m *model.Model, targets bool) error {
	err := m.Match(r, model.Data{Missing: in.Options.Missing, Learn: targets, Elsewhere: in.Options.TargetPath != "", Single: len(in.Sources()) == 1})
	fault, ok := err.(*stream.Error)
	switch {
	case ok && fault.Path == "": // a fault of the columns, without a path
		fault.Path = Shown(in.Paths[0])
		return session.InFlags(fault)
	case errors.Is(err, model.ErrNoTargets):
		return ui.Usagef("--target is missing, and the columns have no names: give the number of the column of labels or targets, such as --target 4, or their file with --targets-file")
	}
	return err
}

// OpenAgain reopens the data that m has learned, and selects the columns that m was trained on.
func (in *Input) OpenAgain(ctx context.Context, m *model.Model) (*stream.Reader, error) {
	r, err := in.Open(ctx, m.Classifier != nil)
	if err != nil {
		return nil, err
	}
	as, s := m.Metadata.Options(), r.Selection()
	s.Columns, s.Missing, s.TargetNotations = as.Columns, as.Missing, as.TargetNotations
	for _, name := range m.Metadata.Exclude { // includes the columns of row numbers and of weights
		if name != s.Weight && !slices.Contains(s.Exclude, name) {
			s.Exclude = append(s.Exclude, name)
		}
	}
	err = r.Select(s)
	if err == nil && as.Inputs != nil && !r.Heading().HasHeader { // the header was read as a row, since its names are also categories
		s.Header = stream.HeaderPresent
		err = r.Select(s)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}
