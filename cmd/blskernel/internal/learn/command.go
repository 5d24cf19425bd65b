// Package learn has the commands on models and one's own data: train, update, remove, merge, predict,
// evaluate, export and inspect.
package learn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync/atomic"

	"blskernel"
	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/internal/flagvalue"

	"github.com/spf13/cobra"
)

const (
	// standardInput stands for standard input.
	standardInput = "-"
	// mostBatch is the default number of rows of a batch, enough for fast products.
	mostBatch = 4096
	// batchBytes bounds the inputs of a default batch of data with many columns, and its outputs.
	batchBytes = 32 << 20
	// recordedBytes bounds them for a batch whose rows a model file says, not the command line.
	recordedBytes = 1 << 30
)

// A command has the flags that all commands on models share.
type command struct {
	ui.Reporter
	ui.Compute
	backend blskernel.Backend
}

// register adds the flags. object names what --json prints.
func (c *command) register(cmd *cobra.Command, object string) {
	c.Compute.Register(cmd)
	c.Reporter.Register(cmd, object)
	c.RegisterVerbose(cmd)
}

// begin checks the flags and finds the backend.
func (c *command) begin(s ui.Streams) (err error) {
	if err = c.Begin(s); err == nil {
		c.backend, err = c.Lookup()
	}
	return err
}

// checkModelPath returns an error if path is no file.
func checkModelPath(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the model %q does not exist: 'blskernel train --out %s' makes one", path, path)
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%q is a folder; want a model file", path)
	}
	return nil
}

// load reads the model at path.
func (c *command) load(ctx context.Context, path string) (*model.Model, error) {
	if err := checkModelPath(path); err != nil {
		return nil, err
	}
	var f *modelfile.File
	err := ui.Interruptible(ctx, func() (err error) {
		f, err = modelfile.Load(path, c.backend)
		return err
	})
	if errors.Is(err, modelfile.ErrNotAModel) {
		return nil, fmt.Errorf("%q is not a model file: the first file is the model that 'blskernel train' wrote", path)
	}
	if err != nil {
		return nil, err // it names the path
	}
	return model.New(f), nil
}

// loadToRead is load for a command that does not change the model. It warns of a checkpoint.
func (c *command) loadToRead(ctx context.Context, path string) (*model.Model, error) {
	m, err := c.load(ctx, path)
	if err != nil {
		return nil, err
	}
	if what := unfinished(&m.Metadata); what != "" {
		c.Warn("%s is %s", path, what)
	}
	return m, nil
}

// modelFirst wants the name of a model as the first argument, and at most so many arguments.
func modelFirst(most int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return errors.New("no model: name the model file first")
		case len(args) > most:
			return fmt.Errorf("unexpected argument %q", args[most])
		}
		return nil
	}
}

// reading has what commands that read data share: the flags that say what is read, and how.
type reading struct {
	command
	opt     stream.Options
	paths   []string
	part    string
	batch   int
	skipBad int
	aside   atomic.Int64 // bad rows that were set aside
	missing string       // empty for that of the model
	silent  bool         // without notes on rows
	closed  string       // why the model gains no classes, empty if it does
}

