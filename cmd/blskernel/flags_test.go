package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"blskernel/bench/result"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestFlagsOfAllCommands wants --quiet in each, -o for each --out, and one meaning for each letter.
func TestFlagsOfAllCommands(t *testing.T) {
	meaning := map[string]string{}
	means := func(c *cobra.Command, letter, what string) {
		if known, ok := meaning[letter]; ok && known != what {
			t.Errorf("%s: -%s is %q, and elsewhere %q", c.Name(), letter, what, known)
		}
		meaning[letter] = what
	}
	for _, c := range newRoot(discarded).Commands() {
		if !c.Runnable() || c.Name() == "completion" || c.Name() == "help" {
			continue
		}
		if c.Flags().Lookup("quiet") == nil {
			t.Errorf("%s has no --quiet", c.Name())
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Shorthand != "" {
				means(c, f.Shorthand, f.Name)
			}
			if len(f.Name) == 1 {
				means(c, f.Name, f.Usage)
			}
			if f.Name == "out" && f.Shorthand != "o" {
				t.Errorf("%s has --out without -o", c.Name())
			}
		})
	}
	if meaning["o"] != "out" || meaning["q"] == "" {
		t.Errorf("letters: %v", meaning)
	}
}

// TestPackageNames checks that ui.Message knows every package name with which an error of this module
// begins, so that no message shows one.
func TestPackageNames(t *testing.T) {
	named := regexp.MustCompile(`(?:errors\.New|[Ee]rrorf|fault)\(?\(?"([a-z]+): `)
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		inside := strings.Contains(path, "/scaleout/") || strings.Contains(path, "/examples/") || strings.Contains(path, "/testutil/")
		if err != nil || d.IsDir() || inside || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, match := range named.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), "..", match[1])); err != nil || filepath.Base(filepath.Dir(path)) != match[1] {
				continue // there is no package of this name
			}
			if strings.HasPrefix(ui.Message(namedError(match[1])), match[1]) {
				t.Errorf("%s: ui.Message leaves %q", path, match[1])
			}
		}
		return err
	})
	testutil.NoError(t, err)
}

// A namedError is an error of the package that it names.
type namedError string

func (e namedError) Error() string { return string(e) + ": what is wrong" }

// understood returns an error unless the command line knows the flags of call and has no arguments.
func understood(call []string) error {
	cmd, rest, err := newRoot(discarded).Find(call)
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err == nil && cmd.Flags().NArg() > 0 {
		err = errors.New("arguments are left")
	}
	if err != nil {
		return fmt.Errorf("%q: %w", call, err)
	}
	return nil
}

// TestRecordedCommands checks that today's command line knows the commands in docs/results.
func TestRecordedCommands(t *testing.T) {
	names, err := filepath.Glob(filepath.FromSlash("../../docs/results/*.jsonl"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	for _, name := range names {
		f, err := result.ReadFile(nil, name)
		testutil.NoError(t, err)
		for _, m := range f.Machines {
			testutil.NoError(t, understood(strings.Fields(m.Command)[1:]))
		}
	}
}
