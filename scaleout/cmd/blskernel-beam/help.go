package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

const trainHelp = `Train a broad learning system on files that are spread over any number of machines, as a
pipeline of Apache Beam.

  blskernel-beam --model BASE --out MODEL [flags] PATTERN...
  blskernel-beam prism [--port N]               a job server of Beam's Prism runner
  blskernel-beam worker --listen ADDRESS        a pool of worker processes

The patterns name CSV, npy, npz and idx files, plain or gzip, on this machine, gs:// or
s3://. All their rows are learned with the feature maps of the model BASE, which
'blskernel train' has made of a sample of them, and nothing else of it but the ridge, if
--lambda is not given. The result is a model for 'blskernel predict' and all its other
commands, equal but for rounding to that of one process that learns the same rows.

The pipeline runs in this process, on Prism, unless Beam's flags name another runner.
--workers N runs it on Prism in N worker processes, of this machine unless
--environment_type says otherwise. If a worker is lost Prism ends the job, and it is
submitted again; other runners run again what was lost. As long as the job runs Prism
listens on a free port of all addresses of the machine, and starts what whoever
reaches it asks for: let a firewall keep others out.

  blskernel-beam --model base.bls --out big.bls --target label 'part-*.csv.gz'
  blskernel-beam --model base.bls --out big.bls --targets 'y-*.npy' 'x-*.npy'
  blskernel-beam --model base.bls --out big.bls --workers 4 --target label 'part-*.csv'
  blskernel-beam --model gs://b/base.bls --out gs://b/big.bls --target label \
      --runner=universal --endpoint=flink:8099 --environment_type=DOCKER \
      --environment_config=IMAGE 'gs://b/part-*.csv.gz'

Flags:
`

const beamHelp = `
Flags of Beam, of which --runner, --endpoint, --environment_type and
--environment_config say where the pipeline runs:
`

// printTrainHelp writes the help of the command with its own flags first, and Beam's, which are all
// others of f, last.
func printTrainHelp(w io.Writer, f *flag.FlagSet) {
	var set settings
	mine := flag.NewFlagSet("", flag.ContinueOnError)
	set.register(mine)
	printHelp(w, trainHelp, mine)
	fmt.Fprint(w, beamHelp)
	printFlags(w, f, func(name string) bool { return mine.Lookup(name) == nil && !containerFlags[name] })
}

// containerFlags are those of Beam that only the boot program of its containers gives.
var containerFlags = map[string]bool{
	"worker": true, "id": true, "logging_endpoint": true, "control_endpoint": true, "semi_persist_dir": true, "options": true,
}

// printHelp writes a text and the flags of f.
func printHelp(w io.Writer, text string, f *flag.FlagSet) {
	fmt.Fprint(w, text)
	printFlags(w, f, func(string) bool { return true })
}

// helpWidth is the width of the lines of help, and helpIndent that of the column of what flags are.
const (
	helpWidth  = 88
	helpIndent = 6
)

// printFlags writes the flags of f that are wanted, with two dashes, and their usage in lines that fit
// a terminal.
func printFlags(w io.Writer, f *flag.FlagSet, wanted func(name string) bool) {
	f.VisitAll(func(one *flag.Flag) {
		if !wanted(one.Name) {
			return
		}
		kind, usage := flag.UnquoteUsage(one)
		line := strings.TrimRight("  --"+one.Name+" "+kind, " ")
		if d := one.DefValue; d != "" && d != "0" && d != "false" && d != "-1" && d != "[]" {
			line += " (default " + d + ")"
		}
		fmt.Fprintln(w, line)
		for _, line := range wrap(usage, helpWidth-helpIndent) {
			fmt.Fprintf(w, "%*s%s\n", helpIndent, "", line)
		}
	})
}

// wrap breaks a text into lines of at most so many characters, as far as words allow it.
func wrap(text string, width int) []string {
	var lines []string
	for _, word := range strings.Fields(text) {
		if last := len(lines) - 1; last >= 0 && len(lines[last])+1+len(word) <= width {
			lines[last] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return lines
}
