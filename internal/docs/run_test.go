package docs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"blskernel/internal/testutil"
)

// TestUncertainty executes the program in docs/evaluation.md. The block after it must be its output.
func TestUncertainty(t *testing.T) {
	needTools(t, "go")
	blocks := readPage(t, "docs/evaluation.md").blocks
	k := slices.IndexFunc(blocks, func(b passage) bool { return b.language == "go" })
	if k < 0 || k+1 == len(blocks) {
		t.Fatal("no program with its output")
	}
	out, err := goProgram(t, blocks[k].text, "run")
	testutil.NoError(t, err)
	if string(out) != blocks[k+1].text {
		t.Errorf("it prints\n%s", out)
	}
}

// TestReadme executes two blocks of the README: the shell block that trains, in a folder with the files
// that it names, and the whole program.
func TestReadme(t *testing.T) {
	needTools(t, "sh", "go")
	dir := t.TempDir()
	top, err := filepath.Abs(root)
	testutil.NoError(t, err)
	for name, rows := range map[string]int{"flowers.csv": 2000, "test.csv": 500, "more.csv": 700} {
		table, species := flowers(rows)
		for i := range table {
			table[i] += "," + species[i]
		}
		testutil.WriteFile(t, filepath.Join(dir, name), "color,length,width,species\n"+strings.Join(table, "\n")+"\n")
	}
	table, labels := flowers(300)
	testutil.WriteFile(t, filepath.Join(dir, "new.csv"), "color,length,width\n"+strings.Join(table, "\n")+"\n")
	p := readPage(t, "README.md")
	executed := 0
	for _, b := range p.blocks {
		if b.language == "go" && strings.HasPrefix(b.text, "package main\n") {
			if out, err := goProgram(t, b.text, "run"); err != nil {
				t.Errorf("%s: %v\n%s", p.at(b), err, out)
			}
		}
		if b.language != "sh" || !strings.Contains(b.text, "blskernel train") {
			continue
		}
		executed++
		out := shell(t, dir, strings.Replace(b.text, "go build ", "go build -C "+top+" -o '"+dir+"' ", 1))
		if n := wantAccuracy(t, out, 90); n != 1 {
			t.Errorf("%d accuracies in\n%s", n, out)
		}
		// predict comes last, and prints a header and a label for each row.
		lines := strings.Split(strings.TrimSpace(out), "\n")
		right := 0
		for i, label := range labels {
			if at := len(lines) - len(labels) + i; at > 0 && lines[at] == label {
				right++
			}
		}
		if 10*right < 9*len(labels) {
			t.Errorf("%d of %d labels are right in\n%s", right, len(labels), out)
		}
	}
	if executed == 0 {
		t.Error("README.md has no shell block that trains")
	}
}

// flowers returns rows of a table of made-up flowers, and their species, which differ by three
// deviations in two columns. One row in ten has no width, and the colors are random.
func flowers(n int) (rows, species []string) {
	rng := rand.New(rand.NewPCG(5, uint64(n)))
	for range n {
		s := rng.IntN(3)
		width := fmt.Sprintf("%.2f", 2.5+0.9*float64((s+1)%2)+0.3*rng.NormFloat64())
		if rng.IntN(10) == 0 {
			width = ""
		}
		color, length := []string{"blue", "red", "white"}[rng.IntN(3)], 5+0.9*float64(s)+0.3*rng.NormFloat64()
		rows = append(rows, fmt.Sprintf("%s,%.2f,%s", color, length, width))
		species = append(species, []string{"setosa", "versicolor", "virginica"}[s])
	}
	return rows, species
}

