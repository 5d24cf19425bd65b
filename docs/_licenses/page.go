package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// page returns docs/licenses.md.
func page(modules []*module) []byte {
	var b bytes.Buffer
	b.WriteString(`# Licenses

blskernel is under the BSD 3-Clause License, see [LICENSE](../LICENSE). These are the modules it depends on, with the licenses in their files, on
all platforms of a release together. ` + "`make licenses`" + ` compares this page with the go.mod files, and fails where there is another dependency,
another version, a license file that is not recognized, or a license that is not in the second table.

What is compiled into the library is in every program that imports it; what is compiled into the command is in the programs of a release, with
which the license texts come; of what else there is nobody gets anything but a line in a go.sum. The backend ` + "`openblas`" + ` opens the
OpenBLAS that is on the machine (BSD 3-Clause), of which nothing is compiled in.

| module | version | license | compiled into |
|---|---|---|---|
`)
	used := map[string]bool{}
	for _, m := range modules {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", m.path, m.version, strings.Join(m.licenses, ", "), m.uses())
		for _, id := range m.licenses {
			used[id] = true
		}
	}
	b.WriteString(`
Where there are several licenses, parts of the module are under each of them.

| license | what it asks for |
|---|---|
`)
	for _, id := range slices.Sorted(maps.Keys(used)) {
		fmt.Fprintf(&b, "| %s | %s |\n", id, compatible[id])
	}
	return b.Bytes()
}

// printTexts prints the license files, and the notices that go with them, of the modules that are
// compiled into the command.
func printTexts(w io.Writer, modules []*module) error {
	var b bytes.Buffer
	b.WriteString("The programs of this release contain parts of the following, beside blskernel.\n")
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	library := &module{path: "the Go standard library", version: runtime.Version(), dir: strings.TrimSpace(string(goroot)), files: []string{"LICENSE"}}
	for _, m := range slices.Concat([]*module{library}, modules) {
		if m != library && !m.in[inCommand] {
			continue
		}
		files := slices.Clone(m.files)
		for _, name := range []string{"NOTICE", "NOTICE.txt"} {
			if _, err := os.Stat(filepath.Join(m.dir, name)); err == nil {
				files = append(files, name)
			}
		}
		for _, name := range files {
			text, err := os.ReadFile(filepath.Join(m.dir, name))
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "\n%s\n%s %s: %s\n%[1]s\n\n%[5]s\n", strings.Repeat("=", 80), m.path, m.version, filepath.ToSlash(name), bytes.TrimSpace(text))
		}
	}
	_, err = w.Write(b.Bytes())
	return err
}
