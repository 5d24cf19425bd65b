package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"blskernel/bls/modelfile"
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
	begun    time.Time

	explain func(error) error // says what to do about an error

	rows    int64 // of the source that the model has learned, with those before a checkpoint that the course goes on with
	learned int64 // of them now
	total   int64 // rows of the source, -1 if that is not known
	kept    int64 // of rows, those that are in the file
	last    time.Time

	waiting, learning, writing time.Duration
}

// run learns what is left and writes the model. What stops it leaves the file as the last checkpoint
// made it, but for a cancelled context, where checkpoints are wanted: then one is made of what has been
// learned.
func (c *course) run(ctx context.Context) error {
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
			if err := c.keep(false); err != nil {
				return err
			}
		}
	}
	return c.finish()
}

// learn learns a batch.
func (c *course) learn(ctx context.Context, f fetched) error {
	start := time.Now()
	if err := c.model.learn(ctx, f.batch); err != nil {
		return err
	}
	c.learning += time.Since(start)
	rows, _ := f.batch.X.Dims()
	c.rows += int64(rows)
	c.learned += int64(rows)
	c.talk.shown.show(f.share(c.rows, c.total), fmt.Sprintf("%d rows", c.rows))
	return nil
}

// finish writes the model, once it is known to have weights.
func (c *course) finish() error {
	start := time.Now()
	if err := c.model.determined(); err != nil {
		return c.explain(err)
	}
	c.learning += time.Since(start)
	return c.keep(true)
}

// keep writes the model to its file, and says so only when it is on the disk.
func (c *course) keep(done bool) error {
	start := time.Now()
	if err := c.standing.note(&c.model.Metadata, c.rows, done); err != nil {
		return err
	}
	if err := modelfile.Save(c.path, c.model.File); err != nil {
		return fmt.Errorf("writing %s: %w", c.path, err)
	}
	c.writing += time.Since(start)
	c.kept, c.last = c.rows, time.Now()
	if done {
		return nil
	}
	if err := c.talk.object(keptRows{Checkpoint: c.path, Rows: c.rows}); err != nil {
		return err
	}
	return c.talk.say("%s   checkpoint after %d rows", c.path, c.rows)
}

// keptRows is a line of the JSON output.
type keptRows struct {
	Checkpoint string `json:"checkpoint"`
	Rows       int64  `json:"rows"`
}

// stopped keeps what has been learned if the work was interrupted and checkpoints are wanted, and
// returns the reason.
func (c *course) stopped(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return c.explain(err)
	}
	if c.every.wanted() && c.rows > c.kept {
		if kept := c.keep(false); kept != nil {
			return errors.Join(kept, err)
		}
	}
	return context.Cause(ctx)
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
