package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"blskernel/internal/atomicfile"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// lineSink is where a command's JSON lines go: to a file, to standard output, to both, or nowhere.
type lineSink struct {
	io.Writer
	file *atomicfile.File
}

// newLineSink begins the file of that name, unless it is empty; standard output has the lines too if
// asJSON.
func newLineSink(path string, asJSON bool, s streams) (*lineSink, error) {
	var r lineSink
	var to []io.Writer
	if asJSON {
		to = append(to, s.out)
	}
	if path != "" {
		file, err := atomicfile.Create(path)
		if err != nil {
			return nil, fmt.Errorf("--out: %w", err)
		}
		r.file = file
		to = append(to, file)
	}
	r.Writer = io.MultiWriter(to...)
	return &r, nil
}

// commit commits the file, if there is one.
func (r *lineSink) commit() error {
	if r.file == nil {
		return nil
	}
	return r.file.Commit()
}

// abort aborts the file, if there is one that has not been committed.
func (r *lineSink) abort() {
	if r.file != nil {
		r.file.Abort()
	}
}

// commandLine returns the command with the flags that were given, by which results can be had again: all but those that
// say where they go.
func commandLine(cmd *cobra.Command) string {
	words := []string{cmd.CommandPath()}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains([]string{"out", "resume", "json"}, f.Name) {
			return
		}
		value := f.Value.String()
		if list, ok := f.Value.(pflag.SliceValue); ok {
			value = strings.Join(list.GetSlice(), ",")
		}
		switch {
		case f.Value.Type() != "bool":
			words = append(words, "--"+f.Name, value)
		case value == "true":
			words = append(words, "--"+f.Name)
		default:
			words = append(words, "--"+f.Name+"="+value)
		}
	})
	return strings.Join(words, " ")
}
