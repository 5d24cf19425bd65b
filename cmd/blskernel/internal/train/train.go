// Package train implements the train command. The method training.do lists its steps, in order.
package train

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"blskernel/bls"
	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/input"
	"blskernel/cmd/blskernel/internal/learner"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"

	"github.com/spf13/cobra"
)

// training holds the flags of train and the choices made before the first batch.
type training struct {
	learner.Learner
	settings
	task    string
	classes []string
	first   int
	like    string // the path of a model

	images, labeled bool   // whether the samples are images, and whether the targets are labels
	gaps            []bool // for each column, whether an indicator of missing cells may help
}

// New returns the train command.
func New(s ui.Streams) *cobra.Command {
	var tr training
	cmd := &cobra.Command{
		Use:   "train --out MODEL [flags] FILE...",
		Short: "Train a model on files of any size",
		Long: `Train a broad learning system on CSV, NumPy .npy and .npz or idx files, plain or gzipped, or on standard
input (-), and write it to a model file. An .npz must be a plain file. The rows are read and learned
batch by batch. Memory depends on the number of nodes, k, but not on the number of rows. Two batches
take 8 (d + k) bytes for each row of d inputs. Only the methods improved and original keep a matrix of
rows x k. With very many columns the first batch takes the most memory: --first makes it smaller.

The feature maps are fitted to the first batch, of --first rows, and then stay fixed: rows must be in
random order, not sorted by their labels. A label that appears later is a new class, as in update.
With --classes, which lists all labels, any other label is an error.

A column of words becomes one input for each word of the first 4096 rows, at most 64: 1 for the word
of the row and 0 for the others. Later words share one more input; a note says how many there were. A
column of more words, or of dates, is an error: leave it out with --exclude. --missing says what to do
with a missing cell of an input; a row without a label or target is bad, or left out with --missing
drop. Percent signs, currency signs, decimal commas and thousands signs are recognized if all cells of a
column in those rows agree; a note reports them. The model stores these settings, with --decimal,
--thousands and --na, and the other commands use them.

Settings that are auto adapt to the data: the scaling, the number of enhancement nodes, and --shrink,
--lambda and --method, chosen on rows held out from at most 4096 rows of the first batch. In the end the
model learns these rows too. The same data gives the same settings on every machine. The settings are
printed with their score. If both --shrink and --lambda are given, nothing is chosen on held-out rows,
and a table is scaled by columns. docs/settings.md explains the settings. --tune searches more widely.

--task can be left out for idx files, whose labels are classes, and for data whose labels are
words or whose targets have fractions. More than 64 words need --task if most occur only once. Whole
numbers are classes if there are at most 20 distinct ones, and a quantity if most are distinct.

--like MODEL trains a model that can be merged with MODEL: with its feature maps, columns, settings and
classes, but none of its rows.

--holdout 0.2 sets a fifth of all rows aside, chosen by row number, so that every run sets the same ones
aside. The model never learns them; at the end the data is read again, and their score is printed and
kept in the model for inspect. --cv 5 trains five more models, each without a fifth of the rows, and
prints the mean and standard deviation of their scores on the rows left out. The model itself learns all
rows.

--checkpoint writes the model while it learns. After an interruption the same command with --resume
continues from the last checkpoint; the result is the same to the last bit. It reads the rows up to
the checkpoint again. These rows must be the same, but later rows may have changed. No run can resume
from standard input or a pipe.`,
		Example: `  blskernel train --out iris.bls --target species iris.csv
  blskernel train --out price.bls --target price --task regression --inputs 2-9 houses.csv
  blskernel train --out digits.bls --data mnist
  blskernel train --out best.bls --target species --tune iris.csv
  blskernel train --out rent.bls --target rent --exclude id,2 --decimal comma flats.csv
  blskernel train --out x.bls --targets-file y.npy --task classification X.npy
  blskernel train --out big.bls --target label --checkpoint 1m --resume part1.csv.gz part2.csv.gz
  cat log.csv | blskernel train --out log.bls --target 51 --task regression -`,
	}
	f := cmd.Flags()
	ui.OutFlag(cmd, &tr.Out, "model file to write; an existing one is replaced once the new one, or its first checkpoint, is complete")
	ui.Choice(cmd, &tr.task, "task", "classification or regression; by default inferred from the targets", "", model.Classification, model.Regression)
	tr.In.Register(cmd, "training", input.DefaultBatch)
	tr.In.Trains = true
	tr.In.Memory = "lower --enhancement, --group-nodes, --groups, --first or --batch, or use --method gram, whose memory does not grow with the rows"
	tr.In.RegisterWeight(cmd)
	f.StringSliceVar(&tr.classes, "classes", nil, "labels of all classes; by default the labels in the data")
	tr.settings.register(cmd)
	ui.Int(cmd, &tr.first, "first", 0, ui.MaxSamples, "rows of the first batch, to which the feature maps are fitted; 0 for the larger of a batch and twice the number of nodes (1000 rows if the nodes are auto), and four times as many with --class-weight balanced")
	f.StringVar(&tr.like, "like", "", "model from which to take the feature maps, columns, settings and classes, but no rows, so that the two models can be merged")
	ui.Parsed(cmd, &tr.Holdout, "holdout", "0", "share of the rows to hold out, chosen by row number; they are not learned but scored at the end", parseHoldout)
	ui.Int(cmd, &tr.Folds, "cv", 0, maxFolds, "split the rows into this many parts; for each part, train another model on the other parts and score it on this one; print the mean and spread of the scores; 0 for none")
	tr.RegisterCheckpoint(cmd, "continue from the last checkpoint in --out, with the same flags and files")
	return tr.Command(cmd, s, "one JSON object, and one for each checkpoint,", func(ctx context.Context, args []string) error {
		return tr.do(ctx, cmd, args)
	})
}

