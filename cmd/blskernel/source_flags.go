package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"blskernel/dataset/stream"
	"blskernel/internal/flagvalue"

	"github.com/spf13/cobra"
)

// standardInput is the name that stands for standard input.
const standardInput = "-"

// sourceSettings are the flags that say what is read, and how: the same for all commands that read samples.
type sourceSettings struct {
	paths                              []string
	format, comma, header, part, array string
	inputs, targets                    []string
	targetsFile                        string
}

// register adds the flags to cmd. The part, training or test, is that of a folder that has both.
func (s *sourceSettings) register(cmd *cobra.Command, part string) {
	f := cmd.Flags()
	f.StringArrayVar(&s.paths, "data", nil, "a file of samples, a folder with MNIST's file names, or - for standard input; it can be given several times, and files can follow without it")
	f.StringVar(&s.format, "format", "auto", "csv, npy, npz, idx, or auto: by the content")
	f.StringVar(&s.comma, "comma", "", "what separates the cells of a CSV file: a character, or tab; by default comma, semicolon or tab, as in the first line")
	f.StringVar(&s.header, "header", "auto", "whether the first line of a CSV file has the names of the columns: present, absent, or auto: if it has a cell that is no number")
	f.StringSliceVar(&s.inputs, "inputs", nil, "input columns: names, numbers from 1, ranges as 3-7; by default all that are no targets")
	f.StringSliceVar(&s.targets, "target", nil, "column of the labels, or columns of the targets, by name or number; of an npz file the name of the array")
	f.StringVar(&s.targetsFile, "targets-file", "", "file that has the labels or targets of an npy or idx file")
	f.StringVar(&s.array, "array", "", "name of the array of an npz file that has the inputs; by default X or x, else its only matrix")
	f.StringVar(&s.part, "part", part, "part of a folder with MNIST's file names: training or test")
	complete(cmd, "format", "auto", "csv", "npy", "npz", "idx")
	complete(cmd, "comma", "tab", ",", ";")
	complete(cmd, "header", "auto", "present", "absent")
	complete(cmd, "part", "training", "test")
	completeFile(cmd, "data", dataExtensions...)
	completeFile(cmd, "targets-file", dataExtensions...)
}

// dataExtensions are those that completion offers for files of samples.
var dataExtensions = []string{"csv", "tsv", "txt", "npy", "npz", "gz", "idx3-ubyte", "idx1-ubyte"}

// options turns the flags, and the paths that follow them, into what stream.Open reads, or says which
// flag is wrong.
func (s *sourceSettings) options(args []string) (stream.Options, error) {
	s.paths = append(s.paths, args...)
	opt := stream.Options{Inputs: s.inputs, Targets: s.targets, TargetPath: s.targetsFile, InputArray: s.array}
	if len(s.paths) == 0 {
		return opt, usageError{errors.New("no data: name a file, a folder, or - for standard input")}
	}
	if slices.Contains(s.paths, standardInput) && (len(s.paths) > 1 || s.targetsFile == standardInput) {
		return opt, usageError{errors.New("standard input, -, cannot be one of several files")}
	}
	var err error
	if opt.Format, err = stream.ParseFormat(s.format); err != nil {
		return opt, usageError{fmt.Errorf("--format is %q; want auto, csv, npy, npz or idx", s.format)}
	}
	if opt.Comma, err = flagvalue.ParseComma(s.comma); err != nil {
		return opt, usageError{fmt.Errorf("--comma is %q; %w", s.comma, err)}
	}
	if opt.Header, err = stream.ParseHeader(s.header); err != nil {
		return opt, usageError{fmt.Errorf("--header is %q; want present, absent or auto", s.header)}
	}
	switch s.part {
	case "training":
	case "test":
		opt.Test = true
	default:
		return opt, usageError{fmt.Errorf("--part is %q; want training or test", s.part)}
	}
	return opt, s.exist()
}

// exist finds paths that are not there before anything is done.
func (s *sourceSettings) exist() error {
	for _, path := range s.all() {
		if path == standardInput {
			continue
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%q is not there", path)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// all returns all paths that are read.
func (s *sourceSettings) all() []string {
	if s.targetsFile == "" {
		return s.paths
	}
	return append(slices.Clone(s.paths), s.targetsFile)
}

// once names the first of the sources that can be read only once: standard input, a named pipe, and
// whatever else is neither a file nor a folder. It is empty if there is none.
func (s *sourceSettings) once() string {
	for _, path := range s.all() {
		if path == standardInput {
			return "standard input"
		}
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return path
		}
	}
	return ""
}
