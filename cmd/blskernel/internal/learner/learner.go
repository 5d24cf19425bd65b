// Package learner trains a model on the rows of its input, batch by batch, with checkpoints, and writes
// it. train makes the model from the first batch; update loads it.
package learner

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"

	"blskernel/bls"
	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/input"
	"blskernel/cmd/blskernel/internal/score"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/internal/io/names"
	"blskernel/internal/io/npy"

	"github.com/cespare/xxhash/v2"
	"github.com/spf13/cobra"
)

// A Learner is a run of train or update.
type Learner struct {
	session.Session
	In       input.Input
	Manifest session.Manifest

	// Flags of train and update, unless noted.
	Out        string // the file of the model
	Resume     bool
	checkpoint interval
	Holdout    model.Holdout // of train
	Folds      int           // of train
	Scoring    bool          // of update

	Model   *model.Model
	Known   int64 // rows of the checkpoint from which the run resumes
	batches *input.Batches
	digest  *xxhash.Digest // of all rows read
	buffer  []byte
	cells   []string // names of the input columns, for messages

	first, rest int // rows in the first batch, and in each later one

	byFile  input.RowCount // the rows of each file that are not held out
	rows    int64          // all rows read, held-out rows included
	Learned int64          // rows that this run has learned
	Total   int64          // rows of the input, -1 if unknown
	kept    int64          // rows read when the file was last written
	far     score.Far      // the rows after the first batch of train, before they are learned
	tested  *stream.Batch  // the batch on which train calibrates the model
	scored  score.Quality  // of the rows held out, once they are scored
	folds   *score.Folds   // of the cross-validation, once it is done
	begun   time.Time
	last    time.Time // of the last write of the file; equal to begun before any

	waiting, learning, writing time.Duration
}

// Begin checks the paths, including args, and that no flag rereads a source that can be read only once.
func (l *Learner) Begin(cmd *cobra.Command, args []string) (err error) {
	l.begun = time.Now()
	if err = l.In.Begin(args, &l.Session); err != nil {
		return err
	}
	if err = l.In.CheckTwice(); err != nil {
		return err
	}
	once := l.In.Once()
	for _, again := range []struct {
		given bool
		what  string
	}{
		{l.Folds > 0, "--cv reads the data again"},
		{l.Holdout > 0, "--holdout reads the data again at the end"},
		{l.Resume, "--resume reads the data from the beginning again"}, // to check that its rows are the same
	} {
		if again.given && once != "" {
			return ui.Usagef("%s, but %s can be read only once: leave the flag out, or save the data to a file", again.what, once)
		}
	}
	if l.Manifest, err = session.NewManifest(cmd, l.Backend, l.In.Sources(), once); err == nil && l.checkpoint.wanted() && once != "" {
		l.Warn("no run can resume from these checkpoints, since %s cannot be read again; they only save the model so far", once)
	}
	return err
}

// Start begins to read r from its beginning: a batch of first rows, then batches of rest rows. A
// resumed run reads the rows of the checkpoint in the batches in which they were learned, if first and
// rest have not changed and no earlier run ended within a batch. stop ends the reading and closes r.
func (l *Learner) Start(ctx context.Context, r *stream.Reader, first, rest int) (stop func()) {
	if l.Model != nil {
		l.SetNewClassPolicy()
	}
	l.Total, l.digest, l.last, l.byFile = r.Rows(), xxhash.New(), l.begun, input.RowCount{}
	l.cells = input.CellNames(r)
	l.first, l.rest = first, rest
	l.batches = input.ReadAhead(ctx, r, l.Known, first, rest)
	return l.batches.Stop
}

// SetNewClassPolicy makes the model report new classes or, if l.In.Closed is not empty, reject them.
func (l *Learner) SetNewClassPolicy() {
	m := l.Model
	m.Closed = l.In.Closed != ""
	m.Gained = func(place string, added []string) {
		what := fmt.Sprintf("the label %q is", added[0])
		if len(added) > 1 {
			what = fmt.Sprintf("the labels %s are", names.List(added))
		}
		l.Warn("%s: %s new to the model, which now has %d classes", place, what, len(m.Labels()))
		l.WarnOfAlike(m.Labels(), len(m.Labels())-len(added))
	}
}

// WarnOfAlike prints a note if a label in labels[from:] is the same number as a label before it, or
// differs from it only in case, spaces or invisible characters.
func (l *Learner) WarnOfAlike(labels []string, from int) {
	seen := map[any]string{}
	for i, label := range labels {
		plain := strings.Map(visible, label)
		var key any = plain
		if v, err := strconv.ParseFloat(plain, 64); err == nil {
			key = v
		}
		if before, same := seen[key]; same && i >= from {
			l.Warn("the labels %q and %q look alike, but are different classes: spell them the same way if they mean the same class", before, label)
			return
		}
		seen[key] = label
	}
}

// visible returns r in lower case, or -1 for a space or an invisible character.
func visible(r rune) rune {
	if unicode.IsSpace(r) || !unicode.IsGraphic(r) {
		return -1
	}
	return unicode.ToLower(r)
}

// Log adds op, the log entry of this run. finish adds the files to op; a checkpoint's log lists none.
func (l *Learner) Log(op modelfile.Operation) {
	op.First, op.Batch, op.Holdout, op.Arithmetic = l.first, l.rest, float64(l.Holdout), model.Arithmetic(l.Backend)
	l.Model.Log(op)
}