func (tr *training) do(ctx context.Context, cmd *cobra.Command, args []string) error {
	if err := tr.check(cmd); err != nil {
		return err
	}
	if err := tr.Begin(cmd, args); err != nil {
		return err
	}
	if tr.like != "" {
		tr.Manifest.SetFile(tr.FS, "--like", tr.like)
	}
	unlock, err := tr.Lock(&tr.Out, "")
	if err != nil {
		return err
	}
	defer unlock()
	if tr.Resume {
		if err := tr.loadCheckpoint(ctx); err != nil {
			return err
		}
	}
	switch {
	case tr.like != "":
		return tr.trainLike(ctx)
	case tr.Model != nil:
		return tr.goOn(ctx)
	}
	r, err := tr.open(ctx)
	if err != nil {
		return err
	}
	meta, err := tr.prepare(ctx, r)
	if err != nil {
		_ = r.Close()
		return session.InFlags(err)
	}
	first := tr.firstRows(meta.Batch)
	defer tr.Start(ctx, r, first, meta.Batch)()
	if err := tr.learnFirst(ctx, meta, first); err != nil {
		return err
	}
	return tr.LearnAll(ctx)
}

// check returns an error if a flag is wrong, and sets the flags that follow from other flags.
func (tr *training) check(cmd *cobra.Command) error {
	if tr.Out == "" {
		return ui.Usagef("--out is missing: name the file for the model")
	}
	for i, class := range tr.classes {
		tr.classes[i] = strings.TrimSpace(class) // as the reader trims the labels in a text file
		if tr.classes[i] == "" {
			return ui.Usagef("--classes has an empty label, which no row can have: leave it out")
		}
	}
	if err := ui.CheckUnique("classes", tr.classes); err != nil {
		return err
	}
	if tr.like == "" {
		tr.In.Missing = cmp.Or(tr.In.Missing, stream.MissingMean.String())
	}
	if len(tr.classes) > 0 && tr.like == "" {
		if tr.task == model.Regression {
			return ui.Usagef("--classes is for classification, but --task is regression: leave one out")
		}
		tr.In.Options.Labels = tr.classes
		tr.In.Closed = "add it to --classes, or leave the row out"
		// A checkpoint records the task.
		if err := cmd.Flags().Set("task", model.Classification); err != nil {
			return err
		}
	}
	switch {
	case tr.like != "":
		tr.In.Memory = "lower --first or --batch"
		return checkLike(cmd)
	case tr.Folds == 1:
		return ui.Usagef("--cv is 1; want at least 2 parts, or 0")
	case tr.Folds > 0 && tr.Holdout > 0:
		return ui.Usagef("--cv scores all rows, but --holdout only some: use only one of the two")
	case tr.Folds > 0 && tr.tune:
		return ui.Usagef("--cv would score settings that --tune has chosen on the same rows: use only one of the two")
	}
	return ui.CheckNodes(tr.features)
}

// open opens the data. Without --task it reads the targets as numbers, or as labels if that fails and
// the data can be opened again.
func (tr *training) open(ctx context.Context) (*stream.Reader, error) {
	r, err := tr.In.Open(ctx, tr.task == model.Classification)
	var fault *stream.Error
	if errors.As(err, &fault) && tr.task == "" && tr.In.Once() == "" {
		if labels, again := tr.In.Open(ctx, true); again == nil {
			return labels, nil
		}
	}
	return r, err
}

// prepare decides the task and how the columns become inputs, and returns the metadata of the model.
func (tr *training) prepare(ctx context.Context, r *stream.Reader) (meta modelfile.Metadata, err error) {
	switch {
	case r.Outputs() > 0:
	case r.Heading().Format == stream.CSV:
		return meta, ui.Usagef("--target is missing: give the name or number of the column of the labels or targets")
	default:
		return meta, session.ErrNoTargets
	}
	if err := tr.describe(r); err != nil {
		return meta, err
	}
	heading, batch := r.Heading(), tr.In.BatchRows(r, 0, r.Outputs())
	tr.images = heading.Format == stream.IDX || len(heading.Shape) > 2
	if err := tr.decideTask(r, max(tr.first, batch)); err != nil {
		return meta, err
	}
	if err := tr.chooseIndicators(ctx, r); err != nil {
		return meta, err
	}
	s, opt := r.Selection(), &tr.In.Options
	meta = modelfile.Metadata{
		Batch: batch, Inputs: r.Inputs(), Classes: tr.classes, Targets: r.Targets(),
		Columns: s.Columns, Exclude: s.Exclude, NA: opt.NA,
	}
	if !tr.labeled {
		meta.TargetNotations = s.TargetNotations
	}
	inputs, besides := r.Positions()
	if meta.Inputs == nil && len(inputs) < len(besides) && slices.IsSorted(inputs) {
		meta.Runs = runsOf(r)
	}
	if s.Weight != "" {
		meta.Exclude = append(meta.Exclude, s.Weight)
	}
	if opt.Weight != "" {
		meta.Notes = map[string]string{session.NoteWeight: opt.Weight}
	}
	if s.Missing != stream.MissingError {
		meta.Missing = s.Missing.String()
	}
	if opt.Decimal == ',' {
		meta.Decimal = ","
	}
	if opt.Thousands != 0 {
		meta.Thousands = string(opt.Thousands)
	}
	return meta, nil
}

