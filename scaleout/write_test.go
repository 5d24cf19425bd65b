package scaleout

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/bls/modelfile"
	"blskernel/internal/testutil"
	"blskernel/scaleout/internal/beamfile"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
)

// testModel returns the model of sample.
func testModel(t testing.TB) Model {
	t.Helper()
	m, err := newModel(&modelfile.File{Classifier: sample(), Metadata: modelfile.Metadata{Created: created}})
	testutil.NoError(t, err)
	return m
}

// readAll returns the bytes of a file of any file system.
func readAll(t testing.TB, path string) []byte {
	t.Helper()
	r, err := beamfile.Open(background, path)
	testutil.NoError(t, err)
	defer r.Close()
	b, err := io.ReadAll(r)
	testutil.NoError(t, err)
	return b
}

// TestWrite writes a model as a step of a pipeline and by WriteTo.
func TestWrite(t *testing.T) {
	m := testModel(t)
	path := filepath.Join(t.TempDir(), "m.bls")
	p, s, col := ptest.Create([]any{m})
	Write(s, path, col)
	ptest.RunAndValidate(t, p)
	f, err := modelfile.Load(path, nil)
	testutil.NoError(t, err)
	again, err := m.File(nil)
	testutil.NoError(t, err)
	if !f.Metadata.Created.Equal(created) || difference(weights(t, f.Classifier), weights(t, again.Classifier)) != 0 {
		t.Error("the model of the file is another one")
	}
	var b bytes.Buffer
	if _, err := m.WriteTo(&b); err != nil || !bytes.Equal(b.Bytes(), readAll(t, path)) {
		t.Errorf("the model has %d bytes (%v)", b.Len(), err)
	}
}

func TestWriteErrors(t *testing.T) {
	folder := t.TempDir()
	file := writeFile(t, folder, "file", nil)
	for _, path := range []string{filepath.Join(file, "m.bls"), folder, "full://m.bls", "object://m.bls"} {
		err := (&writeFn{Path: path}).ProcessElement(background, testModel(t))
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if len(full.files)+len(object.files) > 0 {
		t.Errorf("of what could not be written there are %v and %v", full.files, object.files)
	}
	nowhere := func(s beam.Scope) { Write(s, "nowhere://m.bls", beam.Create(s, testModel(t))) }
	if panics(nowhere) == nil {
		t.Error("a file system that nobody knows is taken")
	}
}

// A brokenFS is a file system on which files have at most most bytes.
type brokenFS struct {
	filesystem.Interface
	most  int
	files map[string][]byte
}

// renaming is a brokenFS whose files can be renamed and removed; without it they are objects.
type renaming struct{ *brokenFS }

var (
	full   = &brokenFS{most: 100, files: map[string][]byte{}}
	object = &brokenFS{most: 100, files: map[string][]byte{}}
)

func init() {
	filesystem.Register("full", func(context.Context) filesystem.Interface { return renaming{full} })
	filesystem.Register("object", func(context.Context) filesystem.Interface { return object })
}

func (fs *brokenFS) Close() error { return nil }

func (fs *brokenFS) OpenWrite(ctx context.Context, name string) (io.WriteCloser, error) {
	return &brokenFile{fs: fs, ctx: ctx, name: name}, nil
}

func (fs renaming) Rename(_ context.Context, from, to string) error {
	fs.files[to] = fs.files[from]
	delete(fs.files, from)
	return nil
}

func (fs renaming) Remove(_ context.Context, name string) error {
	delete(fs.files, name)
	return nil
}

// A brokenFile is complete when it is closed, like an object of an object store, unless its context is
// done by then.
type brokenFile struct {
	fs   *brokenFS
	ctx  context.Context
	name string
	data []byte
}

func (f *brokenFile) Write(p []byte) (int, error) {
	n := min(len(p), f.fs.most-len(f.data))
	f.data = append(f.data, p[:n]...)
	if n < len(p) {
		return n, errors.New("no room")
	}
	return n, nil
}

func (f *brokenFile) Close() error {
	if f.ctx.Err() != nil {
		return f.ctx.Err()
	}
	f.fs.files[f.name] = f.data
	return nil
}
