package learn

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"blskernel/bls/model"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/internal/atomicfile"
	"blskernel/internal/columns"
	"blskernel/mat"

	"github.com/cespare/xxhash/v2"
	"github.com/spf13/cobra"
)

// A run lets a model learn the rows of its input, batch after batch, with checkpoints, and writes it.
// train makes the model of the first batch; update loads it.
type run struct {
	reading
	manifest

	// Flags of both commands.
	out        string // the file of the model
	checkpoint interval
	resume     bool
	holdout    holdout // of train

	model   *model.Model
	batches *batches
	digest  *xxhash.Digest // of the rows that the model has learned
	buffer  []byte
	cells   []string // the columns of the inputs, for messages

	byFile  rowCount // of the rows that the model has learned
	known   int64    // rows that the checkpoint has from which the run resumes
	rows    int64    // rows that were read, those and rows held out included
	learned int64    // rows that this run has learned
	total   int64    // rows of the input, -1 if unknown
	kept    int64    // rows that the file has
	scored  quality  // of the rows held out, once they are scored
	begun   time.Time
	last    time.Time // checkpoint

	waiting, learning, writing time.Duration
}

// registerCheckpoint adds --checkpoint and --resume.
func (run *run) registerCheckpoint(cmd *cobra.Command, resume string) {
	ui.Parsed(cmd, &run.checkpoint, "checkpoint", "", "write the model after this many rows, as 100000, or this much time, as 5m, and when interrupted", parseInterval)
	cmd.Flags().BoolVar(&run.resume, "resume", false, resume)
}

// begin checks the flags that train and update share.
func (run *run) begin(cmd *cobra.Command, args []string, s ui.Streams) (err error) {
	run.begun = time.Now()
	if err = run.command.begin(s); err != nil {
		return err
	}
	if err = run.beginData(args); err != nil {
		return err
	}
	if path := run.twice(); path != "" {
		return ui.Usagef("%q is given twice, and its rows would count twice: leave one out", path)
	}
	once := run.once()
	if run.holdout > 0 && once != "" {
		return ui.Usagef("--holdout reads the data again at the end, which %s cannot be: leave it out, or save the data to a file", once)
	}
	if run.resume && once != "" { // whether it has the rows of before is unknown
		return ui.Usagef("--resume reads the data from the beginning again, which %s cannot be: leave it out, or save the data to a file", once)
	}
	if run.manifest, err = newManifest(cmd, &run.reading); err == nil && run.checkpoint.wanted() && once != "" {
		run.Warn("no run can resume from these checkpoints, since %s cannot be read again: they keep what has been learned", once)
	}
	return err
}

// start begins to read r, which is at its beginning: the rows that the checkpoint has, if the run
// resumes from one, a batch of first rows, and batches of rest rows. It takes over r.
func (run *run) start(ctx context.Context, r *stream.Reader, first, rest int) {
	if run.model != nil {
		run.setNewClassPolicy()
	}
	run.total, run.digest, run.last, run.byFile = r.Rows(), xxhash.New(), run.begun, rowCount{}
	run.cells = cellNames(r)
	run.batches = readAhead(ctx, r, run.known, first, rest)
}

// setNewClassPolicy lets the model say what classes it gains, or refuse them.
func (run *run) setNewClassPolicy() {
	m := run.model
	m.Closed = run.closed != ""
	m.Gained = func(place string, added []string) {
		what := fmt.Sprintf("the label %q is", added[0])
		if len(added) > 1 {
			what = fmt.Sprintf("the labels %s are", columns.List(added))
		}
		run.Warn("%s", fmt.Sprintf("%s: %s new to the model, which has %d classes now", place, what, len(m.Labels())))
	}
}

// next returns the next batch, and adds the time that it took to the waiting time.
func (run *run) next(ctx context.Context) fetched {
	begun := time.Now()
	f := run.batches.take(ctx)
	run.waiting += time.Since(begun)
	if f.err == nil {
		f.learned = run.holdout.rest(f.batch, run.rows)
	}
	return f
}

