// Package input reads the data of the commands. It provides the flags that say what to read and how,
// checks and hashes each path once, and delivers batches.
package input

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync/atomic"

	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/flagvalue"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/internal/io/vfs"

	"github.com/spf13/cobra"
)

const (
	// maxBatch is the default number of rows of a batch, enough for fast products.
	maxBatch = 4096
	// batchBytes bounds the size of the inputs of a default batch, and of its outputs.
	batchBytes = 32 << 20
	// recordedBytes takes the place of batchBytes for a batch size that a model file records.
	recordedBytes = 1 << 30
)

// An Input holds the paths and the flags that say which data a command reads, and how.
type Input struct {
	session.Advice
	Options stream.Options
	Paths   []string
	Batch   int    // rows; 0 for the default
	Missing string // what to do with missing cells; empty to do as the model does
	Silent  bool   // whether to suppress the notes on rows
	Again   bool   // whether the rows of a file may be given again

	part    string
	skipBad int
	aside   atomic.Int64 // bad rows that were set aside
	say     *session.Session
	files   map[string]*file // by path, without standard input
}

type file struct {
	fs.FileInfo
	hash string // of the bytes, empty until it is computed
}

// Register adds the flags of in to cmd. part is the default of --part. batch says what --batch 0
// means; if it is empty, cmd has no such flag.
func (in *Input) Register(cmd *cobra.Command, part, batch string) {
	f, opt := cmd.Flags(), &in.Options
	f.StringArrayVar(&in.Paths, "data", nil, "file of samples, folder of files with MNIST's names, or - for standard input; may be repeated; files may also be given as arguments")
	ui.Enum(cmd, &opt.Format, "format", "format of the data: csv, npy, npz, idx (MNIST's format, or the matrices of small NORB), or auto, which detects it from the content", stream.ParseFormat, "auto", "csv", "npy", "npz", "idx")
	ui.Parsed(cmd, &opt.Comma, "comma", "", "separator of CSV cells: a character or the word tab; by default a comma, a semicolon or a tab, detected in the first line", flagvalue.ParseComma)
	ui.Parsed(cmd, &opt.Header, "header", "auto", "whether the first line of a CSV file names the columns: present, absent or auto; auto means present if a flag has a column name, and otherwise decides from words and numbers in the first lines", func(s string) (stream.Header, error) {
		header, err := stream.ParseHeader(s)
		if err != nil {
			err = errors.New("want present, absent or auto")
		}
		return header, err
	})
	ui.Columns(cmd, &opt.Inputs, "inputs", "input columns: names, numbers from 1, ranges such as 3-7 or 4-; by default all but the targets")
	ui.Columns(cmd, &opt.Exclude, "exclude", "columns that are not inputs: names, \"\" for a column without a name, numbers from 1, ranges such as 3-7 or 4-")
	ui.Choice(cmd, &in.Missing, "missing", "what to do with a missing cell (empty, NA, N/A, NaN, null, None or ?, in upper or lower case): mean fills in the mean of the first rows, and in training adds inputs that mark missing cells if held-out rows score better with them; drop leaves the row out; error stops the command; by default as in training, or mean for a new model", "", "mean", "drop", "error")
	f.StringSliceVar(&opt.NA, "na", nil, "more words that stand for a missing cell, such as -999 or unknown; case matters; train stores them in the model")
	ui.Parsed(cmd, &opt.Decimal, "decimal", "", "decimal sign of CSV numbers: point or comma; by default point, or as in training", flagvalue.ParseSign)
	ui.Parsed(cmd, &opt.Thousands, "thousands", "", "thousands sign of CSV numbers: comma, point, space, ' or _; by default none, or as in training", flagvalue.ParseSign)
	ui.Columns(cmd, &opt.Targets, "target", "column of the labels, or columns of the targets, by name or number; for an npz file, the name of the array")
	f.StringVar(&opt.TargetPath, "targets-file", "", "file with the labels or targets for an npy or idx file")
	f.StringVar(&opt.InputArray, "array", "", "name of the input array in an npz file; by default X or x, else its only matrix")
	other := map[string]string{"training": "test", "test": "training"}[part]
	ui.Choice(cmd, &in.part, "part", "which part to read if a folder has files with MNIST's names: training or test", part, other)
	if batch != "" {
		ui.Int(cmd, &in.Batch, "batch", 0, ui.MaxSamples, "rows in a batch; 0 for "+batch)
		in.Memory = "lower --batch"
	}
	ui.Int(cmd, &in.skipBad, "skip-bad", 0, ui.MaxSamples, "set aside up to this many bad rows, with a note for each, instead of stopping at the first")
	ui.Complete(cmd, "decimal", "comma", "point")
	ui.Complete(cmd, "thousands", "comma", "point", "space")
	ui.Complete(cmd, "comma", "tab", ",", ";")
	ui.Complete(cmd, "header", "auto", "present", "absent")
}

