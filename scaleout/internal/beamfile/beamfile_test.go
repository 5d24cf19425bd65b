package beamfile

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/testutil"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
)

func content(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// TestFiles writes, lists and reads files on this machine and on another file system, in folders that
// do not exist yet.
func TestFiles(t *testing.T) {
	for _, folder := range []string{filepath.Join(t.TempDir(), "new", "folder"), "memfs://new/folder"} {
		var want []string
		for _, name := range []string{"b", "c", "a"} {
			path := folder + "/" + name + ".csv"
			want = append(want, path)
			for _, text := range []string{"old", name} {
				testutil.NoError(t, Write(t.Context(), path, content(text)))
			}
		}
		slices.Sort(want)
		got, err := List(t.Context(), folder+"/*")
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", folder, got, err)
		}
		for _, path := range got {
			r, err := Open(t.Context(), path)
			testutil.NoError(t, err)
			text, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(text, []byte(path[len(folder)+1:len(folder)+2])) {
				t.Errorf("%s: %q, %v", path, text, err)
			}
			testutil.NoError(t, r.Close())
		}
	}
}

// TestMissing lists, opens and writes missing files, folders, and files of unknown file systems.
func TestMissing(t *testing.T) {
	folder := t.TempDir()
	testutil.NoError(t, os.Mkdir(filepath.Join(folder, "x"), 0o755))
	if _, err := List(t.Context(), filepath.Join(folder, "*")); err == nil || !strings.Contains(err.Error(), filepath.Join(folder, "x")+" is a folder") {
		t.Errorf("a folder: %v", err)
	}
	if got, err := List(t.Context(), filepath.Join(folder, "y*")); err != nil || len(got) > 0 {
		t.Errorf("no file: %q, %v", got, err)
	}
	for _, path := range []string{filepath.Join(folder, "y"), "memfs://missing/y", "nowhere://y"} {
		if _, err := Open(t.Context(), path); err == nil {
			t.Errorf("%s was opened; want an error", path)
		}
	}
	if _, err := List(t.Context(), "nowhere://*"); err == nil {
		t.Error("an unknown file system was listed; want an error")
	}
	for _, path := range []string{folder, "nowhere://y"} {
		if err := Write(t.Context(), path, content("x")); err == nil {
			t.Errorf("%s was written; want an error", path)
		}
	}
}

// TestWriteFails writes with failing content, and with a canceled context: the old file stays.
func TestWriteFails(t *testing.T) {
	why := errors.New("out of paper")
	failing := func(w io.Writer) error { return errors.Join(content("new")(w), why) }
	done, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	for _, path := range []string{filepath.Join(t.TempDir(), "x"), "memfs://fails/x"} {
		testutil.NoError(t, Write(t.Context(), path, content("old")))
		if err := Write(t.Context(), path, failing); !errors.Is(err, why) {
			t.Errorf("%s: %v", path, err)
		}
		if err := Write(done, path, content("new")); Local(path) && !errors.Is(err, why) {
			t.Errorf("%s, with a canceled context: %v", path, err)
		}
		files, err := List(t.Context(), path+"*")
		if err != nil || len(files) != 1 && Local(path) {
			t.Errorf("%s: the files are %q (%v); want one", path, files, err)
		}
	}
}

// TestResolve resolves several names of a file, of a missing file, and of a file in a missing folder.
// All names are local, except names on other file systems.
func TestResolve(t *testing.T) {
	folder, err := filepath.EvalSymlinks(t.TempDir())
	testutil.NoError(t, err)
	t.Chdir(folder)
	file := filepath.Join(folder, "data", "x.csv")
	testutil.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	testutil.NoError(t, os.WriteFile(file, nil, 0o644))
	for from, to := range map[string]string{"link": "data", "link.csv": file, "to-new": "link/new.csv"} {
		if err := os.Symlink(to, from); err != nil {
			t.Skipf("this system does not support symbolic links: %v", err)
		}
	}
	for path, want := range map[string]string{
		"data/x.csv": file, "./data/../data/x.csv": file, "link/x.csv": file, "link.csv": file, file: file,
		"to-new": filepath.Join(folder, "data", "new.csv"), "link/new.csv": filepath.Join(folder, "data", "new.csv"), "nowhere/new.csv": filepath.Join(folder, "nowhere", "new.csv"),
		"://x": filepath.Join(folder, ":", "x"), "gs://b/../x": "gs://b/../x", "memfs://x": "memfs://x",
	} {
		if got := Resolve(path); got != want {
			t.Errorf("%q resolves to %q, want %q", path, got, want)
		}
		if local := !strings.HasPrefix(want, "gs:") && !strings.HasPrefix(want, "memfs:"); Local(path) != local {
			t.Errorf("Local(%q) is %v", path, !local)
		}
	}
}