// learnAll learns the remaining rows, writes the model and reports. On error the file is what the last
// checkpoint made it; a canceled run with checkpoints writes one more.
func (run *run) learnAll(ctx context.Context) error {
	if err := run.checkEnd(); err != nil {
		return err
	}
	if err := run.recall(ctx); err != nil {
		return run.stopped(ctx, err)
	}
	for {
		f := run.next(ctx)
		if errors.Is(f.err, io.EOF) {
			run.tell(f.tally, run.cells)
			break
		}
		if f.err == nil {
			begun := time.Now()
			var learned *stream.Batch
			learned, f.err = run.learnSkippingBad(f.learned, func(b *stream.Batch) error { return run.model.Learn(ctx, b) })
			if f.err == nil {
				run.took(f, learned, time.Since(begun))
			}
		}
		if f.err != nil {
			return run.stopped(ctx, f.err)
		}
		if run.checkpoint.due(run.rows-run.kept, time.Since(run.last)) {
			if err := run.writeCheckpoint(); err != nil {
				return err
			}
		}
	}
	switch {
	case run.learned > 0:
	case run.known == 0:
		return fmt.Errorf("%w: %s is not written", errNoRows, run.out)
	case run.model.Metadata.Progress.Done:
		if err := run.Object(map[string]any{"done": run.out, "rows": run.rows}); err != nil {
			return err
		}
		return run.Say("%s   is done: all %s have been learned", run.out, ui.Count(run.rows, "row"))
	}
	return run.finish(ctx)
}

// checkEnd returns the error by which the model could not be written at the end.
func (run *run) checkEnd() error {
	if err := run.recordable(run.model.Metadata); err != nil {
		return err
	}
	u := run.model.Updater()
	return atomicfile.Room(run.out, blsupdate.StateBytes(u.Method(), run.samplesAtEnd(), u.Nodes(), u.Targets()))
}

// samplesAtEnd returns the samples that the model will have: of a pipe no row to come is known.
func (run *run) samplesAtEnd() int {
	left := max(0, run.total-max(run.rows, run.known))
	learned := int64(float64(left) * float64(1-run.holdout))
	return int(min(int64(run.model.Updater().Samples())+learned, math.MaxInt))
}

// recall reads the rows of the checkpoint again, which must be those that were learned.
func (run *run) recall(ctx context.Context) error {
	for run.rows < run.known {
		f := run.next(ctx)
		if errors.Is(f.err, io.EOF) {
			return ui.Usagef("--resume: the data has %s, and %s has learned %d: give it the data of before, or leave out --resume",
				ui.Count(run.rows, "row"), run.out, run.known)
		}
		if f.err != nil {
			return f.err
		}
		run.sum(f.batch)
		if f.learned != nil {
			run.byFile.add(f.learned)
		}
		run.rows += int64(f.batch.X.RawMatrix().Rows)
		run.kept = run.rows
		run.Show(f.share(run.rows, run.total), fmt.Sprintf("reading again, %d rows", run.rows))
	}
	if run.known > 0 && run.content() != run.model.Metadata.Notes[noteContent] {
		return ui.Usagef("--resume: the first %d rows of the data are not those that %s has learned: give it the data of before, or leave out --resume",
			run.known, run.out)
	}
	return nil
}

// took records that of a batch the given rows were learned. The others count as read, as they do when a
// run that resumes reads them again.
func (run *run) took(f fetched, learned *stream.Batch, learning time.Duration) {
	run.learning += learning
	run.sum(f.batch)
	run.rows += int64(f.batch.X.RawMatrix().Rows)
	if learned != nil {
		run.learned += int64(learned.X.RawMatrix().Rows)
	}
	if f.learned != nil {
		run.byFile.add(f.learned)
	}
	run.Show(f.share(run.rows, run.total), fmt.Sprintf("%d rows", run.rows))
}

// sum adds the rows of a batch to the checksum, XXH64 over the values in their order: of each row
// the inputs, then the targets, or the label with its length, then the weight if there are any. It
// depends neither on the batches nor on how the values were written.
func (run *run) sum(b *stream.Batch) {
	values := func(m *mat.Dense, i int) {
		for _, v := range m.RawRowView(i) {
			run.buffer = binary.LittleEndian.AppendUint64(run.buffer, math.Float64bits(v))
		}
	}
	l, _ := b.X.Dims()
	for i := range l {
		run.buffer = run.buffer[:0]
		values(b.X, i)
		if b.Labels != nil {
			run.buffer = binary.LittleEndian.AppendUint64(run.buffer, uint64(len(b.Labels[i])))
			run.buffer = append(run.buffer, b.Labels[i]...)
		}
		if b.Y != nil {
			values(b.Y, i)
		}
		if b.Weights != nil {
			run.buffer = binary.LittleEndian.AppendUint64(run.buffer, math.Float64bits(b.Weights[i]))
		}
		_, _ = run.digest.Write(run.buffer) // which cannot fail
	}
}

