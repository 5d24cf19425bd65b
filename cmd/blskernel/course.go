package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"blskernel/bls/modelfile"
	"blskernel/dataset/stream"
	"blskernel/internal/atomicfile"
	"blskernel/internal/vfs"
)

// A course is the learning of the rows of a source by a model, batch after batch, with a checkpoint now
// and then.
type course struct {
	talk     *talk
	batches  *ahead
	model    *learner
	path     string // of the model
	standing *standing
	every    interval
	save     func(path string, f *modelfile.File) error // saveTo
	sum      *rowSum                                    // of the rows that the model has learned
	begun    time.Time

	explain func(error) error // says what to do about an error

	known   int64 // rows of the source that the model had learned before a checkpoint that the course goes on with
	rows    int64 // of the source that the model has learned, with those
	learned int64 // of them now
	total   int64 // rows of the source, -1 if that is not known
	kept    int64 // of rows, those that are in the file
	last    time.Time

	waiting, learning, writing time.Duration
}

// goOn lets the course go on with a checkpoint. It takes over the reader, which is at its beginning.
func (c *course) goOn(ctx context.Context, model *learner, r *stream.Reader, batch int) {
	c.model, c.known = model, model.Metadata.Progress.Rows
	c.batches = readAhead(ctx, r, c.known, batch, batch)
}

// run learns what is left, writes the model, and tells what that took. What stops it leaves the file as
// the last checkpoint made it, but for a cancelled context, where checkpoints are wanted: then one is
// made of what has been learned.
func (c *course) run(ctx context.Context) error {
	if err := c.recall(ctx); err != nil {
		return c.stopped(ctx, err)
	}
	for {
		f, waited := c.batches.take(ctx)
		c.waiting += waited
		if errors.Is(f.err, io.EOF) {
			break
		}
		if f.err == nil {
			f.err = c.learn(ctx, f)
		}
		if f.err != nil {
			return c.stopped(ctx, f.err)
		}
		if c.every.due(c.rows-c.kept, time.Since(c.last)) {
			if err := c.checkpoint(); err != nil {
				return err
			}
		}
	}
	if c.learned == 0 && c.known > 0 && c.model.Metadata.Progress.Done {
		return c.talk.tellDone(c.path, c.rows)
	}
	if c.learned == 0 && c.known == 0 {
		return fmt.Errorf("%w: %s is not written", errNoRows, c.path)
	}
	return c.finish()
}

// recall reads the rows again that the checkpoint has, and returns an error unless they are those that
// were learned.
func (c *course) recall(ctx context.Context) error {
	for c.rows < c.known {
		f, waited := c.batches.take(ctx)
		c.waiting += waited
		if errors.Is(f.err, io.EOF) {
			return usageError{fmt.Errorf("--resume: the data has %s, and %s has learned %d: give it the data of before, or leave out --resume", counted(int(c.rows), "row"), c.path, c.known)}
		}
		if f.err != nil {
			return f.err
		}
		c.sum.add(f.batch)
		c.rows += int64(f.batch.X.RawMatrix().Rows)
		c.kept = c.rows
		c.talk.shown.show(f.share(c.rows, c.total), fmt.Sprintf("reading again, %d rows", c.rows))
	}
	if c.known > 0 && c.sum.text() != c.model.Metadata.Notes[noteContent] {
		return usageError{fmt.Errorf("--resume: the first %d rows of the data are not those that %s has learned: give it the data of before, or leave out --resume", c.known, c.path)}
	}
	return nil
}

// learn learns a batch.
func (c *course) learn(ctx context.Context, f fetched) error {
	start := time.Now()
	if err := c.model.learn(ctx, f.batch); err != nil {
		return err
	}
	c.took(f, time.Since(start))
	return nil
}

// took notes that a batch has been learned.
func (c *course) took(f fetched, learning time.Duration) {
	c.learning += learning
	c.sum.add(f.batch)
	rows := int64(f.batch.X.RawMatrix().Rows)
	c.rows += rows
	c.learned += rows
	c.talk.shown.show(f.share(c.rows, c.total), fmt.Sprintf("%d rows", c.rows))
}

// finish writes the model, once it is known to have weights, and tells what all took. A model that is
// there but may be lost with the power is a result with an error.
func (c *course) finish() error {
	start := time.Now()
	if err := c.model.determined(); err != nil {
		return c.explain(err)
	}
	c.learning += time.Since(start)
	err := c.keep(true)
	var folder *atomicfile.FolderError
	if err != nil && !errors.As(err, &folder) {
		return err
	}
	if told := c.tell(); told != nil || err == nil {
		return errors.Join(told, err)
	}
	return fmt.Errorf("%w; the rows are in the model: do not repeat the %s", err, c.standing.work())
}

