package learn

import (
	"errors"
	"fmt"

	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/atomicfile"
)

// A changed is the JSON of a model that remove or merge has written.
type changed struct {
	Model string `json:"model"`
	description
	Rows int64 `json:"rows"` // removed, or of the models that were merged
}

// save writes a model that remove or merge has changed, once it has weights, and reports. It is a
// result with an error where the folder may not be on the disk.
func (c *command) save(path string, m *model, rows int64, done string) error {
	if _, err := m.Weights(); err != nil {
		return explainLearning(err)
	}
	if err := noteScore(&m.Metadata, nil); err != nil { // that of the model before
		return err
	}
	var err error
	if m.Metadata.Changed, err = now(); err != nil {
		return err
	}
	err = modelfile.SaveFS(c.FS, path, m.File)
	var folder *atomicfile.FolderError
	var file *atomicfile.WriteError
	switch {
	case err == nil || errors.As(err, &folder):
	case errors.As(err, &file): // which names the file
		return err
	default:
		return fmt.Errorf("writing %s: %w", path, err)
	}
	d := m.describe()
	told := c.Object(changed{path, d, rows})
	if told == nil {
		told = c.Say("%s   %s by %s, %s in all\n%s", path, d, d.Method, ui.Count(d.Samples, "sample"), done)
	}
	return errors.Join(told, err)
}
