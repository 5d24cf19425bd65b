package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/flagvalue"
	"blskernel/dataset/stream"
	"blskernel/internal/io/names"
	"blskernel/scaleout"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
)

type settings struct {
	patterns, targets []string
	scaleout.Options
	threads       int
	json, verbose bool

	runner string // Beam's name for the runner, without the suffix "runner"
}

func (set *settings) register(f *flag.FlagSet) {
	set.Method, set.Lambda, set.Software = blsupdate.Gram, -1, "blskernel-beam "+names.Version()
	f.StringVar(&set.Model, "model", "", "model `file` with the feature maps: 'blskernel train' makes it from a sample of the data")
	f.StringVar(&set.Out, "out", "", "model `file` to write; an existing file is replaced only by a complete model")
	f.Func("method", "`gram` (default), or qr for nearly dependent nodes; qr takes two to three times as long", func(s string) (err error) {
		set.Method, err = blsupdate.ParseMethod(s)
		if err != nil || set.Method != blsupdate.Gram && set.Method != blsupdate.QR {
			return errors.New("want gram or qr")
		}
		return nil
	})
	parsed(f, &set.Lambda, "lambda", flagvalue.ParseRidge, "ridge, a `number` such as 1e-6 or 2^-30 (default the ridge of --model)")
	list(f, &set.targets, "targets", "`patterns` of files with labels or targets, one file for each file of samples, in the same order")
	list(f, &set.Targets, "target", "`columns` of the labels or targets, by name or number, or the name of an npz array (default the names in the model)")
	list(f, &set.Inputs, "inputs", "input `columns`: names, numbers from 1, ranges such as 3-7 (default the names in the model, else all but the targets)")
	list(f, &set.Exclude, "exclude", "`columns` that are not inputs: names, numbers from 1, ranges such as 3-7")
	parsed(f, &set.Format, "format", stream.ParseFormat, "`csv`, npy, npz, idx, or auto (default), which detects the format of each file")
	parsed(f, &set.Header, "header", stream.ParseHeader, "whether CSV files begin with column names: `present`, absent, or auto (default)")
	parsed(f, &set.Comma, "comma", flagvalue.ParseComma, "`character` between the cells of CSV files, or tab (default detected from the first line)")
	f.StringVar(&set.InputArray, "array", "", "`name` of the npz array with the inputs (default X or x, else the only array of two or more dimensions)")
	number(f, &set.Batch, "batch", "`rows` in a batch (default 4096, or fewer if the inputs of 4096 rows exceed 32 MiB)")
	number(f, &set.SkipBad, "skip-bad", "set aside up to this `number` of bad rows (default 0: the first bad row ends the job)")
	f.BoolVar(&set.KnownLabels, "known-labels", false, "treat a row as bad if the model lacks its label; by default the label becomes a new class")
	f.StringVar(&set.BadOut, "bad-out", "", "new `file` for a list of the rows that --skip-bad sets aside")
	number(f, &set.threads, "threads", "maximum number of `threads` in a worker process (default the number of its CPUs)")
	f.BoolVar(&set.json, "json", false, "print one JSON object instead of text")
	f.BoolVar(&set.verbose, "verbose", false, "print Beam's log on standard error")
}

func parsed[T any](f *flag.FlagSet, v *T, name string, parse func(string) (T, error), usage string) {
	f.Func(name, usage, func(s string) (err error) {
		*v, err = parse(s)
		return err
	})
}

// list adds a flag that takes several values, separated by commas or given by repeating the flag.
func list(f *flag.FlagSet, v *[]string, name, usage string) {
	f.Func(name, usage, func(s string) error {
		values := strings.Split(s, ",")
		if slices.Contains(values, "") {
			return errors.New("has an empty value")
		}
		*v = append(*v, values...)
		return nil
	})
}

// number adds a flag for an integer from 0 to 2³¹-1.
func number[T int | int64](f *flag.FlagSet, v *T, name, usage string) {
	f.Func(name, usage, func(s string) error {
		n, err := strconv.ParseInt(s, 10, 32)
		if *v = T(n); err != nil || n < 0 {
			return fmt.Errorf("want an integer from 0 to %d", math.MaxInt32)
		}
		return nil
	})
}

func (set *settings) check() error {
	known := []string{"prism", "universal", "portable", "flink", "spark", "dataflow", "direct"}
	environments := []string{"loopback", "external", "process", "docker"}
	// Beam accepts both "flink" and "FlinkRunner".
	set.runner = strings.TrimSuffix(strings.ToLower(cmp.Or(*runners.Runner, "prism")), "runner")
	switch {
	case len(set.patterns) == 0:
		return errors.New("no data: name files, or patterns such as 'part-*.csv'")
	case set.Model == "":
		return errors.New("--model is missing: name the base model, which 'blskernel train' makes from a sample of the data")
	case set.Out == "":
		return errors.New("--out is missing: name the model file to write")
	case set.Model == "-" || set.Out == "-" || set.BadOut == "-":
		return errors.New("--model, --out or --bad-out is -, but workers cannot use the standard input and output of this process: name files")
	case set.BadOut != "" && set.SkipBad == 0:
		return errors.New("--bad-out lists the rows that --skip-bad sets aside: give both flags")
	case !slices.Contains(known, set.runner):
		return fmt.Errorf("--runner is %q; want one of %s", *runners.Runner, strings.Join(known, ", "))
	case !slices.Contains(environments, set.environment()):
		return fmt.Errorf("--environment_type is %q; want one of %s", *jobopts.EnvironmentType, strings.Join(environments, ", "))
	case *jobopts.EnvironmentConfig == "" && slices.Contains([]string{"external", "process"}, set.environment()):
		return fmt.Errorf("--environment_config is missing: --environment_type=%s needs it", *jobopts.EnvironmentType)
	case *jobopts.EnvironmentConfig != "" && *jobopts.EnvironmentType == "" && set.runner == "prism" && *jobopts.Endpoint == "":
		return errors.New("--environment_config needs --environment_type")
	case *jobopts.WorkerBinary == "" && set.environment() != "loopback":
		// Otherwise Beam would try to compile the program.
		return errors.New("--worker_binary is missing: name this program, built for the operating system of the workers")
	case *jobopts.Async && (set.environment() == "loopback" || set.runner == "prism" && *jobopts.Endpoint == ""):
		return errors.New("--async needs a runner and workers that outlive this process: give --endpoint and --environment_type")
	}
	return nil
}