// logEnd records in the log where the earlier run ended, if it ended within a batch because its data
// had fewer rows.
func (l *Learner) logEnd() {
	log := l.Model.Metadata.Log
	if l.Known == 0 || len(log) == 0 || log[len(log)-1].Kind == modelfile.OpCut {
		return
	}
	op := &log[len(log)-1]
	from := int64(op.First)
	if n := len(op.Ends); n > 0 {
		from = op.Ends[n-1]
	}
	if l.Known < from || (l.Known-from)%int64(max(1, op.Batch)) != 0 {
		op.Ends = append(op.Ends, l.Known)
	}
}

// A Batch is a batch as it was read, together with the rows to learn from it.
type Batch struct {
	input.Fetched
	Learned *stream.Batch // the rows not held out, nil for none
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

// LearnAll learns the remaining rows, writes the model and prints the summary. If learning fails, the
// file stays as the last checkpoint left it; a canceled run with checkpoints writes one more.
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
			l.far.TellLearned(&l.Reporter)
			break
		}
		if f.Err == nil {
			if l.rows == l.Known {
				l.logEnd()
			}
			if f.Learned != nil && l.Model.KeptRows() == 0 { // else the maps may change
				_, _ = l.far.Count(ctx, l.Model, f.Learned) // an error recurs in learning
			}
			f.Err = l.LearnBatch(f, func(b *stream.Batch) error { return l.learn(ctx, b) })
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
	log := l.Model.Metadata.Log
	switch {
	case l.Learned > 0:
	case l.Known == 0:
		return fmt.Errorf("%w: %s is not written", session.ErrNoRows, l.Out)
	case l.Model.Metadata.Progress.Done && l.Folds > 0 && len(log) > 0 && log[len(log)-1].Kind == modelfile.OpCut:
		return ui.Usagef("%s is complete, but its log has no room for the names of the files, so the cross-validation cannot continue: train again without --resume", l.Out)
	case l.Model.Metadata.Progress.Done && l.Folds > 0 && len(log) > 0: // perhaps interrupted in a fold
		if err := l.crossValidate(ctx, &log[len(log)-1]); err != nil {
			return err
		}
		return l.summarize()
	case l.Model.Metadata.Progress.Done:
		return cmp.Or(l.Object(map[string]any{"done": l.Out, "rows": l.rows}),
			l.Say("%s   is complete: %s been read", l.Out, ui.Count(l.rows, "row has", "rows have")))
	}
	return l.finish(ctx)
}

// learn lets the model learn b. An update first predicts b: with --score for the running score, and to
// renew a calibration if the rows may be among the last CalibrationRows.
func (l *Learner) learn(ctx context.Context, b *stream.Batch) error {
	l.Model.Calibrating = l.Manifest.Name == "update" &&
		(l.Total < 0 || l.rows+int64(b.X.RawMatrix().Rows) > l.Total-bls.CalibrationRows) && l.Model.Calibrated()
	if !l.Scoring {
		return l.Model.Learn(ctx, b)
	}
	fall, err := score.LearnScored(ctx, l.Model, b)
	if fall != "" {
		l.Warn("%s", fall)
	}
	return err
}

// LearnBatch calls do with f.Learned, sets bad rows aside, and counts the rows and the time.
func (l *Learner) LearnBatch(f Batch, do func(*stream.Batch) error) error {
	begun := time.Now()
	learned, err := l.In.LearnSkippingBad(f.Learned, do)
	if err != nil {
		return err
	}
	l.learning += time.Since(begun)
	if learned != nil {
		l.Learned += int64(learned.X.RawMatrix().Rows)
	}
	l.count(f, "")
	return nil
}

// enoughTested is the minimum number of rows with which a later batch can calibrate the model of train.
const enoughTested = 1000

// count counts the rows of f as read, even when a resumed run reads them again. The progress text
// begins with doing. For train, count keeps in l.tested the batch that calibrates the model, including
// rows that overflow the model: the last batch after the first with enoughTested rows to learn. If none
// has as many, it keeps the first, unless the choice of the settings calibrated the model.
func (l *Learner) count(f Batch, doing string) {
	l.sum(f.Batch)
	if f.Learned != nil && l.Manifest.Name == "train" && l.Model.KeptRows() == 0 &&
		(l.rows > 0 && f.Learned.X.RawMatrix().Rows >= enoughTested || l.tested == nil && !l.Model.Calibrated()) {
		l.tested = f.Learned
	}
	l.rows += int64(f.Batch.X.RawMatrix().Rows)
	if f.Learned != nil {
		l.byFile.Add(f.Learned)
	}
	l.Show(f.Share(l.rows, l.Total), doing+ui.Count(l.rows, "row"))
}

// sum adds the rows of a batch to the checksum, XXH64 over the values in order: for each row the
// inputs, then the targets, or the length of the label and the label, then the weight, if any. It
// depends neither on the batches nor on how the values were written.
func (l *Learner) sum(b *stream.Batch) {
	for i := range b.X.RawMatrix().Rows {
		row := npy.AppendFloats(l.buffer[:0], b.X.RawRowView(i))
		if b.Labels != nil {
			row = binary.LittleEndian.AppendUint64(row, uint64(len(b.Labels[i])))
			row = append(row, b.Labels[i]...)
		}
		if b.Y != nil {
			row = npy.AppendFloats(row, b.Y.RawRowView(i))
		}
		if b.Weights != nil {
			row = npy.AppendFloats(row, b.Weights[i:i+1])
		}
		l.buffer = row
		_, _ = l.digest.Write(row) // never fails
	}
}

func (l *Learner) content() string { return strconv.FormatUint(l.digest.Sum64(), 16) }
