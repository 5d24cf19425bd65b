package input

import (
	"path/filepath"
	"slices"

	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/dataset/stream"
)

// hashOf returns the 64-bit xxHash of a file's contents, in hexadecimal. It reads each file only once.
func (in *Input) hashOf(path string) (string, error) {
	f := in.files[path]
	if f.hash != "" {
		return f.hash, nil
	}
	var err error
	f.hash, err = model.HashOf(in.Options.FS, path)
	return f.hash, err
}

// FindLearned returns the index in m.Metadata.Learned of the entry that lists the file at path as
// learned or, if removed is true, as removed. It returns -1 if there is no such entry. It reads the
// file only if a listed file has the same size.
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

// A RowCount maps the path of a file to a number of rows.
type RowCount map[string]int64

// Add counts the rows of b, each for the file that it comes from.
func (n RowCount) Add(b *stream.Batch) {
	for i := range b.X.RawMatrix().Rows {
		n[b.Where(i).Path]++
	}
}

// ListLearned adds the files with rows in counts to the list in m, as learned or, if removed is true,
// as removed. It returns all sources, for the model's log. A source that is not a regular file, or
// that cannot be reread, has no hash and is not listed. A note names each file that cannot be reread.
func (in *Input) ListLearned(m *model.Model, counts RowCount, removed bool) (files []modelfile.Learned) {
	for _, path := range in.Sources() {
		l := modelfile.Learned{Name: session.Recorded(filepath.Base(Shown(path))), Rows: counts[Shown(path)], Removed: removed}
		if f := in.regular(path); f != nil {
			var err error
			if l.Hash, err = in.hashOf(path); err != nil {
				in.say.Warn("the model does not list %s, which could not be read again: %v", path, err)
			}
			l.Size = f.Size()
		}
		if files = append(files, l); l.Hash != "" && l.Rows > 0 {
			m.AddLearned(l)
		}
	}
	return files
}

// Reading returns the options with which the data was read, for the log of a model.
func (in *Input) Reading() *stream.Options {
	opt := in.Options
	opt.Columns, opt.TargetNotations, opt.Classes = nil, nil, false // the model has these
	if opt.TargetPath != "" {
		opt.TargetPath = session.Recorded(filepath.Base(opt.TargetPath))
	}
	return &opt
}
