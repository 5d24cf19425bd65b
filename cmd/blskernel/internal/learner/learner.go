// Package learner lets a model learn the rows of its input, batch after batch, with checkpoints, and
// writes it. train makes the model of the first batch; update loads it.
package learner

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/input"
	"blskernel/cmd/blskernel/internal/score"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/internal/io/atomicfile"
	"blskernel/internal/io/names"
	"blskernel/mat"

	"github.com/cespare/xxhash/v2"
	"github.com/spf13/cobra"
)

// A Learner is a run of train or update.
type Learner struct {
	session.Session
	In       input.Input
	Manifest session.Manifest

	// Flags of both commands.
	Out        string // the file of the model
	Resume     bool
	checkpoint interval
	Holdout    model.Holdout // of train
	Folds      int           // of train
	Scoring    bool          // of update

	Model   *model.Model
	Known   int64 // rows that the checkpoint has from which the run resumes
	batches *input.Batches
	digest  *xxhash.Digest // of the rows that the model has learned
	buffer  []byte
	cells   []string // the columns of the inputs, for messages

	first, rest int // rows that the batches are read by

	byFile  input.RowCount // of the rows that the model has learned
	rows    int64          // all rows read, also those held out
	learned int64          // rows that this run has learned
	Total   int64          // rows of the input, -1 if unknown
	kept    int64          // rows that the file has
	tested  *stream.Batch  // what train calibrates the model by
	scored  score.Quality  // of the rows held out, once they are scored
	folds   *score.Folds   // of the cross-validation, once it is done
	begun   time.Time
	last    time.Time // checkpoint

	waiting, learning, writing time.Duration
}

// RegisterCheckpoint adds --checkpoint and --resume.
func (l *Learner) RegisterCheckpoint(cmd *cobra.Command, resume string) {
	ui.Parsed(cmd, &l.checkpoint, "checkpoint", "", "write the model after this many rows, as 100000, or this much time, as 5m, and when interrupted", parseInterval)
	cmd.Flags().BoolVar(&l.Resume, "resume", false, resume)
}

// Begin checks the flags that train and update share.
func (l *Learner) Begin(cmd *cobra.Command, args []string, s ui.Streams) (err error) {
	l.begun = time.Now()
	if err = l.Session.Begin(s); err != nil {
		return err
	}
	if err = l.In.Begin(args, &l.Session); err != nil {
		return err
	}
	if path := l.In.Twice(); path != "" {
		return ui.Usagef("%q is given twice, and its rows would count twice: leave one out", path)
	}
	once := l.In.Once()
	if err := l.checkFolds(once); err != nil {
		return err
	}
	if l.Holdout > 0 && once != "" {
		return ui.Usagef("--holdout reads the data again at the end, which %s cannot be: leave it out, or save the data to a file", once)
	}
	if l.Resume && once != "" { // whether it has the rows of before is unknown
		return ui.Usagef("--resume reads the data from the beginning again, which %s cannot be: leave it out, or save the data to a file", once)
	}
	if l.Manifest, err = session.NewManifest(cmd, l.Backend, l.In.Sources(), once); err == nil && l.checkpoint.wanted() && once != "" {
		l.Warn("no run can resume from these checkpoints, since %s cannot be read again: they keep what has been learned", once)
	}
	return err
}

// Start begins to read r, which is at its beginning: the rows that the checkpoint has, if the run
// resumes from one, a batch of first rows, and batches of rest rows. It takes over r.
func (l *Learner) Start(ctx context.Context, r *stream.Reader, first, rest int) {
	if l.Model != nil {
		l.SetNewClassPolicy()
	}
	l.Total, l.digest, l.last, l.byFile = r.Rows(), xxhash.New(), l.begun, input.RowCount{}
	l.cells = input.CellNames(r)
	l.first, l.rest = first, rest
	l.batches = input.ReadAhead(ctx, r, l.Known, first, rest)
}

// SetNewClassPolicy makes the model report new classes, or refuse them.
func (l *Learner) SetNewClassPolicy() {
	m := l.Model
	m.Closed = l.In.Closed != ""
	m.Gained = func(place string, added []string) {
		what := fmt.Sprintf("the label %q is", added[0])
		if len(added) > 1 {
			what = fmt.Sprintf("the labels %s are", names.List(added))
		}
		l.Warn("%s", fmt.Sprintf("%s: %s new to the model, which has %d classes now", place, what, len(m.Labels())))
	}
}

