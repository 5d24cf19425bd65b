package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// compatible are the licenses of which code and fonts may be compiled into programs under the BSD
// 3-Clause License, by SPDX's names, with what each asks for. None of them asks for the source of what
// it is combined with.
var compatible = map[string]string{
	"Apache-2.0":   "its text and notices with each copy; changed files say so; a grant of patents, which ends for those who sue",
	"BSD-2-Clause": "its text with each copy",
	"BSD-3-Clause": "its text with each copy; no endorsement by the names of its authors",
	"BSL-1.0":      "its text with each copy of the source",
	"CC-BY-4.0":    "the name of the author, a link to the license, and a note of changes, with each copy",
	"FTL":          "a note that the program has work of the FreeType Team",
	"ISC":          "its text with each copy",
	"MIT":          "its text with each copy",
	"OFL-1.1":      "its text with each copy of the fonts, which are not sold by themselves",
	"SunPro":       "its notice with each copy",
	"Zlib":         "its text with each copy of the source",
}

// A reading is what a person has found in a file that licensecheck does not recognize, or of which one
// of several licenses is taken.
type reading struct {
	sha256   string
	licenses []string
	// of is the folder of the only package that the file is about, if it does not matter as long as
	// that is not used.
	of string
	// text is the file with the text of the license, where this one does no more than name it. It is
	// read as well, and goes with a release.
	text string
}

// readings are by module and file.
var readings = map[string]reading{
	// A link to the license, whose text is in LICENSE.
	"github.com/ajstarks/svgo LICENSE-link.txt": {"faef26bb83b741b22eed4593980048f1607bdc679232ca9635ccf505cf2abe77", []string{"CC-BY-4.0"}, "", ""},
	// The choice of one of two licenses, the other being the GNU General Public License, version 2 or
	// later.
	"github.com/golang/freetype LICENSE":          {"d3ba056adc2b7909e95681deaae397fb37c97ed491a920f491214f07b62c41d0", []string{"FTL"}, "", "licenses/ftl.txt"},
	"github.com/golang/freetype licenses/ftl.txt": {"f4b133e25df1f86ad3ffea453aa0e613f0474f34778dbbb3e437e7b2724937d8", []string{"FTL"}, "", ""},
	// The license of the documentation, of which nothing is compiled.
	"github.com/opencontainers/go-digest LICENSE.docs": {"a1d1adec3ba691ef6e377a78bbe9e9e2501f2f4a1723d08857da1ac6564e4fed", nil, "", ""},
	// A disclaimer without a license.
	"gonum.org/v1/gonum THIRD_PARTY_LICENSES/Bogaert-LICENSE": {"19912b29acb89536920c5bac54feb6a3da6c6989b35b7878f38728fbdb4c1535", nil, "integrate/quad", ""},
	// The BSD license between a title and references.
	"gonum.org/v1/gonum THIRD_PARTY_LICENSES/MT19937-64-LICENSE": {"c9c37150f4da119e5bacf333f091e7b266bab7b86ec69fa447588fc6cdfd7b61", []string{"BSD-3-Clause"}, "", ""},
	"gonum.org/v1/gonum THIRD_PARTY_LICENSES/Sun-LICENSE":        {"1fad26590385d93b00c0d91989ee71cd1c91c74a126485f1b4f0bb44f7a32354", []string{"SunPro"}, "", ""},
	// Test suites, of which no changed copies may be made.
	"gonum.org/v1/gonum THIRD_PARTY_LICENSES/W3C-TestSuite-LICENSE": {"aa82ad47b727abeada5eeb819a984f2843ba7c9b57da2c9d54fac6e58531b2d4", nil, "graph/formats/rdf", ""},
}

// leastCovered is the share of the words of a file, in percent, that has to be those of licenses: the
// rest are names of authors.
const leastCovered = 75

