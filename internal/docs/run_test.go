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
	"strconv"
	"strings"
	"testing"
	"time"

	"blskernel/internal/testutil"
)

// TestReadme executes the README in a copy of the repository that has the files which it names: the
// shell blocks that train, and the whole programs.
func TestReadme(t *testing.T) {
	needTools(t, "sh", "go")
	dir, user := t.TempDir(), t.TempDir()
	for _, pattern := range []string{"*.go", "*.s", "go.mod", "go.sum", "bench/report", "bls", "blsupdate/internal/rates/builtin", "cmd", "dataset", "internal"} {
		walk(t, pattern, func(name, text string) { write(t, filepath.Join(dir, name), text) })
	}
	rng := rand.New(rand.NewPCG(5, 1))
	var labels []string
	for _, file := range []struct {
		name string
		rows int
	}{{"flowers.csv", 2000}, {"test.csv", 500}, {"more.csv", 700}, {"new.csv", 300}} {
		var text string
		text, labels = flowers(rng, file.rows, file.name != "new.csv")
		write(t, filepath.Join(dir, file.name), text)
		write(t, filepath.Join(user, file.name), text)
	}
	executed := 0
	for _, b := range readPage(t, "README.md").blocks {
		if b.language == "go" && strings.HasPrefix(b.text, "package main\n") {
			if out, err := goProgram(t, user, b.text, "run", "."); err != nil {
				t.Errorf("README.md:%d: %v\n%s", b.line, err, out)
			}
		}
		if b.language != "sh" || !strings.Contains(b.text, "blskernel train") {
			continue
		}
		executed++
		out := shell(t, dir, b.text)
		if n := wantAccuracy(t, out, 90); n != 1 {
			t.Errorf("%d accuracies in\n%s", n, out)
		}
		// predict comes last and prints a head and a label for each row.
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

// flowers returns a table of made-up flowers and the species of each, which differ by three deviations
// in two columns. One in ten has no width, and the colors are words that tell nothing.
func flowers(rng *rand.Rand, rows int, named bool) (text string, labels []string) {
	species := []string{"setosa", "versicolor", "virginica"}
	text = "color,length,width,species\n"
	if !named {
		text = "color,length,width\n"
	}
	for range rows {
		s := rng.IntN(len(species))
		labels = append(labels, species[s])
		width := fmt.Sprintf("%.2f", 2.5+0.9*float64((s+1)%2)+0.3*rng.NormFloat64())
		if rng.IntN(10) == 0 {
			width = ""
		}
		text += fmt.Sprintf("%s,%.2f,%s", []string{"blue", "red", "white"}[rng.IntN(3)], 5+0.9*float64(s)+0.3*rng.NormFloat64(), width)
		if named {
			text += "," + species[s]
		}
		text += "\n"
	}
	return text, labels
}

// TestTutorial executes the shell blocks of the tutorial one after the other in one shell, with a new
// folder as the home. They print what the blocks of text after them say, up to numbers, paths and the
// width of columns. Every accuracy is above 90%.
func TestTutorial(t *testing.T) {
	needTools(t, "sh", "go", "awk", "sed", "head", "cut", "curl")
	p := readPage(t, "docs/tutorial.md")
	const mark = "-- end of block --"
	var script strings.Builder
	var blocks []block // executed
	var said []string  // by the page
	for _, b := range p.blocks {
		switch b.language {
		case "sh":
			blocks, said = append(blocks, b), append(said, "")
			fmt.Fprintf(&script, "%s\necho '%s'\n", b.text, mark)
		case "text":
			said[len(said)-1] += b.text
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0") // for a port that is free
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
			t.Errorf("%s prints\n%s\nwhich is\n%s\nand the page has\n%s", p.at(b.line), printed[i], got, want)
		}
		accuracies += wantAccuracy(t, printed[i], 90)
		got, want := labels.FindString(printed[i]), labels.FindString(said[i])
		if got != want {
			t.Errorf("%s serves the labels %s; the page has %s", p.at(b.line), got, want)
		}
		if want != "" {
			served++
		}
	}
	if accuracies < 2 || served < 1 {
		t.Errorf("%d accuracies and %d served labels", accuracies, served)
	}
}

// shape returns an output without what differs between machines, times and versions of awk.
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

// wantAccuracy wants every accuracy that is printed to be above a number of percent, and returns how
// many there are.
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

// shell executes a script in a folder with a home of its own, and returns what it prints.
func shell(t *testing.T, dir, script string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", "set -eu\n"+script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "GOFLAGS=-buildvcs=false")
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} { // which the home would change
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

// needTools skips a test that builds programs, with -short, on Windows, and where one is missing. With
// tutorial in BLSKERNEL_REQUIRE the last is a failure.
func needTools(t *testing.T, tools ...string) {
	t.Helper()
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("builds programs and needs a POSIX shell")
	}
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			testutil.SkipOrFail(t, "tutorial", err)
		}
	}
}

// write writes a file and the folders above it.
func write(t *testing.T, path, text string) {
	t.Helper()
	testutil.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	testutil.NoError(t, os.WriteFile(path, []byte(text), 0o666))
}
