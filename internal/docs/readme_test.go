package docs

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// species are the classes of the flowers: those of two differ by three deviations in each of two columns, so that of a
// hundred flowers at most one or two are between them.
var species = []struct {
	name          string
	length, width float64
}{{"setosa", 5, 3.4}, {"versicolor", 5.9, 2.5}, {"virginica", 6.8, 3.4}}

// flowers writes a file of made-up flowers, and returns what each is.
func flowers(t *testing.T, path string, rng *rand.Rand, rows int, named bool) []string {
	t.Helper()
	var text strings.Builder
	text.WriteString("length,width")
	if named {
		text.WriteString(",species")
	}
	text.WriteByte('\n')
	var kinds []string
	for range rows {
		s := species[rng.IntN(len(species))]
		fmt.Fprintf(&text, "%.2f,%.2f", s.length+0.3*rng.NormFloat64(), s.width+0.3*rng.NormFloat64())
		if named {
			text.WriteString("," + s.name)
		}
		text.WriteByte('\n')
		kinds = append(kinds, s.name)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return kinds
}

// TestReadme executes the first shell block of the README in a copy of the repository that has the files which it names.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command and trains")
	}
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	needTools(t, "sh", "go")
	var script string
	for _, p := range pages(t) {
		if p.path != "README.md" {
			continue
		}
		i := slices.IndexFunc(p.blocks, func(b block) bool { return b.language == "sh" })
		if i < 0 {
			t.Fatal("README.md has no shell block")
		}
		script = p.blocks[i].text
	}
	dir := t.TempDir()
	copyTree(t, dir)
	rng := rand.New(rand.NewPCG(5, 1))
	flowers(t, filepath.Join(dir, "flowers.csv"), rng, 2000, true)
	flowers(t, filepath.Join(dir, "test.csv"), rng, 500, true)
	flowers(t, filepath.Join(dir, "more.csv"), rng, 700, true)
	kinds := flowers(t, filepath.Join(dir, "new.csv"), rng, 300, false)

	cmd := exec.CommandContext(t.Context(), "sh", "-c", "set -eu\n"+script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false")
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, errs.String())
	}
	if n := wantAccuracy(t, string(out), 90); n != 1 {
		t.Errorf("%d accuracies in\n%s", n, out)
	}
	for _, want := range []string{"learned 2000 rows", "learned 700 rows"} {
		if !strings.Contains(string(out)+errs.String(), want) {
			t.Errorf("no %q in\n%s%s", want, out, errs.String())
		}
	}
	// predict comes last, and prints a head and a label for each row.
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) < len(kinds)+1 || lines[len(lines)-len(kinds)-1] != "species" {
		t.Fatalf("no labels of %d rows at the end of\n%s", len(kinds), out)
	}
	right := 0
	for i, label := range lines[len(lines)-len(kinds):] {
		if label == kinds[i] {
			right++
		}
	}
	if 10*right < 9*len(kinds) {
		t.Errorf("%d of %d labels are right", right, len(kinds))
	}
}

// wantAccuracy wants every accuracy that is printed to be above a number of percent, and returns how many there are.
func wantAccuracy(t *testing.T, out string, above float64) int {
	t.Helper()
	n := 0
	for line := range strings.Lines(out) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] != "accuracy" {
			continue
		}
		n++
		if v, err := strconv.ParseFloat(strings.TrimSuffix(words[1], "%"), 64); err != nil || !(v > above) {
			t.Errorf("%q; want more than %v %%", strings.TrimSpace(line), above)
		}
	}
	return n
}

// copyTree copies what the commands are built of.
func copyTree(t *testing.T, to string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != "." && (strings.HasPrefix(name, ".") || name == "docs" || name == "dist") {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, name), 0o777)
		}
		if !d.Type().IsRegular() || filepath.Dir(name) == "." && filepath.Ext(name) != ".go" && name != "go.mod" && name != "go.sum" {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), data, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// needTools skips the test where a program is missing, or fails it if the environment variable BLSKERNEL_REQUIRE has tutorial
// in its list.
func needTools(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			if slices.Contains(strings.Split(os.Getenv("BLSKERNEL_REQUIRE"), ","), "tutorial") {
				t.Fatalf("BLSKERNEL_REQUIRE asks for the tutorial: %v", err)
			}
			t.Skip(err)
		}
	}
}