var (
	licenseFile   = regexp.MustCompile(`(?i)^(un)?licen[cs]e|^copying`)
	licenseFolder = regexp.MustCompile(`(?i)^third.?party.?licen[cs]es$`)
)

// identify finds the licenses of each module, and returns an error for all that is missing, unknown or
// incompatible.
func identify(modules []*module) error {
	var errs []error
	for _, m := range modules {
		if err := m.identify(); err != nil {
			errs = append(errs, fmt.Errorf("%s %s: %w", m.path, m.version, err))
		}
	}
	return errors.Join(errs...)
}

func (m *module) identify() error {
	files, err := m.licenseFiles()
	if err != nil {
		return err
	}
	for _, name := range files {
		if r := readings[m.key(name)]; r.text != "" {
			files = append(files, filepath.FromSlash(r.text))
		}
	}
	if len(files) == 0 {
		return errors.New("no license file")
	}
	var errs []error
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(m.dir, name))
		if err != nil {
			return err
		}
		found, err := m.read(name, text)
		if err != nil {
			errs = append(errs, err)
		}
		for _, id := range found {
			if compatible[id] == "" {
				errs = append(errs, fmt.Errorf("%s has %s, which is not among the compatible licenses", name, id))
			}
			if !slices.Contains(m.licenses, id) {
				m.licenses = append(m.licenses, id)
			}
		}
	}
	m.files = files
	return errors.Join(errs...)
}

// key returns that of the reading of a file.
func (m *module) key(name string) string { return m.path + " " + filepath.ToSlash(name) }

// read returns the licenses of a file.
func (m *module) read(name string, text []byte) ([]string, error) {
	sum := sha256.Sum256(text)
	hash := hex.EncodeToString(sum[:])
	if r, ok := readings[m.key(name)]; ok {
		if r.sha256 != hash {
			return nil, fmt.Errorf("%s has changed since a person has read it: its SHA-256 is %s", name, hash)
		}
		if r.of != "" && m.folders[filepath.Join(m.dir, filepath.FromSlash(r.of))] {
			return nil, fmt.Errorf("%s is about package %s, which is used and was not to be", name, r.of)
		}
		return r.licenses, nil
	}
	covered := licensecheck.Scan(text)
	var found []string
	for _, match := range covered.Match {
		if !match.IsURL && !slices.Contains(found, match.ID) {
			found = append(found, match.ID)
		}
	}
	if len(found) == 0 || covered.Percent < leastCovered {
		return nil, fmt.Errorf("%s is not recognized (%.0f%% are words of %v): its SHA-256 is %s", name, covered.Percent, found, hash)
	}
	return found, nil
}

// licenseFiles returns the license files of the module, relative to its folder: in the folders of the
// packages that are used and in those above them, and all files of folders of licenses at the top.
func (m *module) licenseFiles() ([]string, error) {
	folders := map[string]bool{".": true}
	for dir := range m.folders {
		name, err := filepath.Rel(m.dir, dir)
		if err != nil || name == ".." || strings.HasPrefix(name, ".."+string(filepath.Separator)) {
			return nil, fmt.Errorf("package folder %s is not in %s", dir, m.dir)
		}
		for ; name != "."; name = filepath.Dir(name) {
			folders[name] = true
		}
	}
	var files []string
	for folder := range folders {
		entries, err := os.ReadDir(filepath.Join(m.dir, folder))
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			switch {
			case e.Type().IsRegular() && licenseFile.MatchString(e.Name()) && filepath.Ext(e.Name()) != ".go":
				files = append(files, filepath.Join(folder, e.Name()))
			case e.IsDir() && folder == "." && licenseFolder.MatchString(e.Name()):
				more, err := os.ReadDir(filepath.Join(m.dir, e.Name()))
				if err != nil {
					return nil, err
				}
				for _, f := range more {
					files = append(files, filepath.Join(e.Name(), f.Name()))
				}
			}
		}
	}
	slices.Sort(files)
	return files, nil
}
