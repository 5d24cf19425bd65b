package input

import (
	"io"
	"path/filepath"
	"slices"
	"strconv"

	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/internal/io/vfs"

	"github.com/cespare/xxhash/v2"
	"github.com/spf13/cobra"
)

// RegisterAgain adds --again.
func RegisterAgain(cmd *cobra.Command, again *bool) {
	cmd.Flags().BoolVar(again, "again", false, "learn a file whose bytes the model has learned before, so that its rows count twice")
}

// hashOf returns the XXH64 of the bytes of a file, in hexadecimal. It reads each file once.
func (in *Input) hashOf(path string) (string, error) {
	f := in.files[path]
	if f.hash != "" {
		return f.hash, nil
	}
	file, err := vfs.Open(in.Options.FS, path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := xxhash.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	f.hash = strconv.FormatUint(sum.Sum64(), 16)
	return f.hash, nil
}

// FindLearned returns the index in the list of the model of the file at path, learned or removed, or
// -1. It reads the file only if there is one of its size.
func (in *Input) FindLearned(m *model.Model, path string, removed bool) (int, error) {
	f := in.regular(path)
	if f == nil || !slices.ContainsFunc(m.Metadata.Learned, func(l modelfile.Learned) bool { return l.Size == f.Size() }) {
		return -1, nil
	}
	hash, err := in.hashOf(path)
	if err != nil {
		return -1, err
	}
	return m.FindLearned(f.Size(), hash, removed), nil
}

// RefuseLearned returns an error if the model has learned one of the files.
func (in *Input) RefuseLearned(m *model.Model, path string) error {
	for _, file := range in.Paths {
		i, err := in.FindLearned(m, file, false)
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

// A RowCount is a number of rows by their file.
type RowCount map[string]int64

// Add counts the rows of a batch.
func (n RowCount) Add(b *stream.Batch) {
	rows := b.X.RawMatrix().Rows
	for from, to := 0, 0; from < rows; from = to {
		path := b.Where(from).Path
		for to = from; to < rows && b.Where(to).Path == path; to++ {
		}
		n[path] += int64(to - from)
	}
}

// ListLearned adds the files whose rows were learned, or removed, to the list of a model.
func (in *Input) ListLearned(m *model.Model, counts RowCount, removed bool) {
	for _, path := range in.Paths {
		f := in.regular(path)
		if f == nil || counts[path] == 0 {
			continue
		}
		hash, err := in.hashOf(path)
		if err != nil {
			in.say.Warn("the model does not list %s: %v", path, err)
			continue
		}
		m.AddLearned(modelfile.Learned{Name: session.Recorded(filepath.Base(path)), Size: f.Size(), Rows: counts[path], Hash: hash, Removed: removed})
	}
}
