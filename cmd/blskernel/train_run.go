package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
	"unicode/utf8"

	"blskernel"
	"blskernel/bls/modelfile"
	"blskernel/dataset/stream"
	"blskernel/internal/vfs"
)

// A training is a run of train.
type training struct {
	set      *trainSettings
	talk     *talk
	backend  blskernel.Backend
	fs       vfs.FS
	standing *standing
	images   bool // whether the data is idx files
	classes  bool // whether it is a classification
	batch    int  // rows of a batch after the first
}

func (tr *training) run(ctx context.Context, opt stream.Options) error {
	begun := time.Now()
	model, err := tr.checkpoint(ctx)
	if err != nil {
		return err
	}
	switch {
	case model != nil:
		opt.Classes = model.Classifier != nil
		model.labelsIn = tr.set.source.targetsFile
	case tr.set.task == classification:
		opt.Classes = true
	}
	r, err := tr.open(ctx, opt)
	if err != nil {
		return err
	}
	c := &course{
		talk: tr.talk, path: tr.set.out, standing: tr.standing, every: tr.set.checkpoint, save: saveTo(tr.fs),
		sum: newRowSum(), begun: begun, last: begun, total: r.Rows(), explain: explainTraining,
	}
	if model != nil {
		c.goOn(ctx, model, r, model.Metadata.Batch)
		defer c.batches.stop()
		tr.talk.explain("%s goes on after %s", tr.set.out, counted(int(c.known), "row"))
		return c.run(ctx)
	}
	classes, err := tr.prepare(ctx, r, opt)
	if err != nil {
		_ = r.Close()
		return err
	}
	meta := modelfile.Metadata{
		Software: "blskernel " + version(), Batch: tr.batch,
		Inputs: r.Inputs(), Classes: classes, Targets: r.Targets(),
	}
	c.batches = readAhead(ctx, r, 0, tr.set.firstRows(tr.batch), tr.batch)
	defer c.batches.stop()
	if err := tr.start(ctx, c, meta); err != nil {
		return err
	}
	return c.run(ctx)
}

// open opens the data. Where it is not known yet whether it has labels, it is opened as if it had
// numbers, and where that cannot be, because it has an array of text, as if it had labels.
func (tr *training) open(ctx context.Context, opt stream.Options) (*stream.Reader, error) {
	r, err := openSource(ctx, tr.set.source.paths, opt)
	var fault *stream.Error
	if errors.As(err, &fault) && tr.set.task == "" && !opt.Classes && tr.standing.once == "" {
		opt.Classes = true
		if r, again := openSource(ctx, tr.set.source.paths, opt); again == nil {
			return r, nil
		}
	}
	return r, err
}

// prepare decides what the data is. It returns the classes if they are to be known before the first
// batch.
func (tr *training) prepare(ctx context.Context, r *stream.Reader, opt stream.Options) (classes []string, err error) {
	switch {
	case r.Outputs() > 0:
	case r.Format() == stream.CSV:
		return nil, usageError{errors.New("--target is missing: name the column of the labels or targets, by its name or number")}
	default:
		return nil, errNoTargets
	}
	if err := checkNames(&tr.set.source, r.Inputs(), r.Targets()); err != nil {
		return nil, err
	}
	tr.images, tr.batch = r.Format() == stream.IDX, tr.set.batch.of(r.Dim())
	if err := tr.decideTask(r); err != nil {
		return nil, err
	}
	if tr.set.scan {
		return tr.scanClasses(ctx, opt)
	}
	return tr.set.classes, nil
}

// checkpoint returns the model that the training goes on with, nil where it begins.
func (tr *training) checkpoint(ctx context.Context) (*learner, error) {
	if !tr.set.resume {
		return nil, nil
	}
	if _, err := os.Stat(tr.set.out); errors.Is(err, fs.ErrNotExist) {
		tr.talk.explain("%s is not there: the training begins", tr.set.out)
		return nil, nil
	}
	model, err := loadModel(ctx, tr.set.out, tr.backend)
	if err != nil {
		return nil, err
	}
	if model.Metadata.Progress == nil {
		return nil, usageError{fmt.Errorf("--resume: %s is no checkpoint: remove it to train anew", tr.set.out)}
	}
	if why := tr.standing.differs(&model.Metadata); why != "" {
		return nil, usageError{fmt.Errorf("--resume: %s is a checkpoint of another training, %s: give the flags and files of that, or leave out --resume to train anew", tr.set.out, why)}
	}
	return model, nil
}

// start makes a model of the first batch.
func (tr *training) start(ctx context.Context, c *course, meta modelfile.Metadata) error {
	f, waited := c.batches.take(ctx)
	c.waiting += waited
	if errors.Is(f.err, io.EOF) {
		return errNoRows
	}
	if f.err != nil {
		return f.err
	}
	if tr.classes && meta.Classes == nil {
		seen := map[string]bool{}
		for i, label := range f.batch.Labels {
			if !utf8.ValidString(label) {
				return &unreadableLabelError{label, labelPlace(f.batch, i, tr.set.source.targetsFile)}
			}
			seen[label] = true
		}
		meta.Classes = sortedLabels(seen)
	}
	if tr.classes && len(meta.Classes) > mostClasses {
		return usageError{fmt.Errorf("the labels are of %d classes; want at most %d: is --target the right column, or the task a regression?", len(meta.Classes), mostClasses)}
	}
	if len(meta.Classes) == 1 {
		tr.talk.warn("the only class is %s, so that it is all that the model can predict: is --target the right column, and are the rows sorted by it?", printable(meta.Classes[0]))
	}
	meta.Created = time.Now().UTC()
	meta.Changed = meta.Created
	if err := meta.Check(); err != nil {
		return err // now, and not when the model is to be written
	}
	start := time.Now()
	model, err := tr.fit(ctx, f, c.total, meta)
	if err != nil {
		return explainTraining(causeOf(ctx, err))
	}
	c.model = model
	c.took(f, time.Since(start))
	tr.talk.explain("%s; feature maps fitted to the first %s, scaled by %s", model.describe(), counted(int(c.rows), "row"), model.features().Options().Scaling)
	return nil
}

// mostClasses bounds the number of classes, so that a column of serial numbers is an error.
const mostClasses = 4096

// explainTraining says what to do about an error of a batch.
func explainTraining(err error) error {
	var label *unknownLabelError
	if errors.As(err, &label) {
		return fmt.Errorf("%w: give all by --classes, or --scan the data for them", err)
	}
	return explainLearning(err)
}
