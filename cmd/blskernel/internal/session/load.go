package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/io/vfs"

	"github.com/spf13/cobra"
)

// ModelFirst returns a check that there are 1 to most arguments. The first argument names the model.
func ModelFirst(most int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return errors.New("no model: give the model file as the first argument")
		case len(args) > most:
			return fmt.Errorf("unexpected argument %q", args[most])
		}
		return nil
	}
}

func (s *Session) checkModelPath(path string) error {
	info, err := vfs.Stat(s.FS, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the model %q does not exist: create it with 'blskernel train --out %s'", path, path)
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%q is a folder; want a model file", path)
	}
	return nil
}

// Load reads the model file at path, for the backend of s. Errors name the path.
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
		return nil, fmt.Errorf("%q is not a model file: name a model, such as 'blskernel train' writes, before any data", path)
	}
	if err != nil {
		return nil, err // it names the path
	}
	return model.New(f), nil
}

// LoadToRead is Load for a command that does not change the model. It prints a note for a checkpoint.
func (s *Session) LoadToRead(ctx context.Context, path string) (*model.Model, error) {
	m, err := s.Load(ctx, path)
	if err == nil {
		if what := Unfinished(&m.Metadata); what != "" {
			s.Warn("%s is %s", path, what)
		}
	}
	return m, err
}

// LoadWhole is Load, but returns an error for the checkpoint of an unfinished run.
func (s *Session) LoadWhole(ctx context.Context, path string) (*model.Model, error) {
	m, err := s.Load(ctx, path)
	if err == nil {
		if what := Unfinished(&m.Metadata); what != "" {
			return nil, ui.Usagef("%s is %s: finish that run with --resume or, if its data cannot be read again, learn more rows with 'blskernel update --restart'", path, what)
		}
	}
	return m, err
}

// Save computes the weights of a model that remove, merge or calibrate has changed, writes it and
// prints the result. rows is the number of rows removed, merged or calibrated on, and done is the text
// that reports them. If only the sync of the folder fails, it prints the result and returns an error.
func (s *Session) Save(path string, m *model.Model, rows int64, done string) error {
	if _, err := m.Weights(); err != nil {
		return Advice{}.Explain(err)
	}
	delete(m.Metadata.Notes, NoteHoldout) // the score belongs to the previous model
	var err error
	m.Metadata.Changed, err = Now()
	if err == nil {
		err = s.Put(path, m)
	}
	if err != nil && !OnlyFolder(err) {
		return err
	}
	d := Describe(m)
	told := s.Object(struct {
		Model string `json:"model"`
		Description
		Rows int64 `json:"rows"`
	}{path, d, rows})
	if told == nil {
		told = s.Say("%s   %s by %s, %s in all\n%s", path, d, d.Method, ui.Count(d.Samples, "sample"), done)
	}
	return errors.Join(told, err)
}