// Log starts the log entry of this run, which ends with the run: a checkpoint lists no files.
func (l *Learner) Log(op modelfile.Operation) {
	op.First, op.Batch, op.Holdout, op.Arithmetic = l.first, l.rest, float64(l.Holdout), model.Arithmetic(l.Backend)
	l.Model.Log(op)
}

// operation returns the last operation of the log, nil for the checkpoint of a program without logs.
func (l *Learner) operation() *modelfile.Operation {
	log := l.Model.Metadata.Log
	if len(log) == 0 {
		return nil
	}
	return &log[len(log)-1]
}

// Stop ends the reading.
func (l *Learner) Stop() { l.batches.Stop() }

// Learned returns the rows that this run has learned.
func (l *Learner) Learned() int64 { return l.learned }

// A Batch is a batch with its rows to learn.
type Batch struct {
	input.Fetched
	Learned *stream.Batch // but for those held out, nil for none
}

// Next returns the next batch, and adds the time that it took to the waiting time.
func (l *Learner) Next(ctx context.Context) Batch {
	begun := time.Now()
	f := Batch{Fetched: l.batches.Take(ctx)}
	l.waiting += time.Since(begun)
	if f.Err == nil {
		f.Learned = l.Holdout.Rest(f.Batch, l.rows)
	}
	return f
}

// LearnAll learns the remaining rows, writes the model and reports. On error the file is as the last
// checkpoint made it; a canceled run with checkpoints writes one more.
func (l *Learner) LearnAll(ctx context.Context) error {
	if err := l.checkEnd(); err != nil {
		return err
	}
	if err := l.replay(ctx); err != nil {
		return l.stopped(ctx, err)
	}
	for {
		f := l.Next(ctx)
		if errors.Is(f.Err, io.EOF) {
			l.In.Tell(f.Tally, l.cells)
			break
		}
		if f.Err == nil {
			begun := time.Now()
			var learned *stream.Batch
			learned, f.Err = l.In.LearnSkippingBad(f.Learned, func(b *stream.Batch) error { return l.learn(ctx, b) })
			if f.Err == nil {
				l.RecordBatch(f, learned, time.Since(begun))
			}
		}
		if f.Err != nil {
			return l.stopped(ctx, f.Err)
		}
		if l.checkpoint.due(l.rows-l.kept, time.Since(l.last)) {
			if err := l.writeCheckpoint(); err != nil {
				return err
			}
		}
	}
	switch {
	case l.learned > 0:
	case l.Known == 0:
		return fmt.Errorf("%w: %s is not written", session.ErrNoRows, l.Out)
	case l.Model.Metadata.Progress.Done:
		if err := l.Object(map[string]any{"done": l.Out, "rows": l.rows}); err != nil {
			return err
		}
		return l.Say("%s   is done: all %s have been learned", l.Out, ui.Count(l.rows, "row"))
	}
	return l.finish(ctx)
}

// checkEnd returns the error with which the model could not be written at the end.
func (l *Learner) checkEnd() error {
	if err := l.Recordable(l.Model.Metadata); err != nil {
		return err
	}
	u := l.Model.Updater()
	return atomicfile.Room(l.Out, blsupdate.StateBytes(u.Method(), l.samplesAtEnd(), u.Nodes(), u.Targets()))
}

// samplesAtEnd returns the expected number of samples at the end; future rows of a pipe are unknown.
func (l *Learner) samplesAtEnd() int {
	left := max(0, l.Total-max(l.rows, l.Known))
	learned := int64(float64(left) * float64(1-l.Holdout))
	return int(min(int64(l.Model.Updater().Samples())+learned, math.MaxInt))
}

// replay reads the rows of the checkpoint again, which must be those that were learned.
func (l *Learner) replay(ctx context.Context) error {
	for l.rows < l.Known {
		f := l.Next(ctx)
		if errors.Is(f.Err, io.EOF) {
			return ui.Usagef("--resume: the data has %s, and %s has learned %d: give it the data of before, or leave out --resume",
				ui.Count(l.rows, "row"), l.Out, l.Known)
		}
		if f.Err != nil {
			return f.Err
		}
		l.sum(f.Batch)
		l.keep(f.Learned)
		if f.Learned != nil {
			l.byFile.Add(f.Learned)
		}
		l.rows += int64(f.Batch.X.RawMatrix().Rows)
		l.kept = l.rows
		l.Show(f.Share(l.rows, l.Total), fmt.Sprintf("reading again, %d rows", l.rows))
	}
	if l.Known > 0 && l.content() != l.Model.Metadata.Notes[session.NoteContent] {
		return ui.Usagef("--resume: the first %d rows of the data are not those that %s has learned: give it the data of before, or leave out --resume",
			l.Known, l.Out)
	}
	return nil
}

