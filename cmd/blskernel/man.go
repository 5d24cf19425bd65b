package main

import (
	"errors"
	"os"
	"time"

	"blskernel/cmd/blskernel/internal/ui"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newMan returns the command that writes the manual pages of a release.
func newMan() *cobra.Command {
	var date string
	cmd := &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages",
		Long: `Write a manual page for each command, blskernel.1, blskernel-train.1 and so on, to a folder, for man
or for a package. The pages depend on the program and the date only.`,
		Example: "  blskernel man --date 2026-11-21 man1\n  man -l man1/blskernel-train.1",
		Args:    cobra.ExactArgs(1),
		Hidden:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			day, err := time.Parse(time.DateOnly, date)
			if err != nil {
				return ui.Usagef("--date is %q; want a day such as 2026-11-21", date)
			}
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return err
			}
			header := doc.GenManHeader{Section: "1", Date: &day, Source: "blskernel " + ui.Version(), Manual: "User Commands"}
			cmd.Root().DisableAutoGenTag = true
			err = doc.GenManTree(cmd.Root(), &header, args[0])
			for _, c := range cmd.Root().Commands() {
				if c.IsAdditionalHelpTopicCommand() { // which the tree leaves out
					err = errors.Join(err, doc.GenManTree(c, &header, args[0]))
				}
			}
			return err
		},
	}
	cmd.Flags().StringVar(&date, "date", "", "the date of the pages, as 2026-11-21")
	return cmd
}
