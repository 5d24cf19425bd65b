package learner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"strings"
	"time"

	"blskernel/bls"
	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/score"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/internal/io/atomicfile"
)

// checkEnd returns an error if, at the end of the run, the metadata will be too large or the disk full.
func (l *Learner) checkEnd() error {
	if err := l.Recordable(l.Model.Metadata); err != nil {
		return err
	}
	u := l.Model.Updater()
	if u == nil { // until there are enough rows
		return nil
	}
	return atomicfile.Room(l.Out, blsupdate.StateBytes(u.Method(), l.samplesAtEnd(), u.Nodes(), u.Targets()))
}

// samplesAtEnd returns the expected number of samples at the end, or the current one if Total is -1.
func (l *Learner) samplesAtEnd() int {
	left := max(0, l.Total-max(l.rows, l.Known))
	learned := int64(float64(left) * float64(1-l.Holdout))
	return int(min(int64(l.Model.Updater().Samples())+learned, math.MaxInt))
}

// Recordable returns the error that writing the metadata would return once the run has learned its
// files. It lets the run fail before any work is done.
func (l *Learner) Recordable(meta modelfile.Metadata) error {
	meta.Notes, meta.Log = maps.Clone(meta.Notes), modelfile.Log{{Kind: modelfile.OpCut}} // Put keeps at least this entry
	if err := l.Manifest.Note(&meta, math.MaxInt64, strings.Repeat("f", 16), false); err != nil {
		return err
	}
	listed := model.Model{File: &modelfile.File{Metadata: meta}}
	for _, path := range l.In.Paths {
		listed.AddLearned(modelfile.Learned{Name: session.Recorded(filepath.Base(path)), Size: math.MaxInt64, Rows: math.MaxInt64, Hash: meta.Notes[session.NoteContent]})
	}
	return listed.Metadata.Check()
}

// finish calibrates, scores and writes the model, and prints the summary. If only the folder's sync
// fails, it prints the summary and returns an error.
func (l *Learner) finish(ctx context.Context) error {
	begun := time.Now()
	if _, err := l.Model.Weights(); err != nil {
		return l.In.Explain(err)
	}
	if l.tested != nil { // predict reports a calibration that failed, if it needs one
		_, err := model.SkipBad(l.tested, func(b *stream.Batch) error { return l.Model.Calibrate(ctx, b, model.LearnedRows) },
			func(*model.Error) error { return nil }) // the row was set aside during learning
		if err != nil && ctx.Err() != nil {
			return l.stopped(ctx, err)
		}
	}
	l.learning += time.Since(begun)
	l.warnOfRare()
	if n := l.Model.KeptRows(); n > 0 {
		l.Warn("%s too few to make the feature maps final, so the model file keeps the rows, and update fits the model to all rows again until there are 200, or 10 for each class if that is more", ui.Count(n, "row is", "rows are"))
	}
	var unscored error
	if l.Holdout > 0 {
		unscored = l.scoreHeldOut(ctx)
	}
	// A run that is stopped while it scores leaves a checkpoint, so that --resume can score.
	done := unscored == nil || ctx.Err() == nil || !l.checkpoint.wanted()
	var op *modelfile.Operation // nil for a checkpoint, and if the log has no entry of this run
	if done {
		if log := l.Model.Metadata.Log; len(log) > 0 && log[len(log)-1].Kind != modelfile.OpCut {
			op = &log[len(log)-1]
			l.Model.Unlist(op.Files) // listed by a finished run before the data grew
		}
		files := l.In.ListLearned(l.Model, l.byFile, false)
		if op != nil {
			op.Files, op.Read = files, l.In.Reading()
		}
	}
	err := l.write(done)
	if err != nil && !session.OnlyFolder(err) {
		return err
	}
	if l.Folds > 0 && op != nil && unscored == nil {
		unscored = l.crossValidate(ctx, op)
	}
	if told := l.summarize(); told != nil || err == nil {
		return errors.Join(told, unscored, err)
	}
	return fmt.Errorf("%w; the model has learned the rows, so do not repeat the %s", err, session.Work(l.Manifest.Name))
}

func (l *Learner) write(done bool) error {
	begun := time.Now()
	if err := l.Manifest.Note(&l.Model.Metadata, l.rows, l.content(), done); err != nil {
		return err
	}
	delete(l.Model.Metadata.Notes, session.NoteHoldout)
	if l.scored != nil {
		if err := score.Note(&l.Model.Metadata, session.NoteHoldout, l.scored); err != nil {
			return err
		}
	}
	err := l.Put(l.Out, l.Model)
	if err == nil || session.OnlyFolder(err) {
		l.kept = l.rows
	}
	l.writing += time.Since(begun)
	l.last = time.Now()
	return err
}

const (
	// rareShare is the share of the rows below which a class is rare. With more than ten classes
	// the limit is half of an equal share.
	rareShare = 0.05
	// maxRare is the largest number of rare classes that a note names.
	maxRare = 3
)

// warnOfRare prints a note if learned rows of a class are rare, unless --class-weight is balanced.
func (l *Learner) warnOfRare() {
	c := l.Model.Classifier
	if c == nil || c.ClassWeight == bls.Balanced {
		return
	}
	counts, total := c.ClassCounts(), 0.0
	for _, n := range counts {
		total += n
	}
	var rare []string
	for class, n := range counts {
		if n < total*min(rareShare, 0.5/float64(len(counts))) {
			rare = append(rare, fmt.Sprintf("%s %.2g%%", ui.Printable(l.Model.Labels()[class]), 100*n/total))
		}
	}
	if len(rare) == 0 {
		return
	}
	what := ui.Count(len(rare), "class is", "classes are")
	if len(rare) > maxRare {
		rare = append(rare[:maxRare], "...")
	}
	l.Warn("%s rare among the %.0f rows learned (%s), and may be predicted too rarely: train with --class-weight balanced to find more rows of rare classes", what, total, strings.Join(rare, ", "))
}

// A summary is the JSON output of a finished run.
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
		Model: l.Out, Description: session.Describe(l.Model), Rows: l.Learned, Seconds: elapsed, Rate: float64(l.Learned) / elapsed,
		Waiting: l.waiting.Seconds(), Learn: l.learning.Seconds(), Writing: l.writing.Seconds(), Holdout: l.scored, Folds: l.folds,
	}
	text := fmt.Sprintf("%s   %s by %s, %s in all\n", s.Model, s.Description, s.Method, ui.Count(s.Samples, "sample"))
	if l.Manifest.Name == "train" {
		if s.Choice = session.ChoiceOf(l.Model); s.Choice != nil {
			text += fmt.Sprintf("settings: %s: %s\n", s.Choice.Settings(), s.Choice.Reached())
		}
	}
	if l.scored != nil {
		text += fmt.Sprintf("held out: %s\n", l.scored.Brief())
	}
	if l.Scoring {
		if s.Running = score.BeforeOf(l.Model); s.Running != nil {
			text += fmt.Sprintf("new rows, before they were learned: %s\n", s.Running)
		}
	}
	if l.folds != nil {
		text += fmt.Sprintln(l.folds)
	}
	percent := 100 / elapsed
	return cmp.Or(l.Object(s), l.Say("%slearned %s in %.2f s, %.0f rows/s: %.0f%% of the time computing, %.0f%% waiting for input, %.0f%% writing the model",
		text, ui.Count(s.Rows, "row"), s.Seconds, s.Rate, percent*s.Learn, percent*s.Waiting, percent*s.Writing))
}