// usualNodes is the number of enhancement nodes assumed for the size of the first batch if the number
// is still to be chosen.
const usualNodes = 400

// firstRows returns the number of rows to read first, so that --first rows remain to learn after some
// are held out. The default of --first is at least batch.
func (tr *training) firstRows(batch int) int {
	first := tr.first
	if first == 0 {
		enhancement := max(0, tr.features.EnhancementNodes)
		if tr.features.EnhancementNodes == 0 {
			enhancement = usualNodes
		}
		first = max(batch, 2*(cmp.Or(tr.features.Groups, bls.DefaultGroups)*tr.features.GroupNodes+enhancement))
		if tr.classWeight == bls.Balanced { // otherwise the batch has too few rows of rare classes
			first *= 4
		}
	}
	return int(min(math.Ceil(float64(first)/float64(1-tr.Holdout)), ui.MaxSamples))
}

// learnFirst makes the model from the first batch, for which first rows were requested.
func (tr *training) learnFirst(ctx context.Context, meta modelfile.Metadata, first int) error {
	f := tr.Next(ctx)
	if f.Err != nil {
		return session.InFlags(f.Err)
	}
	read := f.Batch.X.RawMatrix().Rows
	if f.Learned == nil {
		return ui.Usagef("--holdout holds out all of the first %s: lower it", ui.Count(read, "row"))
	}
	if w := f.Learned.Weights; w != nil && slices.Max(w) == 0 {
		return ui.Usagef("--weight is 0 in all of the first %s, so there is nothing to learn from: is this the column of the weights, and are the rows in random order?", ui.Count(read, "row"))
	}
	var err error
	if tr.labeled && meta.Classes == nil {
		if meta.Classes, err = model.ClassesOf(f.Learned, input.Shown(tr.In.Options.TargetPath)); err != nil {
			return tr.In.Explain(err)
		}
	}
	if err := tooManyClasses(len(meta.Classes)); err != nil {
		return err
	}
	tr.WarnOfAlike(meta.Classes, 0)
	if len(meta.Classes) == 1 {
		tr.Warn("the only class is %s, so the model predicts nothing else: is --target the right column, or are the rows sorted by it?", ui.Printable(meta.Classes[0]))
	}
	if meta.Created, err = session.Now(); err != nil {
		return err
	}
	meta.Changed = meta.Created
	if err := tr.Recordable(meta); err != nil {
		return err
	}
	err = tr.LearnBatch(f, func(b *stream.Batch) error {
		rows := b.X.RawMatrix().Rows
		if read == first { // there may be more
			rows = int(min(f.ExpectedRows(rows, tr.Total), ui.MaxSamples))
		}
		return tr.fit(ctx, b, rows, meta)
	})
	if err == nil && tr.Learned == 0 {
		err = session.ErrNoRows
	}
	if err != nil {
		return tr.In.Explain(ui.CauseOf(ctx, err))
	}
	tr.tellRepeats(f.Learned.X)
	tr.tellTargets(f.Learned)
	tr.Explain("%s by %s; feature maps fitted to the first %s, scale %s", session.Describe(tr.Model), tr.Model.Updater().Method(), ui.Count(tr.Learned, "row"), tr.Model.FittedFeatures().Options().Scaling)
	return nil
}

// fit makes the model from the first batch. rows is the number of rows expected in total.
func (tr *training) fit(ctx context.Context, b *stream.Batch, rows int, meta modelfile.Metadata) error {
	file := &modelfile.File{Metadata: meta}
	file.Classifier, file.Regressor = tr.estimator(len(meta.Classes), rows)
	tr.Model = model.New(file)
	tr.SetNewClassPolicy()
	tr.Model.LabelsIn, tr.Model.Tune = input.Shown(tr.In.Options.TargetPath), tr.tune
	tr.Model.FixMaps = tr.first > 0
	if err := tr.Model.Learn(ctx, b); err != nil {
		return err
	}
	lambda := tr.Model.GivenLambda()
	tr.Log(modelfile.Operation{Kind: modelfile.OpTrain, Classes: len(meta.Classes), Lambda: &lambda, Fixed: tr.first > 0, Tuned: tr.tune})
	return nil
}
