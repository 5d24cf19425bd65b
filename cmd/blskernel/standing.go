package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"blskernel"
	"blskernel/bls/modelfile"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A standing is what a checkpoint has to say so that a training or an update can go on with it: what
// was done, by which settings, and to which files. What the files had is told by a rowSum.
type standing struct {
	command  string            // train or update
	settings map[string]string // all that the result depends on: flags, and what computes
	sources  []string          // files, without their folders: a model that is passed on says nothing about these
	once     string            // the source that can be read only once; empty if there is none
}

// The notes of a model file that a standing is kept in.
const (
	noteCommand  = "command"
	noteSettings = "settings" // a JSON object
	noteOnce     = "once"
	noteContent  = "content" // the checksum of the rows that have been learned
)

// newStanding returns the standing of a command that is about to read the sources.
func newStanding(cmd *cobra.Command, b blskernel.Backend, s *sourceSettings) (*standing, error) {
	st := &standing{command: cmd.Name(), settings: settingsOf(cmd), once: s.once()}
	maps.Copy(st.settings, computing(b))
	for _, path := range s.all() {
		if path != standardInput {
			place, err := filepath.Abs(path)
			if err != nil {
				return nil, err
			}
			path = filepath.Base(place)
		}
		st.sources = append(st.sources, path)
	}
	return st, nil
}

// settingsOf returns the values of all flags, given or not, but those that the result does not depend
// on.
func settingsOf(cmd *cobra.Command) map[string]string {
	without := []string{"data", "targets-file", "out", "resume", "restart", "checkpoint", "json", "quiet", "verbose", "help", "backend", "threads"}
	settings := map[string]string{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(without, f.Name) {
			settings["--"+f.Name] = f.Value.String()
		}
	})
	return settings
}

// computing says what decides the order of the operations: of the pure backend the kernel, whatever the
// number of threads, of another its version and the number of threads.
func computing(b blskernel.Backend) map[string]string {
	info := blskernel.Describe(b)
	if name, _, _ := strings.Cut(info.Name, "/"); name == "pure" {
		return map[string]string{"backend": name, "kernel": info.Kernel}
	}
	settings := map[string]string{"backend": info.Name, "threads": strconv.Itoa(blskernel.Threads())}
	if info.Library != "" {
		settings["version"] = info.Version
	}
	return settings
}

// work says in a word what the command does.
func (st *standing) work() string { return workOf(st.command) }

func workOf(command string) string {
	if command == "update" {
		return "update"
	}
	return "training"
}

// note writes the standing after so many rows with that checksum to the metadata of a model.
func (st *standing) note(m *modelfile.Metadata, rows int64, content string, done bool) error {
	settings, err := json.Marshal(st.settings) // in the order of the keys
	if err != nil {
		return err
	}
	if m.Notes == nil {
		m.Notes = map[string]string{}
	}
	m.Notes[noteCommand], m.Notes[noteSettings], m.Notes[noteContent] = st.command, string(settings), content
	delete(m.Notes, noteOnce)
	if st.once != "" {
		m.Notes[noteOnce] = st.once
	}
	m.Progress = &modelfile.Progress{Rows: rows, Sources: st.sources, Done: done}
	m.Changed = time.Now().UTC()
	return nil
}

// differs says in what a checkpoint is of another work than the standing, or returns an empty string.
func (st *standing) differs(m *modelfile.Metadata) string {
	if was := m.Notes[noteCommand]; was != st.command {
		return fmt.Sprintf("it is of the command %q", was)
	}
	if m.Progress == nil {
		return "it does not say what it has learned"
	}
	var settings map[string]string
	if err := json.Unmarshal([]byte(m.Notes[noteSettings]), &settings); err != nil {
		return "it does not say by which flags it was begun"
	}
	all := maps.Clone(settings)
	maps.Copy(all, st.settings)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if was, is := settings[name], st.settings[name]; was != is {
			return fmt.Sprintf("it was begun with %s %s, and here that is %s", name, visible(was), visible(is))
		}
	}
	sources := m.Progress.Sources
	if len(sources) != len(st.sources) {
		return fmt.Sprintf("it was begun with %s of data, and here are %d", counted(len(sources), "file"), len(st.sources))
	}
	for i, was := range sources {
		if is := st.sources[i]; was != is {
			return fmt.Sprintf("it was begun with %s in place of %s", was, is)
		}
	}
	return ""
}

// sameData tells whether a model has last learned files of these names by the same command.
func (st *standing) sameData(m *modelfile.Metadata) bool {
	return m.Notes[noteCommand] == st.command && m.Progress != nil && slices.Equal(m.Progress.Sources, st.sources)
}

// visible returns the value of a setting so that one that is empty or has spaces can be seen.
func visible(value string) string {
	if value == "" || strings.ContainsAny(value, " ,") || printable(value) != value {
		return strconv.Quote(value)
	}
	return value
}

// unfinished says what a model is a checkpoint of, or returns an empty string.
func unfinished(m *modelfile.Metadata) string {
	if m.Progress == nil || m.Progress.Done {
		return ""
	}
	article := "a"
	work := workOf(m.Notes[noteCommand])
	if work == "update" {
		article = "an"
	}
	return fmt.Sprintf("a checkpoint of %s %s that stopped after %d rows of %s", article, work, m.Progress.Rows, someOf(m.Progress.Sources))
}

// warnOnce tells what checkpoints are good for, of data that can be read only once.
func warnOnce(t *talk, every interval, st *standing) {
	if every.wanted() && st.once != "" {
		t.warn("nothing can go on with these checkpoints, since %s cannot be read again: they keep what has been learned", st.once)
	}
}

// checkResume refuses to go on with what can be read only once: nobody can know whether it has the
// rows of before, or how many of them.
func (s *sourceSettings) checkResume() error {
	if once := s.once(); once != "" {
		return usageError{fmt.Errorf("--resume reads the data from the beginning again, which %s cannot be: leave it out, or save the data to a file", once)}
	}
	return nil
}
