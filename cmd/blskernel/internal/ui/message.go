package ui

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// packageName matches the name of a package of this module at the beginning of an error.
var packageName = regexp.MustCompile(
	`^(backend|bench|bls|blskernel|blsupdate|dataset|gemm|golden|kernel|lapack|mat|modelfile|npy|openblas|report|result|speed|stream): `)

// numberError matches the text that packages strconv and time put in front of the reason.
var numberError = regexp.MustCompile(`strconv\.Parse[A-Za-z0-9]+: parsing "(\\.|[^"\\])*": |time: `)

// Message returns the text of err without the package names that err and the errors in it begin with.
// In the error of a flag's value it also removes what strconv and time put in front of the reason.
func Message(err error) string {
	text := err.Error()
	var plain func(err error)
	plain = func(err error) {
		full := err.Error()
		if name := packageName.FindString(full); name != "" {
			// Match only at the start of a word: a file may be called x.bls.
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

// similarFlags suggests the flags with names similar to the unknown flag in err, or returns "".
func similarFlags(cmd *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return ""
	}
	name := unknown.GetSpecifiedName()
	flags := &cobra.Command{SuggestionsMinimumDistance: max(1, min(2, len(name)-1))} // most short names resemble each other
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		flags.AddCommand(&cobra.Command{Use: "--" + f.Name, Hidden: f.Hidden, Run: func(*cobra.Command, []string) {}})
	})
	if like := flags.SuggestionsFor("--" + name); len(like) > 0 {
		return fmt.Sprintf("; did you mean %s?", Join(like, "or"))
	}
	return ""
}

// UnknownCommand returns an error that suggests commands with similar names.
func UnknownCommand(root *cobra.Command, name string) error {
	if like := root.SuggestionsFor(name); len(like) > 0 {
		return fmt.Errorf("unknown command %q; did you mean %s?", name, Join(like, "or"))
	}
	return fmt.Errorf("unknown command %q", name)
}
