package session

import (
	"errors"
	"fmt"

	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/io/atomicfile"
)

// A changed is the JSON of a model that remove, merge or calibrate has written.
type changed struct {
	Model string `json:"model"`
	Description
	Rows int64 `json:"rows"` // removed, calibrated by, or of the models that were merged
}

// Put writes a model to its file. It is also written after an error for which OnlyFolder holds.
func (s *Session) Put(path string, m *model.Model) error {
	for len(m.Metadata.Log) > 1 && m.Metadata.Check() != nil { // there is no room for it all
		m.CutLog()
	}
	err := modelfile.SaveFS(s.FS, path, m.File)
	var file *atomicfile.WriteError // which names the file
	if err == nil || OnlyFolder(err) || errors.As(err, &file) {
		return err
	}
	return fmt.Errorf("writing %s: %w", path, err)
}

// OnlyFolder reports whether a file was written but its folder could not be synced.
func OnlyFolder(err error) bool {
	var folder *atomicfile.FolderError
	return errors.As(err, &folder)
}

// Save writes a model that remove, merge or calibrate has changed, once it has weights, and reports. If
// only the sync of the folder fails, there is a result and an error.
func (s *Session) Save(path string, m *model.Model, rows int64, done string) error {
	if _, err := m.Weights(); err != nil {
		return TrainAnew(err)
	}
	delete(m.Metadata.Notes, NoteHoldout) // the score belongs to the model before
	var err error
	m.Metadata.Changed, err = Now()
	if err == nil {
		err = s.Put(path, m)
	}
	if err != nil && !OnlyFolder(err) {
		return err
	}
	d := Describe(m)
	told := s.Object(changed{path, d, rows})
	if told == nil {
		told = s.Say("%s   %s by %s, %s in all\n%s", path, d, d.Method, ui.Count(d.Samples, "sample"), done)
	}
	return errors.Join(told, err)
}