// registerData adds the flags: part is the default of --part, batch the help text of --batch.
func (c *reading) registerData(cmd *cobra.Command, part, batch string) {
	f, opt := cmd.Flags(), &c.opt
	f.StringArrayVar(&c.paths, "data", nil, "a file of samples, a folder with MNIST's file names, or - for standard input; may be repeated; files may also follow as arguments")
	ui.Parsed(cmd, &opt.Format, "format", "auto", "csv, npy, npz, idx, or auto: by the content", func(s string) (stream.Format, error) {
		return wanted(stream.ParseFormat, s, "auto, csv, npy, npz or idx")
	})
	ui.Parsed(cmd, &opt.Comma, "comma", "", "separator of CSV cells: a character, or tab; by default comma, semicolon or tab, as in the first line", flagvalue.ParseComma)
	ui.Parsed(cmd, &opt.Header, "header", "auto", "whether the first line of a CSV file names the columns: present, absent, or auto: if a cell is no number", func(s string) (stream.Header, error) {
		return wanted(stream.ParseHeader, s, "present, absent or auto")
	})
	ui.Columns(cmd, &opt.Inputs, "inputs", "input columns: names, numbers from 1, ranges as 3-7 or 4-; by default all but the targets")
	ui.Columns(cmd, &opt.Exclude, "exclude", "columns that are no inputs: names, with \"\" for one without a name, numbers from 1, ranges as 3-7 or 4-")
	ui.Choice(cmd, &c.missing, "missing", "a missing cell (empty, NA, NaN, null, None, ?): mean fills it in with the mean of the first rows, drop leaves the row out, error ends with it; by default as in the training, and there mean", "", "mean", "drop", "error")
	f.StringSliceVar(&opt.NA, "na", nil, "more words for a missing cell, such as -999 or unknown; case matters, and the model keeps them")
	ui.Parsed(cmd, &opt.Decimal, "decimal", "", "sign before decimals of CSV numbers: point or comma; by default point, or as in the training", flagvalue.ParseSign)
	ui.Parsed(cmd, &opt.Thousands, "thousands", "", "sign between thousands of CSV numbers: comma, point, space, ' or _; by default none, or as in the training", flagvalue.ParseSign)
	ui.Columns(cmd, &opt.Targets, "target", "column of the labels, or columns of the targets, by name or number; of an npz file the name of the array")
	f.StringVar(&opt.TargetPath, "targets-file", "", "file of the labels or targets of an npy or idx file")
	f.StringVar(&opt.InputArray, "array", "", "name of the input array of an npz file; by default X or x, else its only matrix")
	other := map[string]string{"training": "test", "test": "training"}[part]
	ui.Choice(cmd, &c.part, "part", "part of a folder with MNIST's file names: training or test", part, other)
	ui.Int(cmd, &c.batch, "batch", 0, ui.MostSamples, "rows of a batch; 0 for "+batch)
	ui.Int(cmd, &c.skipBad, "skip-bad", 0, ui.MostSamples, "set aside up to this number of bad rows, with a note, in place of ending with the first")
	ui.Complete(cmd, "format", "auto", "csv", "npy", "npz", "idx")
	ui.Complete(cmd, "decimal", "comma", "point")
	ui.Complete(cmd, "thousands", "comma", "point", "space")
	ui.Complete(cmd, "comma", "tab", ",", ";")
	ui.Complete(cmd, "header", "auto", "present", "absent")
}

// registerWeight adds --weight, for commands that learn or score rows.
func (c *reading) registerWeight(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.opt.Weight, "weight", "", "column of weights, by name or number: a row of weight 2 counts as two rows; by default all count alike")
}

// wanted returns what parse reads, or else an error that says what is wanted.
func wanted[T any](parse func(string) (T, error), text, want string) (T, error) {
	v, err := parse(text)
	if err != nil {
		err = errors.New("want " + want)
	}
	return v, err
}

// defaultBatch is the help text of --batch for most commands.
var defaultBatch = fmt.Sprintf("%d, or fewer if their inputs or outputs take more than %d MB", mostBatch, batchBytes>>20)

