package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"blskernel/dataset/stream"
)

// printable returns text from a file as it can be shown on a terminal: quoted if it has anything that is
// not printed, such as the control characters that move the cursor.
func printable(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return text
	}
	return strconv.Quote(text)
}

// printables returns all of the texts as they can be shown.
func printables(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = printable(text)
	}
	return out
}

// mostNamed is the number of names that a message lists.
const mostNamed = 10

// someOf writes the first names, and says how many more there are.
func someOf(names []string) string { return someAs(printable, names) }

// someQuoted is someOf with each name in quotation marks.
func someQuoted(names []string) string { return someAs(strconv.Quote, names) }

func someAs(write func(string) string, names []string) string {
	var written []string
	for _, name := range names[:min(mostNamed, len(names))] {
		written = append(written, write(name))
	}
	text := strings.Join(written, ", ")
	if more := len(names) - mostNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// checkNames returns an error if a model cannot tell the columns of its data by their names: if two have
// the same, or one has a name that is not UTF-8. Targets in a file of their own may have names of inputs.
func checkNames(s *sourceSettings, inputs, targets []string) error {
	check := func(path string, names []string) error {
		if path == standardInput {
			path = "standard input"
		}
		seen := make(map[string]bool, len(names))
		for _, name := range names {
			switch {
			case !utf8.ValidString(name):
				return &stream.Error{Path: path, What: fmt.Sprintf("has a column named %q, which is not UTF-8: save it as UTF-8", name)}
			case seen[name]:
				return &stream.Error{Path: path, What: fmt.Sprintf("has more than one column named %q: give each a name of its own, or leave one out by --inputs or --target", name)}
			}
			seen[name] = true
		}
		return nil
	}
	if s.targetsFile == "" {
		return check(s.paths[0], slices.Concat(inputs, targets))
	}
	if err := check(s.paths[0], inputs); err != nil {
		return err
	}
	return check(s.targetsFile, targets)
}
