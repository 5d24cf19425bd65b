package model

import (
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
)

// KnowsRows reports whether Remove rejects rows that were never learned, or are already removed.
func (m *Model) KnowsRows() bool {
	if m.KeptRows() > 0 {
		return true
	}
	method := m.Updater().Method()
	return method == blsupdate.Improved || method == blsupdate.Original
}

// RemovedSince returns the name of a file that was removed after the model had learned the file with
// the given hash. The model had never learned the removed file as a whole, so the removed rows may come
// from the file with the hash. The result is "" if the log has no such file.
func (m *Model) RemovedSince(hash string) string {
	name := ""
	left, _ := stayed(m.Metadata.Log)
	for i := range left {
		for _, f := range left[i].Files {
			switch {
			case learns(&left[i]) && f.Hash == hash && !f.Removed:
				name = ""
			case left[i].Kind == modelfile.OpRemove && !f.Removed && f.Rows > 0:
				name = f.Name
			}
		}
	}
	return name
}
