package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/io/names"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func newMan() *cobra.Command {
	var date string
	cmd := &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages",
		Long: `Write a manual page for each command to the folder DIR, to install or to package: blskernel.1,
blskernel-train.1 and so on. The pages depend only on the version of the program and on the date.`,
		Example: "  blskernel man --date 2026-11-21 man1\n  man -l man1/blskernel-train.1",
		Args:    cobra.ExactArgs(1),
		Hidden:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			day, err := time.Parse(time.DateOnly, date)
			if err != nil {
				return ui.Usagef("--date is %q; want a date such as 2026-11-21", date)
			}
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return err
			}
			header := doc.GenManHeader{Section: "1", Date: &day, Source: "blskernel " + names.Version(), Manual: "User Commands"}
			cmd.Root().DisableAutoGenTag = true
			err = doc.GenManTree(cmd.Root(), &header, args[0])
			for _, c := range cmd.Root().Commands() {
				if c.IsAdditionalHelpTopicCommand() { // GenManTree leaves these out
					err = errors.Join(err, doc.GenManTree(c, &header, args[0]))
				}
			}
			return err
		},
	}
	cmd.Flags().StringVar(&date, "date", "", "date of the pages, such as 2026-11-21; required")
	return cmd
}

// newHelp returns a help command like cobra's, except that an unknown command is an error.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return ui.Usagef("%w", ui.UnknownCommand(cmd.Root(), strings.Join(args, " ")))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

func newVersion(s ui.Streams) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this program",
		Example: "  blskernel version",
		Args:    ui.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(s.Out, "blskernel version %s\n", names.Version())
			return err
		},
	}
}

func newEnvironment() *cobra.Command {
	return &cobra.Command{
		Use:   "environment",
		Short: "Environment variables and the exit status",
		Long: `Environment variables:

    BLSKERNEL_BACKEND   default of --backend: pure or openblas; an unavailable one is an error
    BLSKERNEL_KERNEL    kernel of the pure backend: avx512, avx2, neon or generic; by default the best
    BLSKERNEL_OPENBLAS  library file of the openblas backend; the word none turns that backend off
    BLSKERNEL_CACHE     folder for the measured rates; by default the user's cache folder
    SOURCE_DATE_EPOCH   time in model files, in seconds since 1970; by default the current time

Exit status:

    0    success
    1    the command failed
    2    the command line is wrong, or verify cannot decide
    130  interrupted by Ctrl-C; in general 128 plus the signal number
    141  the reader of standard output closed the pipe`,
	}
}
