package stream

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"blskernel/internal/io/names"
	"blskernel/internal/io/vfs"
)

// A Format is the file format of a source.
type Format int

const (
	FormatAuto Format = iota // chosen by the suffix of the path, else by the first bytes, else CSV
	CSV                      // text, one sample per line
	NPY                      // one NumPy array
	NPZ                      // a zip archive of NumPy arrays
	IDX                      // the format of MNIST, or the binary matrices of small NORB
)

var formatNames = []string{"auto", "csv", "npy", "npz", "idx"}

// String returns "auto", "csv", "npy", "npz" or "idx".
func (f Format) String() string { return names.String(formatNames, f) }

func (f Format) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

func (f *Format) UnmarshalText(name []byte) (err error) {
	*f, err = ParseFormat(string(name))
	return err
}

// ParseFormat returns the format with the given name, ignoring case. "" is FormatAuto; "tsv" is CSV.
func ParseFormat(name string) (Format, error) {
	if strings.EqualFold(name, "tsv") {
		return CSV, nil
	}
	return names.Parse[Format]("stream", formatNames, cmp.Or(name, "auto"))
}

// Header says whether the first line of a CSV file names its columns.
type Header int

const (
	// HeaderAuto takes the first line as a header in the first source if the options name a column,
	// and in a later source if the line repeats the first header. Otherwise the cells of the inputs
	// decide, or the targets in a file of targets. Missing cells are ignored. A line of numbers is
	// a sample, and a line of words a header. A line of both is a header if the next good line has
	// a word below a number or a number below a word. In the first source it is also a header if
	// none of the next hundred lines is good. In a file of labels only a word above a number is a
	// header, unless Options.Labels has it.
	//
	// If Options.Columns have levels, a line in which a cell is a level of its column is a sample,
	// unless other columns have words, none has a number, and Options.Fixed is false. Other words
	// in a column with levels are ignored, but a line of such words alone is a header.
	//
	// Set HeaderPresent for a header of numbers, and HeaderAbsent for words without a header.
	HeaderAuto Header = iota
	HeaderPresent
	HeaderAbsent
)

var headerNames = []string{"auto", "present", "absent"}

// String returns "auto", "present" or "absent".
func (h Header) String() string { return names.String(headerNames, h) }

func (h Header) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

func (h *Header) UnmarshalText(name []byte) (err error) {
	*h, err = ParseHeader(string(name))
	return err
}

// ParseHeader returns the Header with the given name, ignoring case. "" is HeaderAuto.
func ParseHeader(name string) (Header, error) {
	return names.Parse[Header]("stream", headerNames, cmp.Or(name, "auto"))
}

// Options select the data. The zero value reads every column as an input, in the detected format. The
// JSON encoding has the fields that affect what is learned, except fields that a model or program sets.
type Options struct {
	Format Format `json:"format,omitzero"` // of the paths, not of TargetPath
	Header Header `json:"header,omitzero"` // of CSV files
	// Comma separates CSV cells. 0 selects a tab if the first line has one, else a semicolon if the
	// line has one, else a comma. Comma cannot be a letter, a digit, one of . + - _, a quotation
	// mark or a line end.
	Comma rune `json:"comma,omitzero"`

	// Inputs lists the columns of X in their order. Each entry is one of
	//
	//	"age"        the column of that name in the header of a CSV file
	//	"3"          the third column; a number is always a position
	//	"3-7"        positions from 3 to 7
	//	"3-"         from the third to the last
	//
	// nil selects all columns except the targets and the weight, in the order of the file. The
	// columns of an array with more than two dimensions are the elements of a sample in C order. An
	// empty list that is not nil is an error.
	Inputs []string `json:"inputs,omitempty"`

	// Targets lists the columns to predict, with entries as in Inputs; for an .npz, a single entry
	// may name an array instead. With TargetPath they are columns of that file, and an empty list
	// means all of them. Without TargetPath an empty list means no targets.
	Targets []string `json:"targets,omitempty"`

	// Exclude lists columns that are left out of the inputs, with entries as in Inputs.
	Exclude []string `json:"exclude,omitempty"`

	// Weight is the column of sample weights, which are finite and not negative; empty for none. It
	// is neither a column of TargetPath nor an input.
	Weight string `json:"weight,omitzero"`

	// Keep lists columns of the file of the inputs, with entries as in Inputs, whose cells a Batch
	// keeps as text. They can be inputs too.
	Keep []string `json:"-"`

	// TargetPath is a file of any format with a row of targets for each sample. Open then takes
	// only one path.
	TargetPath string `json:"target_path,omitzero"`

	// InputArray names the array of the inputs in an .npz. If it is empty, the array is X, else x,
	// else the only array of two or more dimensions besides the target.
	InputArray string `json:"input_array,omitzero"`

	// Pixels reads whole images, of unsigned bytes in an idx file or a binary matrix, into
	// Batch.Pixels. TargetPath is then read as IDX. Open and Select then fail if Inputs, Exclude,
	// Weight, Keep or Columns is set, or if Targets is set without TargetPath.
	Pixels bool `json:"-"`

	// Classes says that the single target column has labels, which stay text.
	Classes bool `json:"-"`

	// Labels lists labels that are not read as missing cells, such as NA for Namibia.
	Labels []string `json:"-"`

	// Columns describe how the columns of Inputs become the columns of X, in their order; nil for
	// plain numbers. [Reader.Survey] finds them in the data; a model keeps them.
	Columns Columns `json:"-"`

	// Fixed says that a model needs all inputs, so that no error suggests excluding one.
	Fixed bool `json:"-"`

	// Missing is the treatment of missing cells.
	Missing Missing `json:"missing,omitzero"`

	// NA lists further words for a missing cell or label, even if they are levels in Columns. Case
	// matters. In an array, a word that is a number marks all elements equal to it as missing.
	NA []string `json:"na,omitempty"`

	// TargetNotations describe how the numbers of Targets are written, in their order. Unless each
	// target has one, Decimal and Thousands apply. [Reader.Survey] detects them in the data.
	TargetNotations []Notation `json:"-"`

	// Decimal is the decimal sign of a CSV file, a point or a comma; 0 for a point, or for a comma
	// if Thousands is a point. If Decimal itself is a comma, the comma is not detected as the
	// separator. If Decimal or Thousands is set, they override the Notation of every column.
	Decimal rune `json:"decimal,omitzero"`

	// Thousands is the thousands separator: a space, an apostrophe, a point, a comma or an
	// underscore; 0 for none. A cell with a group of the wrong length is not a number.
	Thousands rune `json:"thousands,omitzero"`

	// Test selects the t10k- files of an MNIST folder instead of the train- files.
	Test bool `json:"test,omitzero"`

	// Stdin is read for the path "-"; nil for os.Stdin.
	Stdin io.Reader `json:"-"`

	// Open opens every path but "-", including TargetPath; nil for local files. With Open a path
	// may have any form, is never a folder and has no known size. It is opened when it is reached,
	// like a named pipe.
	//
	// One goroutine calls Open, reads its result to the end and closes it. ctx is done when the
	// context of the Reader is, or after Close; the Reader then waits for neither Open nor Read.
	// Errors, including an error of Close, become the cause of an *Error with the path.
	Open func(ctx context.Context, path string) (io.ReadCloser, error) `json:"-"`

	// FS is the file system; nil for the operating system's. Tests inject faults through it.
	FS vfs.FS `json:"-"`

	// Bad is called with the fault of a bad sample. If it returns nil, the sample is left out. Any
	// other error ends the reading, and Next returns it from then on; io.EOF ends it as if the data
	// had ended. Without Bad the first bad sample ends the reading with its *Error.
	//
	// Next calls Bad once for each bad sample, in their order; Peek does not call it. The package
	// comment defines bad samples. Bad may limit their number: if the first line has an extra cell,
	// all others are bad.
	Bad func(*Error) error `json:"-"`

	// targetsOnly is set for a file of targets: it has no inputs, and without Targets every column
	// is a target.
	targetsOnly bool
}

