package docs

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// TestCommands looks at every command line in blocks of shell and in backquotes: commands, flags, packages and targets
// exist. What else is in a shell is not looked at.
func TestCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	c := &commands{run: buildProgram(t, "./cmd/blskernel"), targets: makeTargets(t)}
	for _, p := range pages(t) {
		for _, b := range p.blocks {
			if b.language == "" || b.language == "sh" {
				c.check(t, p, b.passage)
			}
		}
		for _, s := range p.spans {
			if s.text != "make" && s.text != "blskernel" {
				c.check(t, p, s)
			}
		}
	}
}

// check reports what is wrong with the commands of a passage.
func (c *commands) check(t *testing.T, p *page, text passage) {
	t.Helper()
	dir := "."
	for _, words := range simpleCommands(text.text) {
		if words[0] == "$" {
			words = words[1:]
		}
		if len(words) == 2 && words[0] == "cd" && !strings.ContainsAny(words[1], "$~") {
			dir = filepath.Join(dir, words[1])
		}
		if err := c.checkOne(dir, words); err != nil {
			t.Errorf("%s: %s: %v", p.at(text.line), strings.Join(words, " "), err)
		}
	}
}

// commands knows what there is to call.
type commands struct {
	run     string // the built command
	targets map[string]bool
	mu      sync.Mutex
	helps   map[string]map[string]bool // flags by command, nil where there is no such command
}

// checkOne returns what is wrong with a command that is given in a folder of the repository.
func (c *commands) checkOne(dir string, words []string) error {
	switch {
	case len(words) == 0:
		return nil
	case words[0] == "blskernel", words[0] == "./blskernel":
		return c.checkBlskernel(words[1:])
	case words[0] == "blskernel-beam", words[0] == "./blskernel-beam":
		return exists(".", "scaleout/cmd/blskernel-beam") // of another module, whose dependencies these tests do without
	case words[0] == "make" && len(words) > 1:
		for _, w := range words[1:] {
			if !strings.HasPrefix(w, "-") && !isAssignment(w) && !c.targets[w] {
				return fmt.Errorf("make has no target %s", w)
			}
		}
	case words[0] == "go" && len(words) > 1:
		return c.checkGoTool(dir, words[1], words[2:])
	case strings.HasPrefix(words[0], "./") || strings.Contains(words[0], "/") && strings.HasSuffix(words[0], ".sh"):
		return exists(dir, words[0])
	}
	return nil
}

// checkGoTool checks the packages that the go command is given, and what the command gets that it runs.
func (c *commands) checkGoTool(dir, verb string, args []string) error {
	if !slices.Contains([]string{"build", "doc", "generate", "install", "list", "run", "test", "tool", "vet", "mod", "get", "env", "version", "work"}, verb) {
		return fmt.Errorf("go has no command %s", verb)
	}
	for i, a := range args {
		if (a == "-run" || a == "-bench") && i+1 < len(args) {
			if _, err := regexp.Compile(args[i+1]); err != nil {
				return err
			}
		}
		if !strings.HasPrefix(a, "./") && a != "." {
			continue
		}
		if err := exists(dir, strings.TrimSuffix(a, "...")); err != nil {
			return err
		}
		if verb == "run" {
			if filepath.Join(dir, a) == filepath.Join("cmd", "blskernel") {
				return c.checkBlskernel(args[i+1:])
			}
			return nil // the rest is for the program
		}
	}
	return nil
}

// exists returns an error if the repository has no such file or folder.
func exists(dir, name string) error {
	if _, err := os.Stat(filepath.Join(root, dir, filepath.FromSlash(name))); err != nil {
		return fmt.Errorf("there is no %s", filepath.ToSlash(filepath.Join(dir, name)))
	}
	return nil
}

// checkBlskernel checks the arguments of the command: its own commands and their flags.
func (c *commands) checkBlskernel(args []string) error {
	var path []string
	for _, a := range args {
		if strings.HasPrefix(a, "-") || strings.HasPrefix(a, "...") || len(path) == 2 {
			break
		}
		if len(path) == 1 && path[0] != "help" && path[0] != "completion" {
			break
		}
		path = append(path, a)
	}
	if len(path) > 0 && path[0] == "help" {
		path = path[1:]
	}
	flags := c.flags(path)
	if flags == nil {
		return fmt.Errorf("there is no such command")
	}
	for _, a := range args {
		if a == "--" {
			break
		}
		name, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if _, err := strconv.ParseFloat(a, 64); err == nil || !strings.HasPrefix(a, "-") || name == "" {
			continue
		}
		if !flags[name] {
			return fmt.Errorf("it has no flag %s", a)
		}
	}
	return nil
}

