package docs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestCommands checks the command lines in blocks of shell and in backquotes: commands, flags, packages
// and make targets exist.
func TestCommands(t *testing.T) {
	c := newCommands(t)
	for _, p := range pages(t) {
		passages := slices.Clone(p.spans)
		for _, b := range p.blocks {
			if b.language == "" || b.language == "sh" {
				passages = append(passages, b.passage)
			}
		}
		for _, s := range passages {
			if err := c.check(s.text); err != nil {
				t.Errorf("%s: %v", p.at(s.line), err)
			}
		}
	}
}

// commands knows which commands there are.
type commands struct {
	run     string                     // the command, built
	targets map[string]bool            // of make
	helps   map[string]map[string]bool // flags by command, nil where there is no such command
}

func newCommands(t *testing.T) *commands {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the command")
	}
	needTools(t, "go")
	c := &commands{run: filepath.Join(t.TempDir(), "blskernel"), targets: map[string]bool{}, helps: map[string]map[string]bool{}}
	if runtime.GOOS == "windows" {
		c.run += ".exe"
	}
	cmd := exec.Command("go", "build", "-o", c.run, "./cmd/blskernel")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	target := regexp.MustCompile(`(?m)^([a-z][\w-]*):(?:[^=]|$)`)
	for _, pattern := range []string{"Makefile", "make/*.mk"} {
		walk(t, pattern, func(_, text string) {
			for _, m := range target.FindAllStringSubmatch(text, -1) {
				c.targets[m[1]] = true
			}
		})
	}
	return c
}

// check returns what is wrong with the commands of a text, which begins at the top of the repository.
func (c *commands) check(text string) error {
	dir := "."
	for _, words := range simpleCommands(text) {
		if len(words) == 2 && words[0] == "cd" && !strings.ContainsAny(words[1], "$~") {
			dir = filepath.Join(dir, words[1])
		}
		if err := c.checkOne(dir, words); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(words, " "), err)
		}
	}
	return nil
}

// checkOne returns what is wrong with a command in a folder of the repository.
func (c *commands) checkOne(dir string, words []string) error {
	name, args := words[0], words[1:]
	switch {
	case len(args) == 0 && !strings.Contains(name, "/"): // the name of something
	case strings.TrimPrefix(name, "./") == "blskernel":
		return c.checkBlskernel(args)
	case name == "make":
		for _, w := range args {
			if !strings.HasPrefix(w, "-") && !assignment.MatchString(w) && !c.targets[w] {
				return fmt.Errorf("make has no target %s", w)
			}
		}
	case name == "go":
		return c.checkGo(dir, args[0], args[1:])
	case strings.HasSuffix(name, ".sh"):
		return exists(dir, name)
	}
	return nil
}

