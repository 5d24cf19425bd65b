package docs

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// tutorial is the page of which the commands are executed.
const tutorial = "docs/tutorial.md"

// TestTutorial executes the shell blocks of the tutorial, one after the other in one shell whose home is a new folder,
// beginning at the top of the repository. What the blocks print must be what the blocks of text say that follow them, up to
// numbers, paths and the width of columns. Every accuracy must be above 90 %, and labels that do not depend on chance must be
// the page's: those of points far from the others, and all where awk has made the page's data.
func TestTutorial(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs and trains")
	}
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	needTools(t, "sh", "go", "awk", "sed", "head", "cut", "curl")
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(tutorial)))
	if err != nil {
		t.Fatal(err)
	}
	p := parsePage(tutorial, string(text))

	// A line that separates the output of the blocks.
	const mark = "-- end of block --"
	var script strings.Builder
	script.WriteString("set -eu\n")
	var shell []block // executed
	var said []string // what the page says they print, "" for nothing
	for _, b := range p.blocks {
		switch b.language {
		case "sh":
			shell, said = append(shell, b), append(said, "")
			fmt.Fprintf(&script, "%s\necho '%s'\n", b.text, mark)
		case "text":
			if len(said) == 0 {
				t.Fatalf("%s: output without a command", p.at(b.line))
			}
			said[len(said)-1] += b.text
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", strings.ReplaceAll(script.String(), "127.0.0.1:8080", freeAddress(t)))
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} { // which the home would change
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Env = append(cmd.Env, name+"="+strings.TrimSpace(string(value)))
	}
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, errs.String())
	}
	printed := strings.Split(string(out), mark+"\n")
	if len(printed) != len(shell)+1 {
		t.Fatalf("%d blocks, output of %d", len(shell), len(printed)-1)
	}
	same := false // the data, as far as its first lines show it
	accuracies, labels := 0, 0
	for i, b := range shell {
		if got, want := shape(printed[i]), shape(said[i]); got != want {
			t.Errorf("%s prints\n%s\nwhich is\n%s\nand the page has\n%s", p.at(b.line), printed[i], got, want)
		}
		accuracies += wantAccuracy(t, printed[i], 90)
		if strings.Contains(b.text, "head -n 3 train.csv") {
			same = printed[i] == said[i]
		}
		got, want := servedLabels.FindString(printed[i]), servedLabels.FindString(said[i])
		if predicted := strings.HasPrefix(printed[i], "state\n"); predicted && same {
			got, want = printed[i], said[i]
		}
		if want != "" {
			labels++
		}
		if got != want {
			t.Errorf("%s gives the labels %s; the page has %s", p.at(b.line), got, want)
		}
	}
	if accuracies < 2 || labels < 1 {
		t.Errorf("%d accuracies and %d outputs with labels", accuracies, labels)
	}
}

// servedLabels matches the labels in what the server answers.
var servedLabels = regexp.MustCompile(`"labels":\[[^]]*\]`)

// freeAddress returns an address at which nobody listens now.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// What is another thing on another machine or at another time, in the order in which it is replaced.
var passing = []struct {
	what *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`(?m)^software .*$`), "software #"},
	{regexp.MustCompile(`limited by [a-z ]+`), "limited by #"},
	{regexp.MustCompile(`(?:/[^\s/]+)+`), "/path"},
	{regexp.MustCompile(`\b[0-9a-f]{8,}\b`), "#"},
	{regexp.MustCompile(`[-+]?\d+(?:[.,:]\d+)*(?:e[-+]?\d+)?`), "#"},
	{regexp.MustCompile(`# (?:ns|µs|ms|s|m|kB|KB|KiB|MB|MiB|B|bytes)\b`), "# unit"},
	{regexp.MustCompile(`\b(?:idle|busy|hot)\b`), "state"},
	{regexp.MustCompile(`[ \t]+`), " "},
}

// shape returns what stays the same of an output: numbers, with units of time and memory, checksums, paths and the values
// of the data are one sign each.
func shape(s string) string {
	for _, p := range passing {
		s = p.what.ReplaceAllString(s, p.by)
	}
	return strings.TrimSpace(s)
}

func TestShape(t *testing.T) {
	for _, pair := range [][2]string{
		{"accuracy  98.55 %", "accuracy 9 %"},
		{"in 1.2 s", "in 812 ms"},
		{"sum 0123abcd9f, -1e-5", "sum deadbeef, 7"},
		{"1.2,3,idle\n", "4.0,5.5,hot"},
		{"rows of /var/x/y.csv, limited by the kernels: 3%", "rows of /home/a.csv, limited by reading: 40%"},
	} {
		if a, b := shape(pair[0]), shape(pair[1]); a != b {
			t.Errorf("%q is %q, and %q is %q", pair[0], a, pair[1], b)
		}
	}
	if a, b := shape("accuracy 98"), shape("precision 98"); a == b {
		t.Errorf("words make no difference: %q", a)
	}
}
