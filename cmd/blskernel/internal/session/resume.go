package session

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/internal/io/names"
	"blskernel/internal/io/vfs"
)

// SetFile records the file at path as the setting name: the name of the file without its folder and,
// since another file may have that name, its hash. A file that cannot be read has no hash; the run will
// report the file. A pipe has no hash, since it can be read only once.
func (m *Manifest) SetFile(fsys vfs.FS, name, path string) {
	value := Recorded(filepath.Base(path))
	if info, err := vfs.Stat(fsys, path); err == nil && info.Mode().IsRegular() {
		if hash, err := model.HashOf(fsys, path); err == nil {
			value += " " + hash
		}
	}
	m.settings[name] = value
}

// Differs says how the run of a checkpoint differs from m, or returns "" if a run can resume it.
func (m *Manifest) Differs(meta *modelfile.Metadata) string {
	if meta.Progress == nil {
		return "it does not record what it has learned"
	}
	if was := meta.Notes[noteCommand]; was != m.Name {
		return fmt.Sprintf("it was written by the command %q", was)
	}
	var settings map[string]string
	if err := json.Unmarshal([]byte(meta.Notes[noteSettings]), &settings); err != nil {
		return "it does not record the flags of its run"
	}
	keys := slices.AppendSeq(slices.Collect(maps.Keys(settings)), maps.Keys(m.settings))
	slices.Sort(keys)
	for _, name := range keys {
		if was, is := settings[name], m.settings[name]; was != is {
			return fmt.Sprintf("%s was %q, but is now %q", name, was, is)
		}
	}
	if was := meta.Progress.Sources; !slices.Equal(was, m.sources) {
		return fmt.Sprintf("the data was %s, but is now %s", names.List(was), names.List(m.sources))
	}
	return ""
}

// SameData reports whether the last run on a model was the same command, on files with the same names.
func (m *Manifest) SameData(meta *modelfile.Metadata) bool {
	return meta.Notes[noteCommand] == m.Name && meta.Progress != nil && slices.Equal(meta.Progress.Sources, m.sources)
}

// Unfinished describes the model as a checkpoint of its last run, or returns "" if that was finished.
func Unfinished(meta *modelfile.Metadata) string {
	if meta.Progress == nil || meta.Progress.Done {
		return ""
	}
	what := "a training run"
	if Work(meta.Notes[noteCommand]) == "update" {
		what = "an update"
	}
	return fmt.Sprintf("a checkpoint of %s that stopped after %s of %s", what, names.Count(meta.Progress.Rows, "row"), names.List(meta.Progress.Sources))
}

// Work returns the noun for a run of the command: "update" or "training".
func Work(command string) string {
	if command == "update" {
		return "update"
	}
	return "training"
}

// EndRun deletes from meta the record of the last run, so that no run resumes it.
func EndRun(meta *modelfile.Metadata) {
	meta.Progress = nil
	for _, name := range []string{noteCommand, noteSettings, NoteOnce, NoteContent} {
		delete(meta.Notes, name)
	}
}

// Lasting returns the notes that remain true when a model learns more: the notes on weights, and
// Python's notes on the shape of y and on expected_rows.
func Lasting(meta *modelfile.Metadata) map[string]string {
	notes := map[string]string{}
	for _, name := range []string{NoteWeight, NoteClassWeight, "y", "expected_rows"} {
		if note := meta.Notes[name]; note != "" {
			notes[name] = note
		}
	}
	return notes
}
