package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"blskernel"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/ui"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A Manifest describes a run in its checkpoints, so that another run can resume it: the command, its
// settings and its files. A checkpoint also has a checksum of the rows. File names are recorded without
// folders, which a shared model must not reveal.
type Manifest struct {
	Name     string            // of the command: train or update
	settings map[string]string // everything that the result depends on: flags and backend
	sources  []string          // the files of the data, without folders
	onceOnly string            // the source that can be read only once; empty if there is none
}

// The names of the notes in a model file. The first four notes record the run.
const (
	noteCommand  = "command"
	noteSettings = "settings" // a JSON object
	NoteOnce     = "once"     // the source that cannot be read again
	NoteContent  = "content"  // the checksum of the rows that have been read
	NoteWeight   = "weight"   // the column of weights in training
	// NoteClassWeight is Python's dict of class weights, which only Python applies.
	NoteClassWeight = "class_weight"
	NoteHoldout     = "holdout" // the score of the held-out rows, a JSON object
	NoteRunning     = "running" // the score of rows before they were learned, a JSON object
)

// ignoredFlags lists flags that do not affect the result, or that NewManifest records in another way.
var ignoredFlags = []string{
	"data", "targets-file", "out", "resume", "restart", "checkpoint", "json", "quiet", "verbose", "help", "backend", "threads",
	"cv",       // it changes no model
	"again",    // it matters only at the start of a run
	"skip-bad", // the checksum shows whether the same rows are set aside
}

// NewManifest returns the manifest of a command that reads sources. once names the source that can be
// read only once, if there is one.
func NewManifest(cmd *cobra.Command, b blskernel.Backend, sources []string, once string) (Manifest, error) {
	if once != "" && !strings.HasPrefix(once, "/dev/") { // the base of /dev/fd/63 is only a number
		once = filepath.Base(once)
	}
	m := Manifest{Name: cmd.Name(), settings: computing(b), onceOnly: Recorded(once)}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(ignoredFlags, f.Name) && (f.Changed || f.Name != "na" && f.Name != "score") { // older files lack these two
			m.settings["--"+f.Name] = Recorded(f.Value.String())
		}
	})
	for _, path := range sources {
		if path != StandardInput {
			place, err := filepath.Abs(path)
			if err != nil {
				return m, err
			}
			path = filepath.Base(place)
		}
		m.sources = append(m.sources, Recorded(path))
	}
	return m, nil
}

// Recorded returns a file name, which may be any bytes, as a model file records it. A name that is not
// UTF-8, or contains \x, is escaped as in a Go string, so that no two names become equal.
func Recorded(name string) string {
	if utf8.ValidString(name) && !strings.Contains(name, `\x`) {
		return name
	}
	quoted := strconv.Quote(name)
	return quoted[1 : len(quoted)-1]
}

// computing returns the settings of b on which the bits of results depend: the name of the backend and,
// unless that is pure, the version and the number of threads.
func computing(b blskernel.Backend) map[string]string {
	info := blskernel.Describe(b)
	if name, _, _ := strings.Cut(info.Name, "/"); name == "pure" {
		return map[string]string{"backend": name}
	}
	settings := map[string]string{"backend": info.Name, "threads": strconv.Itoa(blskernel.Threads())}
	if info.Library != "" {
		settings["version"] = info.Version
	}
	return settings
}

// Note writes the manifest to meta, with the number of rows read and their checksum, content. done says
// whether the run is complete. Note also sets meta.Changed.
func (m *Manifest) Note(meta *modelfile.Metadata, rows int64, content string, done bool) error {
	settings, err := json.Marshal(m.settings) // sorted by key
	if err != nil {
		return err
	}
	if meta.Notes == nil {
		meta.Notes = map[string]string{}
	}
	meta.Notes[noteCommand], meta.Notes[noteSettings], meta.Notes[NoteContent] = m.Name, string(settings), content
	delete(meta.Notes, NoteOnce)
	if m.onceOnly != "" {
		meta.Notes[NoteOnce] = m.onceOnly
	}
	meta.Progress = &modelfile.Progress{Rows: rows, Sources: m.sources, Done: done}
	meta.Changed, err = Now()
	return err
}

// lastSecond is the end of the year 9999, the last year that a model file can have.
const lastSecond = 253_402_300_799

// Now returns the time for a model file. If the environment variable SOURCE_DATE_EPOCH is set, it
// gives the time in seconds since 1970, so that a file can be reproduced byte for byte
// (https://reproducible-builds.org/specs/source-date-epoch).
func Now() (time.Time, error) {
	const name = "SOURCE_DATE_EPOCH"
	text := os.Getenv(name)
	if text == "" {
		return time.Now().UTC(), nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seconds < 0 || seconds > lastSecond {
		return time.Time{}, ui.Usagef("%s is %q: give a whole number of seconds since 1970, up to the year 9999, or unset it to use the current time", name, text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}