// checkpoint writes the model, and says so if it is on the disk. What only may be lost with the power
// is no reason to stop: the next one brings it there, or the end.
func (c *course) checkpoint() error {
	err := c.keep(false)
	var folder *atomicfile.FolderError
	switch {
	case errors.As(err, &folder):
		c.talk.warn("%v", err)
		return nil
	case err != nil:
		return err
	}
	if err := c.talk.object(keptRows{Checkpoint: c.path, Rows: c.rows}); err != nil {
		return err
	}
	return c.talk.say("%s   checkpoint after %d rows", c.path, c.rows)
}

// keep writes the model to its file. After an *atomicfile.FolderError, too, it is there.
func (c *course) keep(done bool) error {
	start := time.Now()
	if err := c.standing.note(&c.model.Metadata, c.rows, c.sum.text(), done); err != nil {
		return err
	}
	err := c.save(c.path, c.model.File)
	var folder *atomicfile.FolderError
	var file *atomicfile.WriteError
	there := err == nil || errors.As(err, &folder)
	if there {
		c.kept = c.rows
	} else if !errors.As(err, &file) { // which says what was to be written
		err = fmt.Errorf("writing %s: %w", c.path, err)
	}
	c.writing += time.Since(start)
	c.last = time.Now()
	return err
}

// saveTo returns a function that writes a model to a file of fsys.
func saveTo(fsys vfs.FS) func(path string, f *modelfile.File) error {
	return func(path string, f *modelfile.File) error { return modelfile.SaveFS(fsys, path, f) }
}

// keptRows is a line of the JSON output.
type keptRows struct {
	Checkpoint string `json:"checkpoint"`
	Rows       int64  `json:"rows"`
}

// stopped keeps what has been learned if the work was interrupted and checkpoints are wanted, and
// returns the reason.
func (c *course) stopped(ctx context.Context, err error) error {
	err = c.explain(causeOf(ctx, err))
	if ctx.Err() != nil && c.every.wanted() && c.rows > c.kept {
		if kept := c.checkpoint(); kept != nil {
			// Not joined: of an interruption nothing else would be told.
			return fmt.Errorf("%v, and the checkpoint could not be written: %w", err, kept)
		}
	}
	return err
}

// A summary is what a course took, as JSON.
type summary struct {
	Model   string  `json:"model"`
	Kind    string  `json:"kind"`
	Method  string  `json:"method"`
	Samples int     `json:"samples"` // of the model
	Inputs  int     `json:"inputs"`
	Nodes   int     `json:"nodes"`
	Targets int     `json:"targets"`
	Rows    int64   `json:"rows"` // learned now
	Seconds float64 `json:"seconds"`
	Rate    float64 `json:"rows_per_second"`
	Waiting float64 `json:"waiting_seconds"` // for input
	Learn   float64 `json:"learning_seconds"`
	Writing float64 `json:"writing_seconds"` // the model
	Limit   string  `json:"limited_by"`      // input, kernels or writing
}

// tell says what the course took.
func (c *course) tell() error {
	u := c.model.updater()
	elapsed := time.Since(c.begun).Seconds()
	s := summary{
		Model: c.path, Kind: c.model.kind(), Method: u.Method().String(), Samples: u.Samples(),
		Inputs: c.model.features().Inputs(), Nodes: c.model.features().Nodes(), Targets: u.Targets(),
		Rows: c.learned, Seconds: elapsed, Rate: float64(c.learned) / elapsed,
		Waiting: c.waiting.Seconds(), Learn: c.learning.Seconds(), Writing: c.writing.Seconds(),
	}
	s.Limit = "kernels"
	switch {
	case c.waiting > c.learning && c.waiting >= c.writing:
		s.Limit = "input"
	case c.writing > c.learning:
		s.Limit = "writing"
	}
	if err := c.talk.object(s); err != nil {
		return err
	}
	if err := c.talk.say("%s   %s by %s, %s in all", s.Model, c.model.describe(), s.Method, counted(s.Samples, "sample")); err != nil {
		return err
	}
	percent := func(seconds float64) float64 { return 100 * seconds / elapsed }
	return c.talk.say("learned %s in %.2f s, %.0f rows/s, limited by %s: %.0f%% of the time computing, %.0f%% waiting for input, %.0f%% writing the model",
		counted(int(s.Rows), "row"), s.Seconds, s.Rate, map[string]string{"kernels": "the kernels", "input": "the input", "writing": "writing the model"}[s.Limit],
		percent(s.Learn), percent(s.Waiting), percent(s.Writing))
}