// RecordBatch counts a batch: all of its rows as read, the given rows as learned. It counts in the same
// way when a run that resumes reads the rows again.
func (l *Learner) RecordBatch(f Batch, learned *stream.Batch, learning time.Duration) {
	l.learning += learning
	l.sum(f.Batch)
	l.keep(learned)
	l.rows += int64(f.Batch.X.RawMatrix().Rows)
	if learned != nil {
		l.learned += int64(learned.X.RawMatrix().Rows)
	}
	if f.Learned != nil {
		l.byFile.Add(f.Learned)
	}
	l.Show(f.Share(l.rows, l.Total), fmt.Sprintf("%d rows", l.rows))
}

// sum adds the rows of a batch to the checksum, XXH64 over the values in their order: of each row
// the inputs, then the targets, or the label with its length, then the weight if there are any. It
// depends neither on the batches nor on how the values were written.
func (l *Learner) sum(b *stream.Batch) {
	values := func(m *mat.Dense, i int) {
		for _, v := range m.RawRowView(i) {
			l.buffer = binary.LittleEndian.AppendUint64(l.buffer, math.Float64bits(v))
		}
	}
	for i := range b.X.RawMatrix().Rows {
		l.buffer = l.buffer[:0]
		values(b.X, i)
		if b.Labels != nil {
			l.buffer = binary.LittleEndian.AppendUint64(l.buffer, uint64(len(b.Labels[i])))
			l.buffer = append(l.buffer, b.Labels[i]...)
		}
		if b.Y != nil {
			values(b.Y, i)
		}
		if b.Weights != nil {
			l.buffer = binary.LittleEndian.AppendUint64(l.buffer, math.Float64bits(b.Weights[i]))
		}
		_, _ = l.digest.Write(l.buffer) // which cannot fail
	}
}

// content returns the checksum of the rows so far.
func (l *Learner) content() string { return strconv.FormatUint(l.digest.Sum64(), 16) }

// Recordable returns the error with which writing the metadata would fail once the run has learned its
// files, so that it comes before the work.
func (l *Learner) Recordable(meta modelfile.Metadata) error {
	meta.Notes, meta.Log = maps.Clone(meta.Notes), nil // which gives way
	if err := l.Manifest.Note(&meta, math.MaxInt64, strings.Repeat("f", 16), false); err != nil {
		return err
	}
	listed := model.Model{File: &modelfile.File{Metadata: meta}}
	for _, path := range l.In.Paths {
		listed.AddLearned(modelfile.Learned{Name: session.Recorded(filepath.Base(path)), Size: math.MaxInt64, Rows: math.MaxInt64, Hash: meta.Notes[session.NoteContent]})
	}
	return listed.Metadata.Check()
}

// finish writes the model, once it has weights, and reports. A model whose folder may not be on the
// disk is a result with an error.
func (l *Learner) finish(ctx context.Context) error {
	begun := time.Now()
	if _, err := l.Model.Weights(); err != nil {
		return l.In.Explain(err)
	}
	if err := l.calibrate(ctx); err != nil {
		return l.stopped(ctx, err)
	}
	l.learning += time.Since(begun)
	l.warnOfRare()
	if n := l.Model.KeptRows(); n > 0 {
		l.Warn("%s are too few to fix feature maps by: the model file keeps them, and update fits it anew to all until there are 200, or 10 for each class", ui.Count(n, "row"))
	}
	unscored := l.score(ctx)
	files := l.In.ListLearned(l.Model, l.byFile, false)
	if op := l.operation(); op != nil {
		op.Files, op.Read = files, l.In.Reading()
	}
	// A run that is stopped while it scores is a checkpoint: --resume scores.
	err := l.write(unscored == nil || ctx.Err() == nil || !l.checkpoint.wanted())
	if err != nil && !session.OnlyFolder(err) {
		return err
	}
	unscored = cmp.Or(unscored, l.crossValidate(ctx))
	if told := l.summarize(); told != nil || err == nil {
		return errors.Join(told, unscored, err)
	}
	return fmt.Errorf("%w; the rows are in the model: do not repeat the %s", err, session.Work(l.Manifest.Name))
}

