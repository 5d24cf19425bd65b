// Package session has what commands on model files share: flags and reports, the notes of a run, and
// errors in terms of flags. It reads, locks and writes models.
package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"blskernel"
	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/io/vfs"

	"github.com/spf13/cobra"
)

// StandardInput stands for standard input.
const StandardInput = "-"

// A Session is a run of a command on model files: its reporter and its backend.
type Session struct {
	ui.Reporter
	compute ui.Compute
	Backend blskernel.Backend
}

// Register adds the flags. object names the value that --json prints.
func (s *Session) Register(cmd *cobra.Command, object string) {
	s.compute.Register(cmd)
	s.Reporter.Register(cmd, object)
	s.RegisterVerbose(cmd)
}

// Begin checks the flags and finds the backend.
func (s *Session) Begin(to ui.Streams) (err error) {
	if err = s.Reporter.Begin(to); err == nil {
		s.Backend, err = s.compute.Lookup()
	}
	return err
}

// checkModelPath returns an error if path is no file.
func (s *Session) checkModelPath(path string) error {
	info, err := vfs.Stat(s.FS, path)
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

// Load reads the model at path.
func (s *Session) Load(ctx context.Context, path string) (*model.Model, error) {
	if err := s.checkModelPath(path); err != nil {
		return nil, err
	}
	var f *modelfile.File
	err := ui.Interruptible(ctx, func() (err error) {
		f, err = modelfile.LoadFS(s.FS, path, s.Backend)
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

// LoadToRead is Load for a command that does not change the model. It warns of a checkpoint.
func (s *Session) LoadToRead(ctx context.Context, path string) (*model.Model, error) {
	m, err := s.Load(ctx, path)
	if err != nil {
		return nil, err
	}
	if what := Unfinished(&m.Metadata); what != "" {
		s.Warn("%s is %s", path, what)
	}
	return m, nil
}

// LoadWhole loads a model that is no checkpoint.
func (s *Session) LoadWhole(ctx context.Context, path string) (*model.Model, error) {
	m, err := s.Load(ctx, path)
	if err != nil {
		return nil, err
	}
	if what := Unfinished(&m.Metadata); what != "" {
		return nil, ui.Usagef("%s is %s: finish that by its command with --resume", path, what)
	}
	return m, nil
}

// ModelFirst wants the name of a model as the first argument, and at most this number of arguments.
func ModelFirst(most int) cobra.PositionalArgs {
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