// content returns the checksum of the rows so far.
func (run *run) content() string { return strconv.FormatUint(run.digest.Sum64(), 16) }

// finish writes the model, once it has weights, and reports. A model whose folder may not be on the
// disk is a result with an error.
func (run *run) finish(ctx context.Context) error {
	begun := time.Now()
	if _, err := run.model.Weights(); err != nil {
		return explainLearning(err)
	}
	run.learning += time.Since(begun)
	run.warnOfRare()
	unscored := run.score(ctx)
	run.listLearned(run.model, run.byFile, false)
	// A run that is stopped while it scores is a checkpoint: --resume scores.
	err := run.write(unscored == nil || ctx.Err() == nil || !run.checkpoint.wanted())
	if err != nil && !onlyFolder(err) {
		return err
	}
	if told := run.summarize(); told != nil || err == nil {
		return errors.Join(told, unscored, err)
	}
	return fmt.Errorf("%w; the rows are in the model: do not repeat the %s", err, work(run.name))
}

// writeCheckpoint writes the model and says so once it is on the disk. A folder that may not be on the
// disk is a note only: the next checkpoint or the end brings it there.
func (run *run) writeCheckpoint() error {
	if err := run.write(false); onlyFolder(err) {
		run.Warn("%v", err)
		return nil
	} else if err != nil {
		return err
	}
	if err := run.Object(map[string]any{"checkpoint": run.out, "rows": run.rows}); err != nil {
		return err
	}
	return run.Say("%s   checkpoint after %d rows", run.out, run.rows)
}

// write writes the model to its file, as put does.
func (run *run) write(done bool) error {
	begun := time.Now()
	if err := run.note(&run.model.Metadata, run.rows, run.content(), done); err != nil {
		return err
	}
	if err := noteScore(&run.model.Metadata, run.scored); err != nil {
		return err
	}
	err := run.put(run.out, run.model)
	if err == nil || onlyFolder(err) {
		run.kept = run.rows
	}
	run.writing += time.Since(begun)
	run.last = time.Now()
	return err
}

// stopped returns the reason, after a checkpoint if the run was interrupted and they are wanted.
func (run *run) stopped(ctx context.Context, err error) error {
	err = run.explain(ui.CauseOf(ctx, err))
	if ctx.Err() != nil && run.checkpoint.wanted() && run.rows > run.kept {
		if kept := run.writeCheckpoint(); kept != nil {
			// Not joined: Run would report the interruption alone.
			return fmt.Errorf("%v, and the checkpoint could not be written: %w", err, kept)
		}
	}
	return err
}

// A summary is the JSON of a finished run.
type summary struct {
	Model string `json:"model"`
	description
	Rows    int64   `json:"rows"` // learned by this run
	Seconds float64 `json:"seconds"`
	Rate    float64 `json:"rows_per_second"`
	Waiting float64 `json:"waiting_seconds"` // for input
	Learn   float64 `json:"learning_seconds"`
	Writing float64 `json:"writing_seconds"`  // the model
	Choice  *choice `json:"choice,omitempty"` // of train
	Holdout quality `json:"holdout,omitempty"`
}

// summarize reports the finished run.
func (run *run) summarize() error {
	elapsed := time.Since(run.begun).Seconds()
	s := summary{
		Model: run.out, description: describe(run.model), Rows: run.learned, Seconds: elapsed, Rate: float64(run.learned) / elapsed,
		Waiting: run.waiting.Seconds(), Learn: run.learning.Seconds(), Writing: run.writing.Seconds(), Holdout: run.scored,
	}
	if run.name == "train" {
		s.Choice = choiceOf(run.model)
	}
	if err := run.Object(s); err != nil {
		return err
	}
	if err := run.Say("%s   %s by %s, %s in all", s.Model, s.description, s.Method, ui.Count(s.Samples, "sample")); err != nil {
		return err
	}
	if c := s.Choice; c != nil {
		if err := run.Say("settings: %s: %s", c.settings(), c.score()); err != nil {
			return err
		}
	}
	if run.scored != nil {
		if err := run.Say("held out: %s", run.scored.brief()); err != nil {
			return err
		}
	}
	percent := 100 / elapsed
	return run.Say("learned %s in %.2f s, %.0f rows/s: %.0f%% of the time computing, %.0f%% waiting for input, %.0f%% writing the model",
		ui.Count(s.Rows, "row"), s.Seconds, s.Rate, percent*s.Learn, percent*s.Waiting, percent*s.Writing)
}
