package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// newRoot returns the command line. It sets working once a command has been understood and starts: what
// goes wrong before is the fault of the command line.
func newRoot(s streams, working *bool) *cobra.Command {
	root := &cobra.Command{
		Use:     "blskernel",
		Short:   "Incremental broad learning and the linear algebra below it",
		Version: version(),
		Long: `blskernel trains broad learning systems on files of any size, lets them learn while
samples keep arriving, and predicts; it compares the methods of doing so and the speeds
of linear algebra backends, and says what it runs on.`,
		Example: `  blskernel train --out iris.bls --target species iris.csv
  blskernel predict iris.bls flowers.csv
  blskernel update iris.bls more.csv
  blskernel demo
  blskernel paper --table 2 --embedded --scale 0.1
  blskernel bench --n 1000,2000
  blskernel flops --method gram --k 2000 --q 1000
  blskernel plan --k 2000 --q 1000 --l 20000
  blskernel info`,
		Args:             noArgs,
		RunE:             func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRun: func(*cobra.Command, []string) { *working = true },
		SilenceErrors:    true,
		SilenceUsage:     true,
	}
	root.SuggestionsMinimumDistance = 2
	root.AddCommand(newTrain(s), newUpdate(s), newPredict(s), newEvaluate(s), newExport(s), newInspect(s),
		newDemo(s), newBench(s), newFlops(s), newPlan(s), newCrossover(s), newPaper(s), newReport(s), newInfo(s), newMan(s))
	completeShared(root)
	root.SetHelpCommand(newHelp())
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if !c.Runnable() { // cobra's completion, which by itself takes any argument for a call for help
			c.RunE = root.RunE
		}
	}
	return root
}

// newHelp is cobra's help command, except that help about nothing is an error.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usageError{unknownCommand(cmd.Root(), strings.Join(args, " "))}
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// noArgs refuses arguments that are no flags.
func noArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.HasParent():
		return fmt.Errorf("unexpected argument %q", args[0])
	default:
		return unknownCommand(cmd, args[0])
	}
}

func unknownCommand(root *cobra.Command, name string) error {
	if like := root.SuggestionsFor(name); len(like) > 0 {
		return fmt.Errorf("unknown command %q; did you mean %s?", name, strings.Join(like, " or "))
	}
	return fmt.Errorf("unknown command %q", name)
}