// RegisterWeight adds --weight, for commands that learn or score rows.
func (in *Input) RegisterWeight(cmd *cobra.Command) {
	cmd.Flags().StringVar(&in.Options.Weight, "weight", "", "column of weights, by name or number: a row of weight 2 counts as two rows; by default all rows have weight 1")
}

// DefaultBatch says what --batch 0 means in most commands.
var DefaultBatch = fmt.Sprintf("%d, or fewer if the inputs or the outputs of a batch would take more than %d MiB", maxBatch, batchBytes>>20)

// Begin adds args to the paths, checks the flags, and calls stat for each path. Later notes go to say.
func (in *Input) Begin(args []string, say *session.Session) error {
	in.say, in.files, in.Options.FS = say, map[string]*file{}, say.FS
	in.Paths = append(in.Paths, args...)
	in.Options.Test = in.part == "test"
	in.Options.Missing, _ = stream.ParseMissing(in.Missing) // Choice has checked it
	switch {
	case len(in.Paths) == 0:
		return ui.Usagef("no data: name a file, a folder, or - for standard input")
	case slices.Contains(in.Paths, session.StandardInput) && (len(in.Paths) > 1 || in.Options.TargetPath == session.StandardInput):
		return ui.Usagef("\"-\" (standard input) must be the only data, and cannot also be --targets-file")
	}
	for _, path := range in.Sources() { // before any work
		if path == session.StandardInput {
			continue
		}
		info, err := vfs.Stat(say.FS, path)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%q does not exist", path)
		} else if err != nil {
			return err
		}
		in.files[path] = &file{FileInfo: info}
	}
	return nil
}

func (in *Input) regular(path string) *file {
	if f := in.files[path]; f != nil && f.Mode().IsRegular() {
		return f
	}
	return nil
}

func (in *Input) isModel(path string) bool {
	if in.regular(path) == nil {
		return false
	}
	file, err := vfs.Open(in.Options.FS, path)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, 64)
	n, _ := file.Read(head)
	_, err = modelfile.Inspect(bytes.NewReader(head[:n]))
	return !errors.Is(err, modelfile.ErrNotAModel)
}

// CheckTwice returns an error if a file or folder is given more than once. Unless in.Again is set, it
// also returns an error if two files with rows have the same contents.
func (in *Input) CheckTwice() error {
	bySize := map[int64][]string{}
	for _, path := range in.Paths {
		f := in.files[path]
		if f == nil || !f.Mode().IsRegular() && !f.IsDir() {
			continue
		}
		size := f.Size()
		if f.IsDir() {
			size = -1
		}
		for _, other := range bySize[size] {
			if os.SameFile(f.FileInfo, in.files[other].FileInfo) {
				return ui.Usagef("%q and %q are the same file or folder, so its rows would count twice: give it only once", other, path)
			}
			if in.Again || size <= 0 {
				continue
			}
			earlier, err := in.hashOf(other)
			hash, err2 := in.hashOf(path)
			switch {
			case cmp.Or(err, err2) != nil:
				return cmp.Or(err, err2)
			case hash == earlier && !in.onlyHeader(path):
				return ui.Usagef("%q has the same bytes as %q, so its rows would count twice: leave one of the files out", path, other)
			}
		}
		bySize[size] = append(bySize[size], path)
	}
	return nil
}