// beginData checks what is to be read, of the flags and of the paths that follow them.
func (c *reading) beginData(args []string) error {
	c.paths = append(c.paths, args...)
	c.opt.Test = c.part == "test"
	c.opt.Missing, _ = stream.ParseMissing(c.missing) // Choice has checked it
	switch {
	case len(c.paths) == 0:
		return ui.Usagef("no data: name a file, a folder, or - for standard input")
	case slices.Contains(c.paths, standardInput) && (len(c.paths) > 1 || c.opt.TargetPath == standardInput):
		return ui.Usagef("standard input, -, cannot be one of several files")
	}
	for _, path := range c.sources() { // before anything is done
		if path == standardInput {
			continue
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%q does not exist", path)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// isModel reports whether a regular file begins as model files do.
func isModel(path string) bool {
	if _, regular := sizeOf(path); !regular {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	begin := make([]byte, 64)
	n, _ := file.Read(begin)
	_, err = modelfile.Inspect(bytes.NewReader(begin[:n]))
	return !errors.Is(err, modelfile.ErrNotAModel)
}

// twice returns a file that is among the paths more than once, or an empty string.
func (c *reading) twice() string {
	for i, path := range c.paths {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		for _, other := range c.paths[:i] {
			if before, err := os.Stat(other); err == nil && os.SameFile(info, before) {
				return path
			}
		}
	}
	return ""
}

// sources returns all paths that are read.
func (c *reading) sources() []string {
	if c.opt.TargetPath == "" {
		return c.paths
	}
	return append(slices.Clone(c.paths), c.opt.TargetPath)
}

// once returns the first path that is neither a file nor a folder, so that it can be read only once.
func (c *reading) once() string {
	for _, path := range c.sources() {
		if path == standardInput {
			return "standard input"
		}
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return path
		}
	}
	return ""
}

// batchRows returns the rows of a batch of data with d inputs and c outputs: as many as given, else as
// many as the model file says, else by default.
func batchRows(given, recorded, d, c int) int {
	if given > 0 {
		return given
	}
	most, bytes := mostBatch, batchBytes
	if recorded > 0 {
		most, bytes = recorded, recordedBytes
	}
	return max(1, min(most, bytes/(8*max(d, c))))
}

// open opens the data. It returns once ctx is canceled, even while standard input is silent.
func (c *reading) open(ctx context.Context, classes bool) (r *stream.Reader, err error) {
	for _, path := range c.sources() {
		if isModel(path) {
			return nil, fmt.Errorf("%q is a model file, and no data", path)
		}
	}
	opt := c.opt
	opt.Classes = classes
	opt.Bad = func(fault *stream.Error) error { return c.setAside(inFlags(fault)) }
	c.aside.Store(0)
	err = ui.Interruptible(ctx, func() error {
		var err error
		r, err = stream.Open(ctx, c.paths, opt)
		return err
	})
	if err != nil {
		return nil, err
	}
	if opt.InputArray != "" && r.Heading().Arrays == nil {
		return nil, errors.Join(ui.Usagef("--array is %q, and %s has no arrays: leave it out", opt.InputArray, shown(c.paths[0])), r.Close())
	}
	return r, nil
}

// setAside sets a bad row aside, with a note, or returns an error if there are more than --skip-bad.
func (c *reading) setAside(fault error) error {
	if c.aside.Add(1) > int64(c.skipBad) {
		return fmt.Errorf("%w; or set such rows aside by --skip-bad 10, for at most 10 rows", fault)
	}
	if !c.silent {
		c.Warn("%v: the row is set aside", fault)
	}
	return nil
}

// learnSkippingBad calls do with a batch, and drops each row that overflows the model until do succeeds.
// It returns the rows kept, nil for none.
func (c *reading) learnSkippingBad(b *stream.Batch, do func(*stream.Batch) error) (*stream.Batch, error) {
	for b != nil {
		err := do(b)
		var fault *model.Error
		if !errors.As(err, &fault) || fault.Row < 0 {
			return b, c.explain(err)
		}
		if err := c.setAside(c.explain(fault)); err != nil {
			return b, err
		}
		b, _ = b.Split(func(i int) bool { return i == fault.Row })
	}
	return nil, nil
}

// openFor loads a model that stays as it is, and opens data, with targets if they are wanted.
func (c *reading) openFor(ctx context.Context, path string, targets bool) (*model.Model, *stream.Reader, error) {
	m, err := c.loadToRead(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	r, err := c.openMatched(ctx, m, targets)
	return m, r, err
}

// each calls do for each batch while the next is read, counts the rows, and closes r. The model has the
// given number of outputs.
func (c *reading) each(ctx context.Context, r *stream.Reader, outputs int, doing string, do func(*stream.Batch) error) (rows int64, err error) {
	total, batch := r.Rows(), batchRows(c.batch, 0, r.Dim(), outputs)
	names := cellNames(r)
	b := readAhead(ctx, r, 0, batch, batch)
	defer b.stop()
	for {
		f := b.take(ctx)
		if errors.Is(f.err, io.EOF) {
			c.tell(f.tally, names)
			return rows, nil
		}
		if f.err == nil {
			_, f.err = c.learnSkippingBad(f.batch, do)
		}
		if f.err != nil {
			return rows, ui.CauseOf(ctx, f.err)
		}
		rows += int64(f.batch.X.RawMatrix().Rows)
		c.Show(f.share(rows, total), fmt.Sprintf("%s%d rows", doing, rows))
	}
}
