package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// complete lets the shell offer the values of a flag.
func complete(cmd *cobra.Command, flag string, values ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag is not there, or has been registered: the fault of the caller
	}
}

// completeFile lets the shell offer the files with some extensions for a flag.
func completeFile(cmd *cobra.Command, flag string, extensions ...string) {
	if err := cmd.MarkFlagFilename(flag, extensions...); err != nil {
		panic(err)
	}
}

// filesOf offers files with the given extensions, and folders.
func filesOf(extensions ...string) ([]string, cobra.ShellCompDirective) {
	return extensions, cobra.ShellCompDirectiveFilterFileExt
}

// completeData offers files of samples for the arguments of a command.
func completeData(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return filesOf(dataExtensions...)
}

// completeModel offers a model for the first argument of a command.
func completeModel(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return filesOf(modelExtension)
}

// completeModelAndData offers a model for the first argument of a command and files of samples for the
// others.
func completeModelAndData(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return filesOf(modelExtension)
	}
	return filesOf(dataExtensions...)
}

// completeShared offers the values of flags that several commands have.
func completeShared(root *cobra.Command) {
	for flag, values := range map[string]string{
		"backend":  "pure, openblas",
		"backends": "pure, openblas",
		"form":     "auto, paper, small, large, compressed",
		"methods":  methodNames(),
	} {
		for _, c := range root.Commands() {
			if c.Flags().Lookup(flag) != nil {
				complete(c, flag, strings.Split(values, ", ")...)
			}
		}
	}
}