// Number reads a CSV cell like a cell of the only target: with its notation in TargetNotations, or else
// with Decimal and Thousands. A missing cell is NaN. ok is false if the cell is not a number.
func (o *Options) Number(cell string) (v float64, ok bool) {
	var of Notation
	if len(o.TargetNotations) == 1 {
		of = o.TargetNotations[0]
	}
	n := o.notation(of)
	if cell = trim(cell); n.isMissing(cell) {
		return math.NaN(), true
	}
	v, err := n.value(cell)
	return v, err == nil
}

// fills reports whether a missing input is read as NaN, to be filled in or left out.
func (o *Options) fills() bool {
	return o.Missing == MissingDrop || o.Missing == MissingMean && o.Columns != nil
}

// checkChoice returns an error if several target columns have labels, or if Columns do not fit the
// inputs. words is true if the inputs can have words.
func (o *Options) checkChoice(inputs, outputs int, words bool) error {
	switch {
	case o.Classes && outputs > 1 && o.targetsOnly:
		return Errorf("has %d target columns, but a sample has one label; give a file of labels alone, or name their column", outputs)
	case o.Classes && outputs > 1:
		return Errorf("has %d target columns, but a sample has one label; name the column of the labels", outputs)
	case o.targetsOnly || o.Columns == nil:
		return nil
	case len(o.Columns) != inputs:
		return Errorf("has %s, but Options.Columns describes %d; select the columns that it describes", names.Count(inputs, "input column"), len(o.Columns))
	case !words && slices.ContainsFunc(o.Columns, func(c Column) bool { return c.Levels != nil }):
		return Errorf("is an array, but some input columns have words; give a CSV file")
	}
	return nil
}

func (o *Options) check(paths []string) error {
	fault := func(format string, args ...any) error {
		return fmt.Errorf("stream: "+format, args...)
	}
	switch {
	case len(paths) == 0:
		return fault("no source; give at least one path, or - for standard input")
	case o.TargetPath != "" && len(paths) > 1:
		return fault("one file of targets cannot serve %d sources; read the sources one by one, or put the targets into them", len(paths))
	case o.Comma != 0 && !validComma(o.Comma):
		return fault("%q cannot separate cells; give a comma, a semicolon, a tab or another sign, but no letter, digit, quotation mark or line end, and none of . + - _", o.Comma)
	case !slices.Contains([]rune{0, '.', ','}, o.Decimal):
		return fault("%q cannot be the decimal sign; give a point or a comma", o.Decimal)
	case o.Thousands != 0 && (!validThousands(o.Thousands) || o.Thousands == cmp.Or(o.decimal(), '.')):
		return fault("%q cannot separate thousands; give a space, an apostrophe, an underscore, a point or a comma, but not the decimal sign", o.Thousands)
	}
	if err := o.checkColumns(); err != nil {
		return err
	}
	all := append([]string{o.TargetPath}, paths...)
	if i := slices.Index(all, stdinPath); i >= 0 && slices.Contains(all[i+1:], stdinPath) {
		return fault("standard input is given more than once, but can be read only once; give it only once")
	}
	return nil
}
