package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

// updateSettings are the flags of update.
type updateSettings struct {
	source  sourceSettings
	compute computeSettings
	talk    talkSettings

	out             string
	batch           batchRows
	checkpoint      interval
	resume, restart bool
}

func newUpdate(s streams) *cobra.Command {
	var set updateSettings
	cmd := &cobra.Command{
		Use:   "update MODEL [flags] FILE...",
		Short: "Let a model learn from more rows",
		Long: `Let a model learn from more rows, which become part of what it knows as if they had been
there from the start: the weights are those of a fit to all rows, with the feature maps
of the first training. The rows that it has already learned are not needed.

The model file is replaced as a whole, when all rows have been learned and the new file
is on the disk; only then the command says so on standard output. If it is stopped
before, however that happens, the file is what it was, or what the last --checkpoint made
it. Then the same command with --resume goes on after that checkpoint, and without one,
from the first row; an update that was finished is not done again by it, if it was the
last one. The rows up to the checkpoint are read again, and must be those that were
learned; rows after it may have been corrected or added meanwhile. Of standard input and
pipes, which cannot be read again, a checkpoint keeps what was learned, but nothing can
go on with it. No other process can change the model meanwhile.

Columns are matched by their names where the model and the data have names, else by their
order, as by predict. Data without rows is an error, and the model is left as it is.`,
		Example: `  blskernel update iris.bls more.csv
  blskernel update iris.bls --out newer.bls more.csv
  blskernel update big.bls --checkpoint 100000 --resume day1.csv.gz day2.csv.gz
  tail -n 1000 log.csv | blskernel update log.bls --header absent --target 51 -`,
		ValidArgsFunction: completeModelAndData,
		RunE:              func(cmd *cobra.Command, args []string) error { return set.run(cmd, args, s) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&set.out, "out", "", "file for the new model; by default it takes the place of the old one")
	set.source.register(cmd, "training")
	f.IntVar((*int)(&set.batch), "batch", 0, "rows of a batch; 0 for as many as in the training")
	f.Var(&set.checkpoint, "checkpoint", "write the model whenever so many rows have been learned, as 100000, or so much time has passed, as 5m, and when interrupted")
	f.BoolVar(&set.resume, "resume", false, "go on after the last checkpoint of the same update, if there is one")
	f.BoolVar(&set.restart, "restart", false, "learn all rows although the model is a checkpoint of something that was not finished")
	set.compute.register(cmd)
	set.talk.register(cmd, "one JSON object, and one for each checkpoint,")
	completeFile(cmd, "out", modelExtension)
	return cmd
}

// modelArgument takes the model from the arguments.
func modelArgument(args []string) (path string, rest []string, err error) {
	if len(args) == 0 {
		return "", nil, usageError{errors.New("no model: name the model file, and the data after it")}
	}
	return args[0], args[1:], nil
}

func (set *updateSettings) run(cmd *cobra.Command, args []string, s streams) error {
	ctx, begun := cmd.Context(), time.Now()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	path, args, err := modelArgument(args)
	if err != nil {
		return err
	}
	if err := set.check(); err != nil {
		return err
	}
	opt, err := set.source.options(args)
	if err != nil {
		return err
	}
	if set.resume {
		if err := set.source.checkResume(); err != nil {
			return err
		}
	}
	b, err := set.compute.lookup()
	if err != nil {
		return err
	}
	if err := checkModelPath(path); err != nil {
		return err
	}
	out := path
	if set.out != "" {
		out = set.out
		if err := checkReplaceable(out); err != nil {
			return err
		}
	}
	lock, err := lockModel(s.fs, out)
	if err != nil {
		return err
	}
	defer lock.release()
	st, err := newStanding(cmd, b, &set.source)
	if err != nil {
		return err
	}
	if out != path {
		st.settings["model"] = path
	}
	t := set.talk.begin(s)
	defer t.shown.clear()
	warnOnce(t, set.checkpoint, st)
	model, resumed, err := set.load(ctx, path, out, st, b)
	if err != nil {
		return err
	}
	model.labelsIn = set.source.targetsFile
	r, err := openMatched(ctx, model, &set.source, opt, true)
	if err != nil {
		return err
	}
	batch := int(set.batch)
	if batch == 0 {
		batch = batchRows(model.Metadata.Batch).of(r.Dim())
	}
	c := &course{
		talk: t, model: model, path: out, standing: st, every: set.checkpoint, save: saveTo(s.fs),
		sum: newRowSum(), begun: begun, last: begun, total: r.Rows(), explain: explainUpdate,
	}
	if resumed {
		c.goOn(ctx, model, r, batch)
	} else {
		c.batches = readAhead(ctx, r, 0, batch, batch)
	}
	defer c.batches.stop()
	return c.run(ctx)
}

func (set *updateSettings) check() error {
	if err := set.batch.check(); err != nil {
		return err
	}
	if err := checkStandardOutput(set.out); err != nil {
		return err
	}
	if set.resume && set.restart {
		return usageError{errors.New("--resume and --restart contradict each other: leave one out")}
	}
	return set.talk.check()
}

// explainUpdate says what to do about a label that the model does not know.
func explainUpdate(err error) error {
	var label *unknownLabelError
	if errors.As(err, &label) {
		return fmt.Errorf("%w: a model cannot gain classes; train one with all of them in --classes, or leave the row out", err)
	}
	return explainLearning(err)
}