// helpFlag matches a line of a help text that describes a flag.
var helpFlag = regexp.MustCompile(`(?m)^\s+(?:-(\w)(?:, |\s))?\s*(?:--([\w-]+))?`)

// flags returns the names of the flags that a command says it has, nil if there is no such command.
func (c *commands) flags(path []string) map[string]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := strings.Join(path, " ")
	if flags, ok := c.helps[key]; ok {
		return flags
	}
	if c.helps == nil {
		c.helps = map[string]map[string]bool{}
	}
	out, err := exec.Command(c.run, append(slices.Clone(path), "-h")...).Output()
	usage := strings.Join(append([]string{"Usage:\n  blskernel"}, path...), " ")
	if _, rest, found := strings.Cut(string(out), usage); err != nil || !found || !strings.HasPrefix(rest, " ") && !strings.HasPrefix(rest, "\n") {
		c.helps[key] = nil // cobra shows the help of the command above where there is none of this name
		return nil
	}
	flags := map[string]bool{"h": true, "help": true}
	for _, m := range helpFlag.FindAllStringSubmatch(string(out), -1) {
		flags[m[1]], flags[m[2]] = true, true
	}
	delete(flags, "")
	c.helps[key] = flags
	return flags
}

var (
	targetLine  = regexp.MustCompile(`(?m)^([A-Za-z][\w-]*(?: [A-Za-z][\w-]*)*):(?:[^=]|$)`)
	includeLine = regexp.MustCompile(`(?m)^include (\S+)$`)
)

// makeTargets returns the targets of the Makefile and of what it includes.
func makeTargets(t *testing.T) map[string]bool {
	t.Helper()
	targets := map[string]bool{}
	for files := []string{"Makefile"}; len(files) > 0; files = files[1:] {
		text, err := os.ReadFile(filepath.Join(root, files[0]))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range targetLine.FindAllStringSubmatch(string(text), -1) {
			for _, name := range strings.Fields(m[1]) {
				targets[name] = true
			}
		}
		for _, m := range includeLine.FindAllStringSubmatch(string(text), -1) {
			files = append(files, m[1])
		}
	}
	return targets
}

// buildProgram builds a program of the module and returns the path of it.
func buildProgram(t *testing.T, pkg string) string {
	t.Helper()
	if _, err := exec.LookPath("go"); errors.Is(err, exec.ErrNotFound) {
		t.Skip("the go command is not in the path")
	}
	program := filepath.Join(t.TempDir(), filepath.Base(pkg))
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	cmd := exec.Command("go", "build", "-o", program, pkg)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, out)
	}
	return program
}

// TestCheckOne has lines that are right and lines that are wrong.
func TestCheckOne(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	c := &commands{run: buildProgram(t, "./cmd/blskernel"), targets: makeTargets(t)}
	for line, right := range map[string]bool{
		"blskernel":                              true,
		"blskernel info --json":                  true,
		"blskernel info -json":                   true,
		"blskernel info --jsn":                   false,
		"./blskernel info --jsn":                 false,
		"blskernel nonsense":                     false,
		"blskernel help info":                    true,
		"blskernel help nonsense":                false,
		"blskernel completion bash":              true,
		"blskernel completion elvish":            false,
		"blskernel demo --lambda 2^-30 -seed=7":  true,
		"blskernel demo --sed 7":                 false,
		"go run ./cmd/blskernel info":            true,
		"go run ./cmd/blskernel information":     false,
		"go run ./cmd/blskernl info":             false,
		"go test ./lapack/... -run Gallery":      true,
		"go test ./lapac/...":                    false,
		"go tst ./...":                           false,
		"go test -run '(' ./lapack":              false,
		"make test demo":                         true,
		"make tset":                              false,
		"DATA=x make -j2 results X=y":            true,
		"bench/benchcompare.sh":                  true,
		"bench/benchcomparison.sh":               false,
		"anything --else":                        true,
		"cd examples/external && go run .":       true,
		"cd examples/external && go vet ./other": false,
	} {
		var err error
		dir := "."
		for _, words := range simpleCommands(line) {
			if words[0] == "cd" {
				dir = words[1]
			}
			if e := c.checkOne(dir, words); e != nil {
				err = e
			}
		}
		if (err == nil) != right {
			t.Errorf("%s: %v", line, err)
		}
	}
}