// TestTutorial executes the shell blocks of the tutorial in order, in one shell with a new home folder.
// Their output equals the text blocks after them, except for numbers, paths and column widths. Every
// accuracy is above 90%.
func TestTutorial(t *testing.T) {
	needTools(t, "sh", "go", "awk", "sed", "head", "cut", "curl")
	p := readPage(t, "docs/tutorial.md")
	const mark = "-- end of block --"
	var script strings.Builder
	var blocks []passage // executed
	var said []string    // the output that the page shows
	for _, b := range p.blocks {
		switch b.language {
		case "sh":
			blocks, said = append(blocks, b), append(said, "")
			fmt.Fprintf(&script, "%s\necho '%s'\n", b.text, mark)
		case "text":
			said[len(said)-1] += b.text
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0") // to find a free port
	testutil.NoError(t, err)
	l.Close()
	printed := strings.Split(shell(t, root, strings.ReplaceAll(script.String(), "127.0.0.1:8080", l.Addr().String())), mark+"\n")
	if len(printed) != len(blocks)+1 {
		t.Fatalf("%d blocks, output of %d", len(blocks), len(printed)-1)
	}
	accuracies, served := 0, 0
	labels := regexp.MustCompile(`"labels":\[[^]]*\]`)
	for i, b := range blocks {
		if got, want := shape(printed[i]), shape(said[i]); got != want {
			t.Errorf("%s prints\n%s\nwhich is\n%s\nand the page has\n%s", p.at(b), printed[i], got, want)
		}
		accuracies += wantAccuracy(t, printed[i], 90)
		got, want := labels.FindString(printed[i]), labels.FindString(said[i])
		if got != want {
			t.Errorf("%s serves the labels %s; the page has %s", p.at(b), got, want)
		}
		if want != "" {
			served++
		}
	}
	if accuracies < 2 || served < 1 {
		t.Errorf("%d accuracies and %d served labels", accuracies, served)
	}
}

// shape returns an output without the differences between machines, times and versions of awk.
func shape(s string) string {
	for _, p := range [][2]string{
		{`(?m)^software .*$`, "software #"},
		{`(?:/[^\s/]+)+`, "/path"},
		{`\b[0-9a-f]{8,}\b`, "#"},
		{`[-+]?\d+(?:[.,:]\d+)*(?:e[-+]?\d+)?`, "#"},
		{`# (?:ns|µs|ms|s|m|kB|KB|KiB|MB|MiB|B|bytes)\b`, "# unit"},
		{`\b(?:idle|busy|hot|loose)\b`, "state"},
		{`[ \t]+`, " "},
	} {
		s = regexp.MustCompile(p[0]).ReplaceAllString(s, p[1])
	}
	return strings.TrimSpace(s)
}

// wantAccuracy checks that every printed accuracy is above a percentage, and returns their number.
func wantAccuracy(t *testing.T, out string, above float64) int {
	t.Helper()
	all := regexp.MustCompile(`(?m)^accuracy +(\S+) %`).FindAllStringSubmatch(out, -1)
	for _, m := range all {
		if v, err := strconv.ParseFloat(m[1], 64); err != nil || !(v > above) {
			t.Errorf("%q; want more than %v %%", m[0], above)
		}
	}
	return len(all)
}

// shell executes a script in dir with a new home folder, and returns its standard output.
func shell(t *testing.T, dir, script string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", "set -eu\n"+script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "GOFLAGS=-buildvcs=false")
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} { // the new home would change these
		value, err := exec.Command("go", "env", name).Output()
		testutil.NoError(t, err)
		cmd.Env = append(cmd.Env, name+"="+strings.TrimSpace(string(value)))
	}
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, errs.String())
	}
	return string(out)
}

// needTools skips a test that builds programs on Windows or if a tool is missing. If BLSKERNEL_REQUIRE
// lists tutorial, a missing tool fails the test.
func needTools(t *testing.T, tools ...string) {
	t.Helper()
	testutil.NotUnderRace(t, "it builds programs, without the race detector")
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			testutil.SkipOrFail(t, "tutorial", err)
		}
	}
}

func readPage(t *testing.T, name string) *page {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	testutil.NoError(t, err)
	return parsePage(name, string(text))
}
