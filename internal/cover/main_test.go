package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Two builds of package a: the first has a file that the second has not, and executes the first block;
// the second executes the second one. Of b nothing is executed.
var profiles = []string{
	"mode: set\nm/a/x.go:1.2,3.4 3 1\nm/a/x.go:5.1,6.2 2 0\nm/a/cgo.go:1.1,2.2 4 1\nm/a/x.go:1.2,3.4 3 0\n",
	"mode: set\nm/a/x.go:1.2,3.4 3 0\nm/a/x.go:5.1,6.2 2 1\nm/a/x.go:7.1,7.9 1 0\nm/b/y.go:20.1,21.2 1 0\nm/b/y.go:3.1,4.2 9 0\n",
}

// files writes the profiles and returns their names.
func files(t *testing.T, texts ...string) []string {
	t.Helper()
	var names []string
	for i, text := range texts {
		name := filepath.Join(t.TempDir(), string(rune('a'+i)))
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

func TestRun(t *testing.T) {
	for _, tc := range []struct {
		flags, exceptions string
		want              []string // in the error, if there is one
	}{
		{"", "", []string{"m/b reaches 0.0%; want 90%"}},
		{"-least 91", "", []string{"m/a reaches 90.0%; want 91%", "m/b reaches 0.0%; want 91%"}},
		{"", "# why\n\nm/b 0 written by others\n", nil},
		{"", "m/b 1 written by others", []string{"m/b reaches 0.0%; its exception wants 1%: written by others"}},
		{"", "m/a 50 x\nm/b 0 y\n", []string{"m/a reaches 90.0% and needs no exception any more"}},
		{"", "m/b 0 y\nm/c 0 x\n", []string{"there is an exception for m/c, which has no statements"}},
		{"", "m/b 0", []string{"exceptions.txt, line 1: want a package, a percentage and a reason"}},
		{"", "m/b all y", []string{`exceptions.txt, line 1: "all" is no percentage`}},
		{"", "m/b NaN y", []string{`exceptions.txt, line 1: "NaN" is no percentage`}},
		{"", "m/b 0 y\nm/b 0 y", []string{"exceptions.txt, line 2: m/b is there twice"}},
	} {
		var out, errs bytes.Buffer
		err := run(append(strings.Fields(tc.flags), files(t, profiles...)...), tc.exceptions, &out, &errs)
		if (err == nil) != (tc.want == nil) {
			t.Errorf("%q: %v; want %q", tc.flags, err, tc.want)
			continue
		}
		if err != nil && err.Error() != strings.Join(tc.want, "\n") {
			t.Errorf("%q: %v; want %q", tc.flags, err, tc.want)
		}
		lines := "  90.0%  m/a (9 of 10 statements)\n   0.0%  m/b (0 of 10 statements)\n"
		if malformed := len(tc.want) > 0 && strings.HasPrefix(tc.want[0], "exceptions.txt"); !malformed && out.String() != lines {
			t.Errorf("%q prints\n%s; want\n%s", tc.flags, &out, lines)
		}
	}
}

func TestUncovered(t *testing.T) {
	for name, want := range map[string]string{
		"m/a": "  90.0%  m/a (9 of 10 statements)\n         m/a/x.go:7-7\n   0.0%  m/b (0 of 10 statements)\n",
		"all": "  90.0%  m/a (9 of 10 statements)\n         m/a/x.go:7-7\n   0.0%  m/b (0 of 10 statements)\n         m/b/y.go:3-4\n         m/b/y.go:20-21\n",
	} {
		var out, errs bytes.Buffer
		if err := run(append([]string{"-least", "0", "-uncovered", name}, files(t, profiles...)...), "", &out, &errs); err != nil || out.String() != want {
			t.Errorf("%s: %v\n%s; want\n%s", name, err, &out, want)
		}
	}
}

func TestMalformed(t *testing.T) {
	for _, text := range []string{"", "nonsense", "m/a/x.go:1.2,3.4 3", "m/a/x.go:1.2,3.4 3 one", strings.Repeat("x", 1<<17)} {
		var out, errs bytes.Buffer
		if err := run(files(t, text), "", &out, &errs); err == nil {
			t.Errorf("%.40q: no error", text)
		}
	}
	for _, args := range [][]string{nil, {"-nonsense"}, {filepath.Join(t.TempDir(), "none")}} {
		var out, errs bytes.Buffer
		if err := run(args, "", &out, &errs); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
	if got := (&covered{}).percent(); got != 100 {
		t.Errorf("%v%% of nothing", got)
	}
}

// TestExceptions reads the list that is compiled in.
func TestExceptions(t *testing.T) {
	if _, err := parseExceptions(exceptions); err != nil {
		t.Error(err)
	}
}
