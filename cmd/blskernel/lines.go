package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commandLine returns the command with the flags that were given, by which results can be had again: all but those that
// say where they go.
func commandLine(cmd *cobra.Command) string {
	return commandWith(cmd, func(f *pflag.Flag, _ string) bool { return f.Changed })
}

// fullCommandLine is commandLine with the flags that have a value by default, too, so that a version
// with other defaults has the same results. It is for commands to which it makes no difference that a
// flag is given at its default. Defaults that say nothing, 0, false or an empty text, are left out.
func fullCommandLine(cmd *cobra.Command) string {
	return commandWith(cmd, func(f *pflag.Flag, value string) bool {
		return f.Changed || !slices.Contains([]string{"", "0", "false"}, value)
	})
}

// commandWith returns the command with the flags for which says is true, in the order of the help text.
func commandWith(cmd *cobra.Command, says func(f *pflag.Flag, value string) bool) string {
	words := []string{cmd.CommandPath()}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		value := f.Value.String()
		if list, ok := f.Value.(pflag.SliceValue); ok {
			value = strings.Join(list.GetSlice(), ",")
		}
		switch {
		case !says(f, value) || slices.Contains([]string{"out", "resume", "json"}, f.Name):
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