// checkGo checks the packages that the go command gets, and what blskernel gets from it.
func (c *commands) checkGo(dir, verb string, args []string) error {
	for i, a := range args {
		if !strings.HasPrefix(a, "./") && a != "." {
			continue
		}
		if err := exists(dir, strings.TrimSuffix(a, "...")); err != nil {
			return err
		}
		if verb == "run" && filepath.Join(dir, a) == filepath.Join("cmd", "blskernel") {
			return c.checkBlskernel(args[i+1:])
		} else if verb == "run" {
			return nil
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
		if strings.HasPrefix(a, "-") || strings.HasPrefix(a, "...") || len(path) == 2 || len(path) == 1 && path[0] != "help" && path[0] != "completion" {
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
		// A number is no flag.
		if m := flagWord.FindStringSubmatch(a); m != nil && !flags[m[1]] {
			return fmt.Errorf("it has no flag %s", a)
		}
	}
	return nil
}

var (
	flagWord = regexp.MustCompile(`^--?([A-Za-z][\w-]*)`)
	helpFlag = regexp.MustCompile(`(?m)^\s+(?:-(\w)(?:, |\s))?\s*(?:--([\w-]+))?`) // a line of a help text that describes a flag
)

// flags returns the names of the flags in the help of a command, nil if there is no such command.
func (c *commands) flags(path []string) map[string]bool {
	key := strings.Join(path, " ")
	flags, known := c.helps[key]
	if known {
		return flags
	}
	out, err := exec.Command(c.run, append(slices.Clone(path), "-h")...).Output()
	// Where there is no such command, cobra prints the help of the one above.
	usage := regexp.MustCompile(`Usage:\n  blskernel` + strings.TrimSuffix(" "+key, " ") + `\s`)
	if err == nil && usage.Match(out) {
		flags = map[string]bool{"h": true, "help": true}
		for _, m := range helpFlag.FindAllStringSubmatch(string(out), -1) {
			flags[m[1]], flags[m[2]] = true, true
		}
	}
	c.helps[key] = flags
	return flags
}

func TestCheck(t *testing.T) {
	c := newCommands(t)
	for _, line := range []string{
		"blskernel", "blskernel info --json", "blskernel info -json", "blskernel help info", "blskernel completion bash",
		"blskernel demo --lambda 2^-30 -seed=7", "go run ./cmd/blskernel info", "go test ./lapack/... -run Gallery", "make test demo",
		"DATA=x make -j2 results X=y", "export P=q; nice make test # tset", "a \\\n -b 'make tset' >make 2>&1", "cat >a <<'END'\nmake tset\nEND\n", "bench/benchcompare.sh", "anything --else", "cd examples/external && go run .",
	} {
		if err := c.check(line); err != nil {
			t.Error(err)
		}
	}
	for _, line := range []string{
		"blskernel info --jsn", "./blskernel info --jsn", "blskernel nonsense", "blskernel help nonsense", "blskernel completion elvish",
		"blskernel demo --sed 7", "go run ./cmd/blskernel information", "go run ./cmd/blskernl info", "go test ./lapac/...", "make tset",
		"bench/benchcomparison.sh", "cd examples/external && go vet ./other",
		"x=1 make tset", "(a; make tset) | b", "{ make tset; }",
	} {
		if c.check(line) == nil {
			t.Errorf("%s passes", line)
		}
	}
}

var (
	hereDoc     = regexp.MustCompile(`<<-?\s*['"]?(\w+)['"]?`)
	quoted      = regexp.MustCompile(`(?s)'[^']*'|"(?:\\.|[^"\\])*"`)
	comment     = regexp.MustCompile(`(?m)(^|\s)#.*$`)
	redirection = regexp.MustCompile(`\d*[<>]+&? *[^\s;|&()]*`)
	separator   = regexp.MustCompile(`[\n;|&(){}]`)
	assignment  = regexp.MustCompile(`^\w+=`)
)

// simpleCommands splits shell text into its simple commands, each a list of words, as far as pages use
// the shell. It leaves out comments, here-documents, redirections and assignments, and what is quoted.
func simpleCommands(text string) (all [][]string) {
	text = strings.ReplaceAll(text, "\\\n", " ")
	for m := hereDoc.FindStringSubmatchIndex(text); m != nil; m = hereDoc.FindStringSubmatchIndex(text) {
		_, rest, _ := strings.Cut(text[m[1]:], "\n"+text[m[2]:m[3]]+"\n")
		text = text[:m[0]] + "\n" + rest
	}
	text = quoted.ReplaceAllString(text, "quoted")
	text = redirection.ReplaceAllString(comment.ReplaceAllString(text, ""), " ")
	// Words before a command.
	prefixes := []string{"export", "!", "nice", "time", "then", "do", "env", "$"}
	for _, part := range separator.Split(text, -1) {
		words := strings.Fields(part)
		for len(words) > 0 && (assignment.MatchString(words[0]) || slices.Contains(prefixes, words[0])) {
			words = words[1:]
		}
		if len(words) > 0 {
			all = append(all, words)
		}
	}
	return all
}
