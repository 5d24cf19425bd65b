package learn

import (
	"errors"
	"fmt"

	"blskernel/bls/model"
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

// put writes a model to its file, where it also is after an error that is onlyFolder.
func (c *command) put(path string, m *model.Model) error {
	err := modelfile.SaveFS(c.FS, path, m.File)
	var file *atomicfile.WriteError // which names the file
	if err == nil || onlyFolder(err) || errors.As(err, &file) {
		return err
	}
	return fmt.Errorf("writing %s: %w", path, err)
}

// onlyFolder reports whether a file was written, and its folder may not be on the disk.
func onlyFolder(err error) bool {
	var folder *atomicfile.FolderError
	return errors.As(err, &folder)
}

// save writes a model that remove or merge has changed, once it has weights, and reports. It is a
// result with an error where the folder may not be on the disk.
func (c *command) save(path string, m *model.Model, rows int64, done string) error {
	if _, err := m.Weights(); err != nil {
		return explainLearning(err)
	}
	err := noteScore(&m.Metadata, nil) // that of the model before
	if err == nil {
		m.Metadata.Changed, err = now()
	}
	if err == nil {
		err = c.put(path, m)
	}
	if err != nil && !onlyFolder(err) {
		return err
	}
	d := describe(m)
	told := c.Object(changed{path, d, rows})
	if told == nil {
		told = c.Say("%s   %s by %s, %s in all\n%s", path, d, d.Method, ui.Count(d.Samples, "sample"), done)
	}
	return errors.Join(told, err)
}
