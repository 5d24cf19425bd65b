package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// An outFile is a file of results that is there as a whole or not at all: it is written under another
// name in the same folder, and takes the place of what had its name when it is complete.
type outFile struct {
	path string
	file *os.File // nil once it has been committed or aborted
}

// newOutFile begins a file, so that a folder that does not exist is found before the work and not after
// it.
func newOutFile(path string) (*outFile, error) {
	// A link is to stay one, and what it leads to is to be replaced.
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file, and cannot be replaced", path)
	}
	for {
		// Not os.CreateTemp, which makes files that nobody else may read, whatever the umask.
		name := fmt.Sprintf(".%s.%08x.tmp", filepath.Base(path), rand.Uint32())
		file, err := os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return &outFile{path: path, file: file}, nil
	}
}

func (f *outFile) Write(p []byte) (int, error) { return f.file.Write(p) }

// Commit gives the file its name. If that fails there is what was there before.
func (f *outFile) Commit() error {
	file := f.file
	f.file = nil
	err := errors.Join(file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), f.path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(file.Name()))
	}
	return err
}

// Abort leaves what was there before. It does nothing after Commit, so that it can be deferred.
func (f *outFile) Abort() {
	if f.file == nil {
		return
	}
	_ = f.file.Close()
	_ = os.Remove(f.file.Name())
	f.file = nil
}

// lineSink is where a command's JSON lines go: to a file, to standard output, to both, or nowhere.
type lineSink struct {
	io.Writer
	file *outFile
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
		file, err := newOutFile(path)
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