// writeCheckpoint writes the model and says so once it is on the disk. A folder that may not be on the
// disk is a note only: the next checkpoint or the end brings it there.
func (l *Learner) writeCheckpoint() error {
	if err := l.write(false); session.OnlyFolder(err) {
		l.Warn("%v", err)
		return nil
	} else if err != nil {
		return err
	}
	if err := l.Object(map[string]any{"checkpoint": l.Out, "rows": l.rows}); err != nil {
		return err
	}
	return l.Say("%s   checkpoint after %d rows", l.Out, l.rows)
}

// write writes the model to its file, as put does.
func (l *Learner) write(done bool) error {
	begun := time.Now()
	if err := l.Manifest.Note(&l.Model.Metadata, l.rows, l.content(), done); err != nil {
		return err
	}
	if err := score.Note(&l.Model.Metadata, l.scored); err != nil {
		return err
	}
	err := l.Put(l.Out, l.Model)
	if err == nil || session.OnlyFolder(err) {
		l.kept = l.rows
	}
	l.writing += time.Since(begun)
	l.last = time.Now()
	return err
}

// stopped returns the reason, after a checkpoint if the run was interrupted and they are wanted.
func (l *Learner) stopped(ctx context.Context, err error) error {
	err = l.In.Explain(ui.CauseOf(ctx, err))
	if ctx.Err() != nil && l.checkpoint.wanted() && l.rows > l.kept {
		if kept := l.writeCheckpoint(); kept != nil {
			// Not joined: Run would report the interruption alone.
			return fmt.Errorf("%v, and the checkpoint could not be written: %w", err, kept)
		}
	}
	return err
}

// A summary is the JSON of a finished l.
type summary struct {
	Model string `json:"model"`
	session.Description
	Rows    int64           `json:"rows"` // learned by this run
	Seconds float64         `json:"seconds"`
	Rate    float64         `json:"rows_per_second"`
	Waiting float64         `json:"waiting_seconds"` // for input
	Learn   float64         `json:"learning_seconds"`
	Writing float64         `json:"writing_seconds"`  // the model
	Choice  *session.Choice `json:"choice,omitempty"` // of train
	Holdout score.Quality   `json:"holdout,omitempty"`
	Folds   *score.Folds    `json:"cv,omitempty"`
	Running *score.Before   `json:"running,omitempty"` // of update --score
}

func (l *Learner) summarize() error {
	elapsed := time.Since(l.begun).Seconds()
	s := summary{
		Model: l.Out, Description: session.Describe(l.Model), Rows: l.learned, Seconds: elapsed, Rate: float64(l.learned) / elapsed,
		Waiting: l.waiting.Seconds(), Learn: l.learning.Seconds(), Writing: l.writing.Seconds(), Holdout: l.scored, Folds: l.folds,
	}
	if l.Manifest.Name == "train" {
		s.Choice = session.ChoiceOf(l.Model)
	}
	if l.Scoring {
		s.Running = score.BeforeOf(l.Model)
	}
	if err := l.Object(s); err != nil {
		return err
	}
	if err := l.Say("%s   %s by %s, %s in all", s.Model, s.Description, s.Method, ui.Count(s.Samples, "sample")); err != nil {
		return err
	}
	if c := s.Choice; c != nil {
		if err := l.Say("settings: %s: %s", c.Settings(), c.Reached()); err != nil {
			return err
		}
	}
	if l.scored != nil {
		if err := l.Say("held out: %s", l.scored.Brief()); err != nil {
			return err
		}
	}
	if s.Running != nil {
		if err := l.Say("before they were learned: %s", s.Running); err != nil {
			return err
		}
	}
	if l.folds != nil {
		if err := l.Say("%v", l.folds); err != nil {
			return err
		}
	}
	percent := 100 / elapsed
	return l.Say("learned %s in %.2f s, %.0f rows/s: %.0f%% of the time computing, %.0f%% waiting for input, %.0f%% writing the model",
		ui.Count(s.Rows, "row"), s.Seconds, s.Rate, percent*s.Learn, percent*s.Waiting, percent*s.Writing)
}
