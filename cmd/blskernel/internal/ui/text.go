package ui

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Printable returns text as a table can show it: quoted if it is not UTF-8 or has control characters,
// and whole, since long names may differ at their ends.
func Printable(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return text
	}
	return strconv.Quote(text)
}

// Escaped returns lines of text that are safe for a terminal: characters that it cannot print are
// escaped as in a Go string.
func Escaped(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if r != '\n' && (!strconv.IsPrint(r) || r == utf8.RuneError && size == 1) {
			quoted := strconv.Quote(text[:size])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}

// OneLine is Escaped for a text of one line, such as a path from the environment.
func OneLine(text string) string { return strings.ReplaceAll(Escaped(text), "\n", `\n`) }

// packageName matches the name of a package of this module at the beginning of an error.
var packageName = regexp.MustCompile(
	`^(backend|bench|bls|blskernel|blsupdate|dataset|gemm|golden|kernel|lapack|mat|modelfile|npy|openblas|report|result|speed|stream): `)

// numberError matches what package strconv puts before the reason.
var numberError = regexp.MustCompile(`strconv\.Parse[A-Za-z0-9]+: parsing "(\\.|[^"\\])*": |time: `)

// Message returns the text of an error, and of the errors that it wraps, without the names of packages,
// which mean nothing to users of a command.
func Message(err error) string {
	text := err.Error()
	var plain func(err error)
	plain = func(err error) {
		full := err.Error()
		if name := packageName.FindString(full); name != "" {
			// Not within a word: a file may be called x.bls.
			at := strings.Index(" "+text, " "+full)
			if at >= 0 {
				text = text[:at] + text[at+len(name):]
			}
		}
		switch wrapped := err.(type) {
		case interface{ Unwrap() error }:
			if inner := wrapped.Unwrap(); inner != nil {
				plain(inner)
			}
		case interface{ Unwrap() []error }:
			for _, inner := range wrapped.Unwrap() {
				plain(inner)
			}
		}
	}
	plain(err)
	var flag *pflag.InvalidValueError
	if errors.As(err, &flag) {
		text = numberError.ReplaceAllString(text, "")
	}
	return text
}

// Count writes a number of things, with the given plural or else an s.
func Count[N int | int64](n N, thing string, plural ...string) string {
	switch {
	case n == 1:
	case len(plural) > 0:
		thing = plural[0]
	default:
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// Join returns a list with commas, and word before the last element.
func Join(list []string, word string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " " + word + " " + list[last]
}

// CommandLine returns the command with the flags that were given, by which its results can be measured
// again: without the flags that say where the results go. With defaults it includes flags at their
// defaults, so that a version with other defaults has the same results, except defaults 0, false and
// empty.
func CommandLine(cmd *cobra.Command, defaults bool) string {
	words := []string{cmd.CommandPath()}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		value := f.Value.String()
		if list, ok := f.Value.(pflag.SliceValue); ok {
			value = strings.Join(list.GetSlice(), ",")
		}
		says := f.Changed || defaults && !slices.Contains([]string{"", "0", "false"}, value)
		switch {
		case !says || f.Hidden || slices.Contains([]string{"out", "json", "quiet"}, f.Name):
		case f.Value.Type() != "bool":
			words = append(words, "--"+f.Name, value)
		case value == "true":
			words = append(words, "--"+f.Name)
		default:
			words = append(words, "--"+f.Name+"="+value)
		}
	})
	return strings.Join(words, " ")
}
