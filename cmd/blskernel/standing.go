package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blskernel/bls/modelfile"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A standing is what a checkpoint has to say so that a training or an update can go on with it: what
// was done, by which settings, and to which files.
type standing struct {
	command  string // train or update
	settings string // all flags that the result depends on, and the backend
	sources  []sourceState
}

// sourceState tells whether a file is still the one that it was, in whatever folder: a model that is
// passed on says nothing about the folders of where it was trained.
type sourceState struct {
	Path     string    `json:"path"`
	Size     int64     `json:"size,omitempty"`
	Modified time.Time `json:"modified,omitzero"`
}

// The notes of a model file that a standing is kept in.
const (
	noteCommand  = "command"
	noteSettings = "settings"
	noteSources  = "sources"
)

// newStanding returns the standing of a command that is about to read the sources.
func newStanding(cmd *cobra.Command, backend string, s *sourceSettings) (*standing, error) {
	st := &standing{command: cmd.Name(), settings: settingsOf(cmd) + " on " + backend}
	paths := s.paths
	if s.targetsFile != "" {
		paths = append(slices.Clone(paths), s.targetsFile)
	}
	for _, path := range paths {
		state := sourceState{Path: path}
		if path != standardInput {
			place, err := filepath.Abs(path)
			if err != nil {
				return nil, err
			}
			info, err := os.Stat(place)
			if err != nil {
				return nil, err
			}
			state = sourceState{Path: filepath.Base(place), Modified: info.ModTime().UTC()}
			if !info.IsDir() {
				state.Size = info.Size()
			}
		}
		st.sources = append(st.sources, state)
	}
	return st, nil
}

// settingsOf lists the values of all flags, given or not, but those that the result does not depend on.
func settingsOf(cmd *cobra.Command) string {
	without := []string{"data", "targets-file", "out", "resume", "restart", "checkpoint", "json", "quiet", "verbose", "help", "backend"}
	var words []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(without, f.Name) {
			words = append(words, fmt.Sprintf("%s=%q", f.Name, f.Value.String()))
		}
	})
	return strings.Join(words, " ")
}

// note writes the standing after so many rows to the metadata of a model.
func (st *standing) note(m *modelfile.Metadata, rows int64, done bool) error {
	sources, err := json.Marshal(st.sources)
	if err != nil {
		return err
	}
	if m.Notes == nil {
		m.Notes = map[string]string{}
	}
	m.Notes[noteCommand], m.Notes[noteSettings], m.Notes[noteSources] = st.command, st.settings, string(sources)
	m.Progress = &modelfile.Progress{Rows: rows, Done: done}
	for _, s := range st.sources {
		m.Progress.Sources = append(m.Progress.Sources, s.Path)
	}
	m.Changed = time.Now().UTC()
	return nil
}

// differs says in what a checkpoint is of another work than the standing, or returns an empty string.
func (st *standing) differs(m *modelfile.Metadata) string {
	if was := m.Notes[noteCommand]; was != st.command {
		return fmt.Sprintf("it is of the command %q", was)
	}
	if was := m.Notes[noteSettings]; was != st.settings {
		return fmt.Sprintf("it was begun with other flags, %s", was)
	}
	var sources []sourceState
	if err := json.Unmarshal([]byte(m.Notes[noteSources]), &sources); err != nil {
		return "it does not say which files it is of"
	}
	if len(sources) != len(st.sources) {
		return fmt.Sprintf("it was begun with %s of data, and here are %d", counted(len(sources), "file"), len(st.sources))
	}
	for i, was := range sources {
		switch is := st.sources[i]; {
		case was.Path != is.Path:
			return fmt.Sprintf("it was begun with %s in place of %s", was.Path, is.Path)
		case was.Size != is.Size || !was.Modified.Equal(is.Modified):
			return fmt.Sprintf("%s has been changed since", is.Path)
		}
	}
	return ""
}

// unfinished says what a model is a checkpoint of, or returns an empty string.
func unfinished(m *modelfile.Metadata) string {
	if m.Progress == nil || m.Progress.Done {
		return ""
	}
	work := "a training"
	if m.Notes[noteCommand] == "update" {
		work = "an update"
	}
	return fmt.Sprintf("a checkpoint of %s that stopped after %d rows of %s", work, m.Progress.Rows, strings.Join(m.Progress.Sources, ", "))
}
