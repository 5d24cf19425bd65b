package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"blskernel"
	"blskernel/bls/modelfile"
	"blskernel/dataset/stream"
)

// A training is a run of train.
type training struct {
	set      *trainSettings
	talk     *talk
	backend  blskernel.Backend
	options  stream.Options
	standing *standing
}

func (tr *training) run(ctx context.Context) error {
	begun := time.Now()
	model, err := tr.checkpoint(ctx)
	if err != nil {
		return err
	}
	if model != nil && model.Metadata.Progress.Done {
		return tr.talk.tellDone(tr.set.out, model.Metadata.Progress.Rows)
	}
	if model != nil {
		tr.options.Classes = model.Classifier != nil
	} else if err := tr.decideTask(ctx); err != nil {
		return err
	}
	classes := tr.set.classes
	if tr.set.scan && model == nil && tr.options.Classes {
		if classes, err = tr.scanClasses(ctx); err != nil {
			return err
		}
	}
	r, err := openSource(ctx, tr.set.source.paths, tr.options)
	if err != nil {
		return err
	}
	if r.Outputs() == 0 {
		_ = r.Close()
		return errNoTargets
	}
	c := &course{
		talk: tr.talk, path: tr.set.out, standing: tr.standing, every: tr.set.checkpoint,
		begun: begun, last: begun, total: r.Rows(), explain: explainTraining,
	}
	inputs, targets := r.Inputs(), r.Targets() // before another goroutine has the reader
	if model == nil {
		c.batches = readAhead(ctx, r, 0, tr.set.firstRows(), tr.set.batch)
		defer c.batches.stop()
		f, waited := c.batches.take(ctx)
		c.waiting += waited
		if errors.Is(f.err, io.EOF) {
			return errors.New("the data has no rows")
		}
		if f.err != nil {
			return f.err
		}
		if err := tr.start(ctx, c, f, inputs, targets, classes); err != nil {
			return err
		}
	} else {
		c.model, c.rows, c.kept = model, model.Metadata.Progress.Rows, model.Metadata.Progress.Rows
		c.batches = readAhead(ctx, r, c.rows, tr.set.batch, tr.set.batch)
		defer c.batches.stop()
		tr.talk.explain("%s goes on after %s", tr.set.out, counted(int(c.rows), "row"))
	}
	if err := c.run(ctx); err != nil {
		return err
	}
	return c.tell()
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
func (tr *training) start(ctx context.Context, c *course, f fetched, inputs, targets, classes []string) error {
	if tr.options.Classes && classes == nil {
		seen := map[string]bool{}
		for _, label := range f.batch.Labels {
			seen[label] = true
		}
		classes = sortedLabels(seen)
	}
	if tr.options.Classes && len(classes) > mostClasses {
		return usageError{fmt.Errorf("the labels are of %d classes; want at most %d: is --target the right column, or the task a regression?", len(classes), mostClasses)}
	}
	now := time.Now().UTC()
	meta := modelfile.Metadata{
		Created: now, Changed: now, Software: "blskernel " + version(), Batch: tr.set.batch,
		Inputs: inputs, Classes: classes, Targets: targets,
	}
	if err := meta.Check(); err != nil {
		return err // now, and not when the model is to be written
	}
	start := time.Now()
	model, err := tr.fit(ctx, f, c.total, meta)
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return explainTraining(err)
	}
	c.learning += time.Since(start)
	c.model = model
	rows, _ := f.batch.X.Dims()
	c.rows, c.learned = int64(rows), int64(rows)
	tr.talk.explain("%s; feature maps fitted to the first %s, scaled by %s", model.describe(), counted(rows, "row"), model.features().Options().Scaling)
	c.talk.shown.show(f.share(c.rows, c.total), fmt.Sprintf("%d rows", c.rows))
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
