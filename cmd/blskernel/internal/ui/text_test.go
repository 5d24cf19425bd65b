package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"blskernel/internal/testutil"

	"github.com/spf13/cobra"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "dark blue": "dark blue", "Größe": "Größe", "a\x1b[2Jb": `"a\x1b[2Jb"`, "a\nb": `"a\nb"`, "Gr\xf6\xdfe": `"Gr\xf6\xdfe"`,
		"a\u202eb": `"a\u202eb"`, strings.Repeat("é", 1000): strings.Repeat("é", 1000),
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q is shown as %s; want %s", text, got, want)
		}
	}
}

// TestMessage checks that the name of a package is removed, but not the end of a file's name.
func TestMessage(t *testing.T) {
	inner := errors.New("bls: a model is needed")
	for _, tc := range []struct {
		err  error
		want string
	}{
		{inner, "a model is needed"},
		{fmt.Errorf("b.%w", inner), "b.bls: a model is needed"},
		{fmt.Errorf("b.bls: %w", inner), "b.bls: a model is needed"},
	} {
		if got := Message(tc.err); got != tc.want {
			t.Errorf("%q is shown as %q", tc.err, got)
		}
	}
}

func TestCommandLine(t *testing.T) {
	cmd := &cobra.Command{Use: "parent"}
	child := &cobra.Command{Use: "child"}
	cmd.AddCommand(child)
	f := child.Flags()
	f.IntSlice("list", []int{1}, "")
	f.StringSlice("names", nil, "")
	f.Bool("yes", false, "")
	f.Bool("no", true, "")
	f.Int("n", 3, "")
	f.Int("m", 3, "")
	f.SortFlags = false
	LambdaFlag(child, new(float64), "")
	f.Bool("on", true, "")
	f.Int("zero", 0, "")
	f.String("empty", "", "")
	f.StringSlice("nothing", nil, "")
	f.String("out", "file", "")
	testutil.NoError(t, f.Parse(append(strings.Fields("--list 2,3 --names a,b --yes --no=false --n 4 --lambda 2^-30"), "--empty", "it's my")))
	if got, want := CommandLine(child, false), "parent child --list 2,3 --names a,b --yes --no=false --n 4 --lambda 2^-30 --empty 'it'\\''s my'"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	if got, want := CommandLine(child, true), "parent child --list 2,3 --names a,b --yes --no=false --n 4 --m 3 --lambda 2^-30 --on --empty 'it'\\''s my'"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

func TestEscaped(t *testing.T) {
	for text, want := range map[string]string{
		"grün\n": "grün\n", "a\tb": `a\tb`, "\x1b[31m\u202e": `\x1b[31m\u202e`, "\xff\x00�": `\xff\x00�`, `"\n"`: `"\n"`,
	} {
		if got := Escaped(text); got != want {
			t.Errorf("%q: %q; want %q", text, got, want)
		}
	}
}