// onlyHeader reports whether the file at path has a header and no rows.
func (in *Input) onlyHeader(path string) bool {
	opt := in.Options
	opt.TargetPath = ""
	r, err := stream.Open(context.Background(), []string{path}, opt)
	if err != nil {
		return false
	}
	defer r.Close()
	_, err = r.Peek(1)
	return err == io.EOF && r.Heading().HasHeader
}

// Sources returns all paths that are read, including the file of the targets.
func (in *Input) Sources() []string {
	if in.Options.TargetPath == "" {
		return in.Paths
	}
	return append(slices.Clone(in.Paths), in.Options.TargetPath)
}

// Shown returns path as a stream.Error shows it: "standard input" for "-".
func Shown(path string) string {
	if path == session.StandardInput {
		return "standard input"
	}
	return path
}

// Once returns the first source that can be read only once, since it is neither a regular file nor a
// folder. It returns "" if there is none.
func (in *Input) Once() string {
	for _, path := range in.Sources() {
		switch f := in.files[path]; {
		case f == nil:
			return "standard input"
		case !f.Mode().IsRegular() && !f.IsDir():
			return path
		}
	}
	return ""
}

// BatchRows returns the number of rows in a batch of r with c outputs: --batch if that is set, else
// recorded, which comes from a model file, or a default if recorded is 0. Without --batch, wide rows
// come in smaller batches.
func (in *Input) BatchRows(r *stream.Reader, recorded, c int) int {
	return batchRows(in.Batch, recorded, r.Dim(), c)
}

// Bounded returns rows, a number derived from a model file, or fewer if a batch of that many rows of r
// with c outputs takes too much memory.
func Bounded(r *stream.Reader, rows, c int) int { return batchRows(0, rows, r.Dim(), c) }

func batchRows(given, recorded, d, c int) int {
	if given > 0 {
		return given
	}
	maxRows, bytes := maxBatch, batchBytes
	if recorded > 0 {
		maxRows, bytes = recorded, recordedBytes
	}
	return max(1, min(maxRows, bytes/(8*max(d, c))))
}

// Open opens the data, with the targets as labels if classes is true. It returns as soon as ctx is
// canceled, even if standard input sends nothing.
func (in *Input) Open(ctx context.Context, classes bool) (r *stream.Reader, err error) {
	for _, path := range in.Sources() {
		if in.isModel(path) {
			return nil, fmt.Errorf("%q is a model file, not data", path)
		}
	}
	opt := in.Options
	opt.Classes = classes
	opt.Bad = func(fault *stream.Error) error { return in.setAside(session.InFlags(fault)) }
	in.aside.Store(0)
	var opened *stream.Reader // not r: stream.Open may still set it after an interruption
	err = ui.Interruptible(ctx, func() (err error) {
		opened, err = stream.Open(ctx, in.Paths, opt)
		return err
	})
	if err != nil {
		return nil, session.InFlags(err)
	}
	r = opened
	if opt.InputArray != "" && r.Heading().Arrays == nil {
		return nil, errors.Join(ui.Usagef("--array is %q, but %s has no named arrays: leave it out", opt.InputArray, Shown(in.Paths[0])), r.Close())
	}
	return r, nil
}

// setAside sets aside the row of fault, with a note, or returns an error if --skip-bad allows no more.
func (in *Input) setAside(fault error) error {
	if in.aside.Add(1) > int64(in.skipBad) {
		if in.skipBad > 0 {
			return fmt.Errorf("%w; or raise --skip-bad, which has set %s aside already", fault, ui.Count(in.skipBad, "such row"))
		}
		return fmt.Errorf("%w; or use --skip-bad 10 to set aside up to 10 such rows", fault)
	}
	if !in.Silent {
		in.say.Warn("a row is set aside: %v", fault)
	}
	return nil
}

// LearnSkippingBad calls do with b, and drops from it each row that overflows the model, until do
// succeeds. It returns the rows kept, or nil if there are none.
func (in *Input) LearnSkippingBad(b *stream.Batch, do func(*stream.Batch) error) (*stream.Batch, error) {
	b, err := model.SkipBad(b, do, func(fault *model.Error) error { return in.setAside(in.Explain(fault)) })
	return b, in.Explain(err)
}
