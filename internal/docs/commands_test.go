package docs

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestCommands checks the command lines in blocks of shell and in backquotes: commands, flags, packages
// and make targets exist.
func TestCommands(t *testing.T) {
	needTools(t, "go")
	c := &commands{run: filepath.Join(t.TempDir(), "blskernel"), helps: map[string]map[string]bool{}}
	out, err := goCommand(root, "build", "-o", c.run, "./cmd/blskernel")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, pattern := range []string{"Makefile", "make/*.mk"} {
		walk(t, pattern, func(_, text string) {
			for _, m := range regexp.MustCompile(`(?m)^([a-z][\w-]*):(?:[^=]|$)`).FindAllStringSubmatch(text, -1) {
				c.targets = append(c.targets, m[1])
			}
		})
	}
	for _, p := range pages(t) {
		for _, s := range append(p.spans, p.blocks...) {
			if err := c.check(s.text); err != nil && slices.Contains([]string{"", "sh", "`", "``"}, s.language) {
				t.Errorf("%s: %v", p.at(s), err)
			}
		}
	}
	for line, right := range map[string]bool{
		"blskernel": true, "blskernel info --json": true, "blskernel info -json": true, "blskernel help info": true, "blskernel completion bash": true,
		"blskernel demo --lambda 2^-30 -seed=7": true, "go run ./cmd/blskernel info": true, "go test ./lapack/... -run Gallery": true,
		"make test demo": true, "DATA=x make -j2 results X=y": true, "export P=q; nice make test # tset": true, "a \\\n -b 'make tset' >make 2>&1": true,
		"cat >a <<'END'\nmake tset\nEND\n": true, "bench/benchcompare.sh": true, "anything --else": true, "cd examples/external && go run .": true,
		"blskernel info --jsn": false, "./blskernel info --jsn": false, "blskernel nonsense": false, "blskernel help nonsense": false,
		"blskernel completion elvish": false, "blskernel demo --sed 7": false, "go run ./cmd/blskernel information": false,
		"go run ./cmd/blskernl info": false, "go test ./lapac/...": false, "make tset": false, "bench/benchcomparison.sh": false,
		"cd examples/external && go vet ./other": false, "x=1 make tset": false, "(a; make tset) | b": false, "{ make tset; }": false,
	} {
		if err := c.check(line); (err == nil) != right {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// commands knows the commands and flags of blskernel and the targets of make.
type commands struct {
	run     string                     // path of the built command
	targets []string                   // of make
	helps   map[string]map[string]bool // flags by command, nil for a command that does not exist
}

// check returns an error for the commands in text, which run in the top folder of the repository.
func (c *commands) check(text string) error {
	dir := "."
	for _, words := range simpleCommands(text) {
		var err error
		name, args := strings.TrimPrefix(words[0], "./"), words[1:]
		switch {
		case len(args) == 0 && !strings.Contains(words[0], "/"): // a single word may be any name
		case name == "cd" && !strings.ContainsAny(args[0], "$~"):
			dir = filepath.Join(dir, args[0])
		case name == "blskernel":
			err = c.checkBlskernel(args)
		case name == "make":
			for _, w := range args {
				if !strings.HasPrefix(w, "-") && !assignment.MatchString(w) && !slices.Contains(c.targets, w) {
					err = fmt.Errorf("make has no target %s", w)
				}
			}
		case name == "go":
			err = c.checkGo(dir, args)
		case strings.HasSuffix(name, ".sh"):
			err = exists(dir, name)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", strings.Join(words, " "), err)
		}
	}
	return nil
}

// checkGo checks the packages in the arguments of the go command, and the arguments of blskernel.
func (c *commands) checkGo(dir string, args []string) error {
	for i, a := range args {
		if strings.HasPrefix(a, "./") || a == "." {
			if err := exists(dir, strings.TrimSuffix(a, "...")); err != nil {
				return err
			} else if args[0] == "run" && filepath.Join(dir, a) == filepath.Join("cmd", "blskernel") {
				return c.checkBlskernel(args[i+1:])
			} else if args[0] == "run" {
				return nil
			}
		}
	}
	return nil
}

// checkBlskernel checks that the commands and flags in the arguments of blskernel exist.
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
		return errors.New("there is no such command")
	}
	for _, a := range args {
		// A number is not a flag.
		if m := flagWord.FindStringSubmatch(a); m != nil && !flags[m[1]] {
			return fmt.Errorf("it has no flag %s", a)
		}
	}
	return nil
}

// flags returns the names of the flags in the help of a command, or nil if there is no such command.
func (c *commands) flags(path []string) map[string]bool {
	key := strings.Join(path, " ")
	flags, known := c.helps[key]
	if known {
		return flags
	}
	out, err := exec.Command(c.run, append(slices.Clone(path), "-h")...).Output()
	// For an unknown command, cobra prints the help of the one above.
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

var (
	flagWord = regexp.MustCompile(`^--?([A-Za-z][\w-]*)`)
	helpFlag = regexp.MustCompile(`(?m)^\s+(?:-(\w)(?:, |\s))?\s*(?:--([\w-]+))?`) // a line of a help text that describes a flag

	hereDoc     = regexp.MustCompile(`<<-?\s*['"]?(\w+)['"]?`)
	quoted      = regexp.MustCompile(`(?s)'[^']*'|"(?:\\.|[^"\\])*"`)
	ignored     = regexp.MustCompile(`(?m)(?:^|\s)#.*$|\d*[<>]+&? *[^\s;|&()]*`) // comments and redirections
	separator   = regexp.MustCompile(`[\n;|&(){}]`)
	assignment  = regexp.MustCompile(`^\w+=`)
	beforeNames = []string{"export", "!", "nice", "time", "then", "do", "env", "$"} // words before a command
)

// simpleCommands splits shell text into its simple commands, each a list of words. It knows the syntax
// that pages use. It leaves out comments, here-documents, redirections, assignments, and quoted text.
func simpleCommands(text string) (all [][]string) {
	text = strings.ReplaceAll(text, "\\\n", " ")
	for m := hereDoc.FindStringSubmatchIndex(text); m != nil; m = hereDoc.FindStringSubmatchIndex(text) {
		_, rest, _ := strings.Cut(text[m[1]:], "\n"+text[m[2]:m[3]]+"\n")
		text = text[:m[0]] + "\n" + rest
	}
	text = ignored.ReplaceAllString(quoted.ReplaceAllString(text, "quoted"), " ")
	for _, part := range separator.Split(text, -1) {
		words := strings.Fields(part)
		for len(words) > 0 && (assignment.MatchString(words[0]) || slices.Contains(beforeNames, words[0])) {
			words = words[1:]
		}
		if len(words) > 0 {
			all = append(all, words)
		}
	}
	return all
}

func goCommand(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "GOFLAGS=-buildvcs=false", "GOPROXY=off", "GOWORK=off")
	return cmd.CombinedOutput()
}
