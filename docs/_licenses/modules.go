package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A module is a dependency in one version.
type module struct {
	path, version string
	dir           string          // in the cache of modules
	folders       map[string]bool // of its packages that are used
	in            map[string]bool // what it is compiled into
	licenses      []string        // by SPDX
	files         []string        // from which they are known
}

// platforms are those of which the dependencies are listed: operating system, architecture and CGO_ENABLED.
var platforms = [][3]string{
	{"linux", "amd64", "1"}, {"linux", "amd64", "0"}, {"linux", "arm64", "0"}, {"darwin", "arm64", "0"}, {"windows", "amd64", "0"},
}

// What a module can be compiled into.
const (
	inLibrary = "library"
	inCommand = "command"
	inTests   = "tests"
)

// A part is a set of packages.
type part struct {
	name     string
	tests    bool
	patterns []string
}

// parts are those of the main module. What is in tests alone is in no program that anybody gets.
var parts = []part{
	{inLibrary, false, []string{".", "./mat", "./lapack", "./blsupdate", "./bls/...", "./dataset/..."}},
	{inCommand, false, []string{"./cmd/..."}},
	{inTests, true, []string{"./..."}},
}

// dependencies returns the modules of all go.mod files below root, by path and version.
func dependencies(root string) ([]*module, error) {
	all := map[string]*module{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.Name() != "go.mod":
			return nil
		}
		dir := filepath.Dir(path)
		of := parts
		if name, err := filepath.Rel(root, dir); err != nil {
			return err
		} else if name != "." {
			of = []part{{filepath.ToSlash(name), true, []string{"./..."}}}
		}
		for _, p := range of {
			for _, platform := range platforms {
				if err := list(dir, p, platform, all); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, errors.New("no dependency was found")
	}
	return slices.SortedFunc(maps.Values(all), func(a, b *module) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.version, b.version))
	}), nil
}

// list adds the modules whose packages are compiled for a part of the module in dir on a platform.
func list(dir string, p part, platform [3]string, all map[string]*module) error {
	args := []string{"list", "-deps", "-json=Dir,Module"}
	if p.tests {
		args = append(args, "-test")
	}
	cmd := exec.Command("go", append(args, p.patterns...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+platform[0], "GOARCH="+platform[1], "CGO_ENABLED="+platform[2], "GOFLAGS=")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list in %s for %v: %w\n%s", dir, platform, err, &errs)
	}
	decoder := json.NewDecoder(bytes.NewReader(out))
	for {
		var pkg struct {
			Dir    string
			Module *struct {
				Path, Version, Dir string
				Main               bool
				Replace            *struct{ Path, Version, Dir string }
			}
		}
		switch err := decoder.Decode(&pkg); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		// What has no version is of this repository.
		if m := pkg.Module; m != nil && !m.Main && (m.Replace == nil || m.Replace.Version != "") {
			path, version, at := m.Path, m.Version, m.Dir
			if m.Replace != nil {
				path, version, at = m.Replace.Path, m.Replace.Version, m.Replace.Dir
			}
			key := path + "@" + version
			if all[key] == nil {
				all[key] = &module{path: path, version: version, dir: at, folders: map[string]bool{}, in: map[string]bool{}}
			}
			all[key].folders[pkg.Dir] = true
			all[key].in[p.name] = true
		}
	}
}

// uses says what a module is compiled into: of the main module the narrowest part, and then the folders
// of others.
func (m *module) uses() string {
	var names []string
	for _, p := range parts {
		if m.in[p.name] && (p.name != inTests || len(names) == 0) {
			names = append(names, p.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.in)) {
		if name != inLibrary && name != inCommand && name != inTests {
			names = append(names, "`"+name+"`")
		}
	}
	return strings.Join(names, ", ")
}
