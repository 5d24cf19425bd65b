// Command blskernel trains broad learning systems on files of any size, updates them as samples arrive,
// and predicts. It also compares the methods of updating and the speeds of linear algebra backends.
//
//	blskernel help          all commands
//	blskernel help COMMAND  the flags of one command, with examples
//
// Flags take one dash or two; -o is short for --out, -h for --help and -v for --version. Results go to
// standard output, progress and errors to standard error.
//
// Exit status: 0 on success, 1 if the command failed, 2 if the command line is wrong or verify cannot
// decide. After a signal it is 128 plus the signal number: 130 after Ctrl-C, 141 if the reader of
// standard output closed the pipe.
package main

import (
	"context"
	"os"
	"os/signal"

	"blskernel/cmd/blskernel/internal/bench"
	"blskernel/cmd/blskernel/internal/calibrate"
	"blskernel/cmd/blskernel/internal/demo"
	"blskernel/cmd/blskernel/internal/evaluate"
	"blskernel/cmd/blskernel/internal/export"
	"blskernel/cmd/blskernel/internal/flops"
	"blskernel/cmd/blskernel/internal/importance"
	"blskernel/cmd/blskernel/internal/info"
	"blskernel/cmd/blskernel/internal/inspect"
	"blskernel/cmd/blskernel/internal/merge"
	"blskernel/cmd/blskernel/internal/paper"
	"blskernel/cmd/blskernel/internal/plan"
	"blskernel/cmd/blskernel/internal/predict"
	"blskernel/cmd/blskernel/internal/remove"
	"blskernel/cmd/blskernel/internal/report"
	"blskernel/cmd/blskernel/internal/train"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/cmd/blskernel/internal/update"
	"blskernel/cmd/blskernel/internal/verify"
	"blskernel/internal/io/interrupt"
	"blskernel/internal/io/names"

	"github.com/spf13/cobra"
)

func main() {
	// By default a write to a closed pipe would end the process before it clears the progress bar.
	signal.Ignore(ui.BrokenPipe)
	os.Exit(run(interrupt.OnSignal(), os.Args[1:], ui.Streams{Out: os.Stdout, Err: os.Stderr}))
}

func run(ctx context.Context, args []string, s ui.Streams) int {
	return ui.Run(ctx, newRoot(s), args, s)
}

func newRoot(s ui.Streams) *cobra.Command {
	root := &cobra.Command{
		Use:     "blskernel",
		Short:   "Incremental broad learning and its linear algebra",
		Version: names.Version(),
		Long: `blskernel trains broad learning systems on files of any size, updates them as samples arrive, and
predicts. It also compares the methods of updating and the speeds of linear algebra backends.`,
		Example: `  blskernel train --out iris.bls --target species iris.csv
  blskernel predict iris.bls flowers.csv
  blskernel evaluate iris.bls test.csv
  blskernel update iris.bls more.csv
  blskernel demo
  blskernel bench --n 1000,2000
  blskernel plan --k 2000 --q 1000 --l 20000
  blskernel info`,
		Args: ui.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SuggestionsMinimumDistance = 2
	cobra.EnableCommandSorting = false // keep the order below
	const machine = "inspect"
	for _, group := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{"learn", "Learn from data:", []*cobra.Command{
			train.New(s), update.New(s), remove.New(s), merge.New(s), calibrate.New(s), predict.New(s), evaluate.New(s), importance.New(s), export.New(s), inspect.New(s), verify.New(s),
		}},
		{"compare", "Compare methods and backends:", []*cobra.Command{
			demo.New(s, run), paper.New(s), report.New(s), bench.New(s), flops.New(s), plan.New(s),
		}},
		{machine, "Inspect this machine and program:", []*cobra.Command{info.New(s), newVersion(s), newMan(), bench.NewSpin(), newEnvironment()}},
	} {
		root.AddGroup(&cobra.Group{ID: group.id, Title: group.title})
		for _, c := range group.commands {
			if c.Runnable() {
				c.GroupID = group.id
				if c.Flags().Lookup("quiet") == nil { // the flag has no effect: the command prints only its result
					ui.QuietFlag(c, new(bool))
				}
			}
			root.AddCommand(c)
		}
	}
	root.SetHelpCommand(newHelp())
	root.SetHelpCommandGroupID(machine)
	root.SetCompletionCommandGroupID(machine)
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" { // as a runnable command it checks its arguments
			c.RunE = root.RunE
		}
	}
	return root
}
