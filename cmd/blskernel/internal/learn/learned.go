package learn

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"

	"github.com/cespare/xxhash/v2"
	"github.com/spf13/cobra"
)

// registerAgain adds --again.
func registerAgain(cmd *cobra.Command, again *bool) {
	cmd.Flags().BoolVar(again, "again", false, "learn a file whose bytes the model has learned before, so that its rows count twice")
}

// sizeOf returns the size of a regular file.
func sizeOf(path string) (size int64, regular bool) {
	info, err := os.Stat(path)
	if path == standardInput || err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	return info.Size(), true
}

// hashOf returns the XXH64 of the bytes of a file, in hexadecimal.
func hashOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := xxhash.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return strconv.FormatUint(sum.Sum64(), 16), nil
}

// findLearned returns the index in the list of the model of the file at path, learned or removed, or
// -1. It reads the file only if there is one of its size.
func findLearned(m *model.Model, path string, removed bool) (int, error) {
	size, regular := sizeOf(path)
	if !regular || !slices.ContainsFunc(m.Metadata.Learned, func(l modelfile.Learned) bool { return l.Size == size }) {
		return -1, nil
	}
	hash, err := hashOf(path)
	if err != nil {
		return -1, err
	}
	return m.FindLearned(size, hash, removed), nil
}

// refuseLearned returns an error if the model has learned one of the files.
func (c *reading) refuseLearned(m *model.Model, path string) error {
	for _, file := range c.paths {
		i, err := findLearned(m, file, false)
		if err != nil {
			return err
		}
		if i >= 0 {
			l := m.Metadata.Learned[i]
			return ui.Usagef("%s has learned the %s of %q before, as %q: learn them once more by --again, or leave the file out", path, ui.Count(l.Rows, "row"), file, l.Name)
		}
	}
	return nil
}

// A rowCount is a number of rows by their file.
type rowCount map[string]int64

// add counts the rows of a batch.
func (n rowCount) add(b *stream.Batch) {
	rows := b.X.RawMatrix().Rows
	for from, to := 0, 0; from < rows; from = to {
		path := b.Where(from).Path
		for to = from; to < rows && b.Where(to).Path == path; to++ {
		}
		n[path] += int64(to - from)
	}
}

// listLearned adds the files whose rows were learned, or removed, to the list of a model.
func (c *reading) listLearned(m *model.Model, counts rowCount, removed bool) {
	for _, path := range c.paths {
		size, regular := sizeOf(path)
		if !regular || counts[path] == 0 {
			continue
		}
		hash, err := hashOf(path)
		if err != nil {
			c.Warn("the model does not list %s: %v", path, err)
			continue
		}
		m.AddLearned(modelfile.Learned{Name: recorded(filepath.Base(path)), Size: size, Rows: counts[path], Hash: hash, Removed: removed})
	}
}

// learnedText names the last files of the list with their rows.
func learnedText(list []modelfile.Learned) string {
	const shown = 5
	var names []string
	for _, l := range list[max(0, len(list)-shown):] {
		what := ""
		if l.Removed {
			what = " removed"
		}
		names = append(names, fmt.Sprintf("%s (%s%s)", ui.Printable(l.Name), ui.Count(l.Rows, "row"), what))
	}
	text := strings.Join(names, ", ")
	if more := len(list) - len(names); more > 0 {
		text += fmt.Sprintf(", and %s before them", ui.Count(more, "file"))
	}
	return text
}
