// Package learn has the commands on models and one's own data: train, update, predict, evaluate, export
// and inspect.
package learn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"blskernel"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/internal/flagvalue"
	"blskernel/internal/vfs"

	"github.com/spf13/cobra"
)

const (
	// modelExtension is the usual one of model files.
	modelExtension = "bls"
	// standardInput stands for standard input.
	standardInput = "-"
	// mostBatch is the default number of rows of a batch, enough for fast products.
	mostBatch = 4096
	// batchBytes bounds the inputs of a default batch of data with many columns.
	batchBytes = 32 << 20
)

// dataExtensions are those that completion offers for files of samples.
var dataExtensions = []string{"csv", "tsv", "txt", "npy", "npz", "gz", "idx3-ubyte", "idx1-ubyte"}

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
}

// begin checks the flags and finds the backend.
func (c *command) begin(ctx context.Context, s ui.Streams) (err error) {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
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
func (c *command) load(ctx context.Context, path string) (*model, error) {
	if err := checkModelPath(path); err != nil {
		return nil, err
	}
	var f *modelfile.File
	err := ui.Interruptible(ctx, func() (err error) {
		f, err = modelfile.Load(path, c.backend)
		return err
	})
	if errors.Is(err, modelfile.ErrNotAModel) {
		return nil, fmt.Errorf("%q is no model file: name the model that 'blskernel train' wrote first, then the data", path)
	}
	if err != nil {
		return nil, err // it names the path
	}
	return newModel(f), nil
}

// loadToRead is load for a command that does not change the model. It warns of a checkpoint.
func (c *command) loadToRead(ctx context.Context, path string) (*model, error) {
	m, err := c.load(ctx, path)
	if err != nil {
		return nil, err
	}
	if what := unfinished(&m.Metadata); what != "" {
		c.Warn("%s is %s", path, what)
	}
	return m, nil
}

// modelArgument returns the model and the other arguments.
func modelArgument(args []string) (path string, rest []string, err error) {
	if len(args) == 0 {
		return "", nil, ui.Usagef("no model: name the model file, and the data after it")
	}
	return args[0], args[1:], nil
}

// oneModel wants one argument.
func oneModel(_ *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return errors.New("no model: name the model file")
	case 1:
		return nil
	default:
		return fmt.Errorf("unexpected argument %q", args[1])
	}
}

// completeArguments offers a model for the first argument if model is set, and files of samples for the
// others if data is.
func completeArguments(model, data bool) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		switch {
		case model && len(args) == 0:
			return []string{modelExtension}, cobra.ShellCompDirectiveFilterFileExt
		case data:
			return dataExtensions, cobra.ShellCompDirectiveFilterFileExt
		default:
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
	}
}

// input has the flags that say what is read, and how.
type input struct {
	paths                              []string
	format, comma, header, part, array string
	inputs, targets                    []string
	targetsFile                        string
	batch                              int
}

// register adds the flags. part, training or test, is the default part of a folder with both, batch the
// help text of --batch.
func (in *input) register(cmd *cobra.Command, part, batch string) {
	f := cmd.Flags()
	f.StringArrayVar(&in.paths, "data", nil, "a file of samples, a folder with MNIST's file names, or - for standard input; may be repeated; files may also follow as arguments")
	f.StringVar(&in.format, "format", "auto", "csv, npy, npz, idx, or auto: by the content")
	f.StringVar(&in.comma, "comma", "", "separator of CSV cells: a character, or tab; by default comma, semicolon or tab, as in the first line")
	f.StringVar(&in.header, "header", "auto", "whether the first line of a CSV file names the columns: present, absent, or auto: if a cell is no number")
	f.StringSliceVar(&in.inputs, "inputs", nil, "input columns: names, numbers from 1, ranges as 3-7; by default all but the targets")
	f.StringSliceVar(&in.targets, "target", nil, "column of the labels, or columns of the targets, by name or number; of an npz file the name of the array")
	f.StringVar(&in.targetsFile, "targets-file", "", "file of the labels or targets of an npy or idx file")
	f.StringVar(&in.array, "array", "", "name of the input array of an npz file; by default X or x, else its only matrix")
	f.StringVar(&in.part, "part", part, "part of a folder with MNIST's file names: training or test")
	f.IntVar(&in.batch, "batch", 0, "rows of a batch; 0 for "+batch)
	ui.Complete(cmd, "format", "auto", "csv", "npy", "npz", "idx")
	ui.Complete(cmd, "comma", "tab", ",", ";")
	ui.Complete(cmd, "header", "auto", "present", "absent")
	ui.Complete(cmd, "part", "training", "test")
	ui.CompleteFile(cmd, "data", dataExtensions...)
	ui.CompleteFile(cmd, "targets-file", dataExtensions...)
}

