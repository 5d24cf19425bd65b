package report

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faultfs"
)

func small(t *testing.T) *Page {
	t.Helper()
	return newPage(t, readSample(t, "x", smallRun(smallHead, nil, 3, 2, 1)...))
}

func plotsOf(p *Page) []*Plot {
	plots := slices.Clone(p.Plots)
	for _, s := range p.Sections {
		plots = append(plots, s.Plots...)
	}
	return plots
}

// tree returns the names of all files below dir, with their sizes.
func tree(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	files := map[string]int64{}
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			name, _ := filepath.Rel(dir, path)
			files[filepath.ToSlash(name)] = info.Size()
		}
		return err
	})
	testutil.NoError(t, err)
	return files
}

func TestWriteFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	p := small(t)
	for range 2 { // the second time, the files are replaced
		testutil.NoError(t, p.WriteFolder(nil, dir))
		files := tree(t, dir)
		if len(files) != 3 || files["README.md"] == 0 || files["plots/speed-ups.svg"] == 0 || files["plots/updates.svg"] == 0 {
			t.Fatalf("there are %v", files)
		}
	}
	readme := func() []byte {
		text, err := os.ReadFile(filepath.Join(dir, "README.md"))
		testutil.NoError(t, err)
		return text
	}
	alone := readme()
	testutil.NoError(t, os.WriteFile(filepath.Join(dir, "notes.md"), []byte("notes"), 0o644))
	for range 2 {
		testutil.NoError(t, p.WriteFolder(nil, dir))
		if last, found := bytes.CutPrefix(readme(), alone); !found || !bytes.HasPrefix(last, []byte("\n[notes.md](notes.md) ")) || bytes.Count(last, []byte("\n")) != 2 {
			t.Errorf("with notes.md the page has another end: %q", last)
		}
	}
}

// TestWriteFolderStopped leaves what was there, and nothing else, if a page cannot be written in full.
func TestWriteFolderStopped(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "README.md")
	testutil.NoError(t, os.WriteFile(old, []byte("old"), 0o644))
	check := func(when string) {
		t.Helper()
		if data, err := os.ReadFile(old); err != nil || string(data) != "old" {
			t.Errorf("%s: README.md is %q, %v", when, data, err)
		}
		for name := range tree(t, dir) {
			if name != "README.md" && name != "plots" {
				t.Errorf("%s: there is %s", when, name)
			}
		}
	}
	full := &faultfs.Disk{Times: faultfs.Always, Err: syscall.ENOSPC, Ops: []faultfs.Op{faultfs.Write}}
	if err := small(t).WriteFolder(full.FS(), dir); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a full disk: %v", err)
	}
	check("a full disk")
	testutil.NoError(t, os.RemoveAll(filepath.Join(dir, "plots")))
	testutil.NoError(t, os.WriteFile(filepath.Join(dir, "plots"), nil, 0o644))
	if err := small(t).WriteFolder(nil, dir); err == nil {
		t.Error("a file in place of the folder is no error")
	}
	check("a file in place of the folder")
}

// TestPublishedPages checks that docs/results, and its folder of another CPU, are what the report makes
// of their files.
func TestPublishedPages(t *testing.T) {
	for _, folder := range []string{"", "xeon"} {
		dir, made := filepath.Join("../../docs/results", folder), t.TempDir()
		p := newPage(t, published(t, folder)...)
		testutil.NoError(t, os.WriteFile(filepath.Join(made, "notes.md"), nil, 0o644))
		testutil.NoError(t, p.WriteFolder(nil, made))
		testutil.NoError(t, os.Remove(filepath.Join(made, "notes.md")))
		for name := range tree(t, made) {
			want, err := os.ReadFile(filepath.Join(made, name))
			testutil.NoError(t, err)
			got, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s/%s is not what the report makes of its files: make it anew (%v)", dir, name, err)
			}
			if n := bytes.Count(got, []byte("\n")); n > 900 {
				t.Errorf("%s/%s has %d lines, more than 900", dir, name, n)
			}
		}
		if there := tree(t, filepath.Join(dir, "plots")); len(there) != len(plotsOf(p)) {
			t.Errorf("%s has the plots %v", dir, there)
		}
		lines := 0
		for _, s := range p.Meaning {
			lines += 1 + strings.Count(bullet(s), "\n")
		}
		if folder == "" && (len(p.Numbers) != 5 || len(p.Plots) != 2 || lines == 0 || lines > 10) {
			t.Errorf("%d numbers, %d plots, and %d lines of what they mean", len(p.Numbers), len(p.Plots), lines)
		}
	}
}

// TestReadmeSpeeds holds the table of speeds in the README to docs/results.
func TestReadmeSpeeds(t *testing.T) {
	ratios := map[string]string{}
	for _, f := range published(t, "") {
		for _, cell := range f.Cells {
			for _, b := range cell.Value.Backends {
				if c := cell.Value; c.N == 1000 && cell.Machine.Beside == 0 {
					ratios[fmt.Sprintf("%s%s %s %s %d", c.Op, c.Args, b.Backend, cell.Machine.Kernel, c.Threads)] = times(b.Ratio)
				}
			}
		}
	}
	cell := func(key string) string {
		ratio, ok := ratios[key]
		if !ok {
			t.Errorf("docs/results has no %s", key)
		}
		return ratio
	}
	readme, err := os.ReadFile(filepath.FromSlash("../../README.md"))
	testutil.NoError(t, err)
	for _, row := range [][3]string{
		{"product (Dgemm NN)", "dgemmNN openblas", "mat.Mul gonum"},
		{"inverse by Cholesky", "cholesky-inverse openblas/dpotrf+dpotri", ""},
		{"inverse by LU", "lu-inverse openblas/dgetrf+dgetri", "mat.Inverse gonum"},
		{"inverse by LDLᵀ, packed", "ldlt-inverse openblas/dsytrf+dsytri2", ""},
	} {
		want := fmt.Sprintf("| %s | %s | %s | ", row[0], cell(row[1]+" avx2 1"), cell(row[1]+" avx512 1"))
		if row[2] != "" {
			want += cell(row[2] + " avx512 0")
		}
		if !bytes.Contains(readme, []byte(want)) {
			t.Errorf("README.md has no %q", want)
		}
	}
}
