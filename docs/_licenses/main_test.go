package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// own returns the text of the project's own license.
func own(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// made returns a module with some files, of which the packages sub/one and the one at the top are used.
func made(t *testing.T, files map[string]string) *module {
	t.Helper()
	dir := t.TempDir()
	m := &module{path: "example.org/m", version: "v1.0.0", dir: dir, folders: map[string]bool{dir: true, filepath.Join(dir, "sub", "one"): true}, in: map[string]bool{}}
	for _, folder := range []string{filepath.Join("sub", "one"), "other", "THIRD_PARTY_LICENSES"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func TestIdentify(t *testing.T) {
	bsd := own(t)
	const gpl = "GNU GENERAL PUBLIC LICENSE, as a person has read it"
	sum := sha256.Sum256([]byte(gpl))
	readings["example.org/m COPYING"] = reading{hex.EncodeToString(sum[:]), []string{"GPL-3.0"}, "", ""}
	readings["example.org/m COPYING.sub"] = reading{hex.EncodeToString(sum[:]), nil, "sub/one", ""}
	readings["example.org/m COPYING.see"] = reading{hex.EncodeToString(sum[:]), nil, "", "other/bsd.txt"}
	readings["example.org/m COPYING.other"] = reading{hex.EncodeToString(sum[:]), nil, "other", ""}
	t.Cleanup(func() {
		for _, name := range []string{"COPYING", "COPYING.sub", "COPYING.see", "COPYING.other"} {
			delete(readings, "example.org/m "+name)
		}
	})
	for _, tc := range []struct {
		name  string
		files map[string]string
		want  string // the error, or nothing
	}{
		{"the usual", map[string]string{"LICENSE": bsd}, ""},
		{"in a package", map[string]string{"sub/one/License.md": bsd}, ""},
		{"above a package", map[string]string{"sub/LICENCE": bsd}, ""},
		{"among those of others", map[string]string{"LICENSE": bsd, "THIRD_PARTY_LICENSES/some": bsd}, ""},
		{"none", nil, "no license file"},
		{"in a package that is not used", map[string]string{"other/LICENSE": bsd}, "no license file"},
		{"unknown", map[string]string{"LICENSE": "Ask the author."}, "LICENSE is not recognized"},
		{"unknown among others", map[string]string{"LICENSE": bsd, "THIRD_PARTY_LICENSES/some": "Ask the author."}, "is not recognized"},
		{"mostly something else", map[string]string{"LICENSE": bsd + strings.Repeat(" and you have to paint your house green", 100)}, "LICENSE is not recognized"},
		{"incompatible", map[string]string{"LICENSE": bsd, "COPYING": gpl}, "COPYING has GPL-3.0, which is not among"},
		{"of a package that is used", map[string]string{"LICENSE": bsd, "COPYING.sub": gpl}, "COPYING.sub is about package sub/one, which is used"},
		{"of a package that is not used", map[string]string{"LICENSE": bsd, "COPYING.other": gpl}, ""},
		{"in another file", map[string]string{"COPYING.see": gpl, "other/bsd.txt": bsd}, ""},
		{"in another file, unknown", map[string]string{"COPYING.see": gpl, "other/bsd.txt": "Ask the author."}, "bsd.txt is not recognized"},
		{"in another file that is not there", map[string]string{"COPYING.see": gpl}, "bsd.txt"},
		{"changed since it was read", map[string]string{"COPYING": gpl + "."}, "COPYING has changed since"},
	} {
		m := made(t, tc.files)
		err := identify([]*module{m})
		switch {
		case tc.want == "" && (err != nil || !slices.Equal(m.licenses, []string{"BSD-3-Clause"})):
			t.Errorf("%s: %v, %v", tc.name, m.licenses, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), "example.org/m v1.0.0: ")):
			t.Errorf("%s: %v; want %s", tc.name, err, tc.want)
		}
	}
	m := made(t, map[string]string{"LICENSE": bsd})
	m.folders[t.TempDir()] = true
	if err := identify([]*module{m}); err == nil {
		t.Error("a package outside of the module")
	}
}

// TestText has a license file that does no more than name the file with the text: both go with a release.
func TestText(t *testing.T) {
	const see = "See other/bsd.txt."
	sum := sha256.Sum256([]byte(see))
	readings["example.org/m LICENSE"] = reading{hex.EncodeToString(sum[:]), []string{"BSD-3-Clause"}, "", "other/bsd.txt"}
	t.Cleanup(func() { delete(readings, "example.org/m LICENSE") })
	m := made(t, map[string]string{"LICENSE": see, "other/bsd.txt": own(t)})
	m.in[inCommand] = true
	if err := identify([]*module{m}); err != nil {
		t.Fatal(err)
	}
	var texts bytes.Buffer
	if err := printTexts(&texts, []*module{m}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"example.org/m v1.0.0: LICENSE\n", see, "example.org/m v1.0.0: other/bsd.txt\n", strings.TrimSpace(own(t))} {
		if !strings.Contains(texts.String(), want) {
			t.Errorf("no %q in the texts", want)
		}
	}
}

// TestReadings wants a reading of each file that has the text of a license in the place of another:
// what is taken for the text is what a person has read.
func TestReadings(t *testing.T) {
	for key, r := range readings {
		name, _, _ := strings.Cut(key, " ")
		if _, read := readings[name+" "+r.text]; r.text != "" && !read {
			t.Errorf("%s: there is no reading of %s", key, r.text)
		}
	}
}

func TestUses(t *testing.T) {
	for _, tc := range []struct {
		in   []string
		want string
	}{
		{[]string{inTests, inCommand, inLibrary}, "library, command"},
		{[]string{inTests, inCommand}, "command"},
		{[]string{inTests}, "tests"},
		{[]string{"z/_y", inLibrary, inTests}, "library, `z/_y`"},
		{[]string{"b", "a"}, "`a`, `b`"},
	} {
		m := &module{in: map[string]bool{}}
		for _, name := range tc.in {
			m.in[name] = true
		}
		if got := m.uses(); got != tc.want {
			t.Errorf("%v: %s; want %s", tc.in, got, tc.want)
		}
	}
}

// TestPage has the lines of a module and of its license, and the texts that go with a release.
func TestPage(t *testing.T) {
	m := made(t, map[string]string{"LICENSE": own(t), "NOTICE": "Somebody made it.\n"})
	m.in[inCommand] = true
	tested := made(t, map[string]string{"LICENSE": "of the tests"})
	tested.in[inTests] = true
	if err := identify([]*module{m}); err != nil {
		t.Fatal(err)
	}
	text := string(page([]*module{m}))
	for _, line := range []string{"\n| example.org/m | v1.0.0 | BSD-3-Clause | command |\n", "\n| BSD-3-Clause | its text with each copy; no endorsement"} {
		if !strings.Contains(text, line) {
			t.Errorf("no %q in\n%s", line, text)
		}
	}
	var texts bytes.Buffer
	if err := printTexts(&texts, []*module{m, tested}); err != nil {
		t.Fatal(err)
	}
	for want, there := range map[string]bool{
		"example.org/m v1.0.0: LICENSE\n": true, "example.org/m v1.0.0: NOTICE\n": true, "\n\nSomebody made it.\n": true,
		"the Go standard library": true, "of the tests": false,
	} {
		if strings.Contains(texts.String(), want) != there {
			t.Errorf("%q is in the texts: %v", want, !there)
		}
	}
}