// defaultBatch is the help text of --batch for most commands.
var defaultBatch = fmt.Sprintf("%d, or fewer if their inputs take more than %d MB", mostBatch, batchBytes>>20)

// options turns the flags, and the paths that follow them, into what stream.Open reads. Temporary
// copies are on fsys.
func (in *input) options(fsys vfs.FS, args []string) (opt stream.Options, err error) {
	if err = ui.CheckRanges(ui.Range{Flag: "batch", Value: in.batch, Least: 0, Most: ui.MostSamples}); err != nil {
		return opt, err
	}
	in.paths = append(in.paths, args...)
	opt = stream.Options{
		Inputs: in.inputs, Targets: in.targets, TargetPath: in.targetsFile, InputArray: in.array, Test: in.part == "test", FS: fsys,
	}
	if len(in.paths) == 0 {
		return opt, ui.Usagef("no data: name a file, a folder, or - for standard input")
	}
	if slices.Contains(in.paths, standardInput) && (len(in.paths) > 1 || in.targetsFile == standardInput) {
		return opt, ui.Usagef("standard input, -, cannot be one of several files")
	}
	if opt.Format, err = stream.ParseFormat(in.format); err != nil {
		return opt, ui.Usagef("--format is %q; want auto, csv, npy, npz or idx", in.format)
	}
	if opt.Comma, err = flagvalue.ParseComma(in.comma); err != nil {
		return opt, ui.Usagef("--comma is %q; %w", in.comma, err)
	}
	if opt.Header, err = stream.ParseHeader(in.header); err != nil {
		return opt, ui.Usagef("--header is %q; want present, absent or auto", in.header)
	}
	if in.part != "training" && in.part != "test" {
		return opt, ui.Usagef("--part is %q; want training or test", in.part)
	}
	for _, path := range in.all() { // before anything is done
		if path == standardInput {
			continue
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return opt, fmt.Errorf("%q does not exist", path)
		} else if err != nil {
			return opt, err
		}
	}
	return opt, nil
}

// all returns all paths that are read.
func (in *input) all() []string {
	if in.targetsFile == "" {
		return in.paths
	}
	return append(slices.Clone(in.paths), in.targetsFile)
}

// once returns the first path that can be read only once: standard input, or neither a file nor a
// folder. It is empty if there is none.
func (in *input) once() string {
	for _, path := range in.all() {
		if path == standardInput {
			return "standard input"
		}
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return path
		}
	}
	return ""
}

// rows returns the rows of a batch of data with d inputs.
func (in *input) rows(d int) int { return batchRows(in.batch, d) }

func batchRows(given, d int) int {
	if given > 0 {
		return given
	}
	return max(1, min(mostBatch, batchBytes/(8*d)))
}

// open opens the data. It returns as soon as ctx is canceled, even while standard input is silent.
func (in *input) open(ctx context.Context, opt stream.Options) (r *stream.Reader, err error) {
	err = ui.Interruptible(ctx, func() error {
		var err error
		r, err = stream.Open(ctx, in.paths, opt)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}
