package beamfile

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
)

// content writes a text.
type content string

func (c content) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, string(c))
	return int64(n), err
}

// TestFiles writes files of this machine and of another file system, in folders that are not there,
// lists and reads them.
func TestFiles(t *testing.T) {
	for _, folder := range []string{filepath.Join(t.TempDir(), "new", "folder"), "memfs://new/folder"} {
		var want []string
		for _, name := range []string{"b", "c", "a"} {
			path := folder + "/" + name + ".csv"
			want = append(want, path)
			for _, text := range []content{"old", content(name)} {
				if err := Write(t.Context(), path, text); err != nil {
					t.Fatal(err)
				}
			}
		}
		slices.Sort(want)
		got, err := List(t.Context(), folder+"/*")
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", folder, got, err)
		}
		for _, path := range got {
			r, err := Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(text, []byte(path[len(folder)+1:len(folder)+2])) {
				t.Errorf("%s: %q, %v", path, text, err)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestNotThere has files that are not there, folders, and file systems that nobody knows.
func TestNotThere(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := List(t.Context(), filepath.Join(folder, "*")); err == nil || !strings.Contains(err.Error(), filepath.Join(folder, "x")+" is a folder") {
		t.Errorf("a folder: %v", err)
	}
	if got, err := List(t.Context(), filepath.Join(folder, "y*")); err != nil || len(got) > 0 {
		t.Errorf("no file: %q, %v", got, err)
	}
	for _, path := range []string{filepath.Join(folder, "y"), "memfs://nobody/y", "nowhere://y"} {
		if _, err := Open(t.Context(), path); err == nil {
			t.Errorf("%s is opened", path)
		}
	}
	if _, err := List(t.Context(), "nowhere://*"); err == nil {
		t.Error("a file system that nobody knows is listed")
	}
	for _, path := range []string{folder, "nowhere://y"} {
		if err := Write(t.Context(), path, content("x")); err == nil {
			t.Errorf("%s is written", path)
		}
	}
}
