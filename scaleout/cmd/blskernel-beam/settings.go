package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"

	"blskernel/blsupdate"
	"blskernel/dataset/stream"
	"blskernel/internal/flagvalue"
	"blskernel/scaleout"
	"blskernel/scaleout/internal/beamfile"
)

// settings are the flags of a fit.
type settings struct {
	patterns []string // which are no flags
	files    int      // that they name, 0 where this process cannot tell

	model, out, method           string
	targets, target, inputs      list
	format, header, comma, array string
	lambda                       ridge
	batch, fanIn                 int
	skipBad                      int64
	badOut                       string
	threads, workers, attempts   int
	json, verbose                bool
}

// list is the value of a flag that takes several, separated by commas or by giving the flag again.
type list []string

// String returns the values with commas between them.
func (l *list) String() string { return strings.Join(*l, ",") }

// Set adds values.
func (l *list) Set(s string) error {
	for _, v := range strings.Split(s, ",") {
		if v == "" {
			return errors.New("has an empty value")
		}
		*l = append(*l, v)
	}
	return nil
}

// The values of --method.
var methods = map[string]blsupdate.Method{"gram": blsupdate.Gram, "qr": blsupdate.QR}

// register adds the flags to f.
func (set *settings) register(f *flag.FlagSet) {
	set.lambda = modelRidge
	f.StringVar(&set.model, "model", "", "model `file` that has the feature maps, as 'blskernel train' makes it of a sample")
	f.StringVar(&set.out, "out", "", "model `file` to write; one that is there is replaced when the new one is complete")
	f.StringVar(&set.method, "method", "gram", "gram, or qr: slower by several times, for nodes that are nearly dependent")
	f.Var(&set.lambda, "lambda", "ridge, a `number` as 1e-6 or 2^-30; by default that of --model")
	f.Var(&set.targets, "targets", "`patterns` of files that have the labels or targets of npy and idx files, as many, in the order of their names")
	f.Var(&set.target, "target", "`column` of the labels, or columns of the targets, by name or number; of an npz file the name of the array; by default those of the names that the model has")
	f.Var(&set.inputs, "inputs", "input `columns`: names, numbers from 1, ranges as 3-7; by default those of the names that the model has, else all that are no targets")
	f.StringVar(&set.format, "format", "auto", "csv, npy, npz, idx, or auto: by the content of each file")
	f.StringVar(&set.header, "header", "auto", "whether the first line of a CSV file has the names of the columns: present, absent, or auto")
	f.StringVar(&set.comma, "comma", "", "`character` between the cells of a CSV file, or tab; by default as in the first line")
	f.StringVar(&set.array, "array", "", "`name` of the array of an npz file that has the inputs; by default X or x, else its only matrix")
	f.IntVar(&set.batch, "batch", 0, "`rows` of a batch; 0 for 4096, or for fewer where the inputs of those take more than 32 MB")
	f.IntVar(&set.fanIn, "fan-in", 0, "`number` of states that are merged into one on each level; 0 for 8")
	f.Int64Var(&set.skipBad, "skip-bad", 0, "set aside up to this `number` of bad rows and files in place of ending with the first")
	f.StringVar(&set.badOut, "bad-out", "", "`file` to write with a line for each that was set aside")
	f.IntVar(&set.threads, "threads", 0, "most `threads` of a worker; 0 for all processors, which worker processes on this machine share")
	f.IntVar(&set.workers, "workers", 1, "`number` of worker processes, on runners such as Prism that have one for each environment")
	f.IntVar(&set.attempts, "attempts", 0, "`times` that the job is submitted if a worker is lost; 0 for 3 with Prism, and 1 with others, which run again what was lost")
	f.BoolVar(&set.json, "json", false, "print one JSON object in place of text")
	f.BoolVar(&set.verbose, "verbose", false, "tell on standard error what Beam does")
}

// check says which flag is wrong, as far as that can be seen without looking at files.
func (set *settings) check() error {
	if len(set.patterns) == 0 {
		return errors.New("no data: name files, or patterns such as 'part-*.csv'")
	}
	if set.model == "" {
		return errors.New("--model is missing: name the model that has the feature maps, which 'blskernel train' makes of a sample of the data")
	}
	if set.out == "" {
		return errors.New("--out is missing: name the file for the model")
	}
	for name, path := range map[string]string{"model": set.model, "out": set.out, "bad-out": set.badOut} {
		if path == "-" {
			return fmt.Errorf("--%s is -, and has to be a file: workers have no standard input and output of yours", name)
		}
		if path != "" && (path[len(path)-1] == '/' || beamfile.Local(path) && os.IsPathSeparator(path[len(path)-1])) {
			return fmt.Errorf("--%s is %q, which names a folder: name a file", name, path)
		}
	}
	if _, ok := methods[set.method]; !ok {
		return fmt.Errorf("--method is %q; want gram or qr", set.method)
	}
	for _, n := range []struct {
		name         string
		value, least int
	}{
		{"batch", set.batch, 0}, {"fan-in", set.fanIn, 0}, {"threads", set.threads, 0}, {"workers", set.workers, 1}, {"attempts", set.attempts, 0},
	} {
		if n.value < n.least || n.value > math.MaxInt32 {
			return fmt.Errorf("--%s is %d; want %d to %d", n.name, n.value, n.least, math.MaxInt32)
		}
	}
	if set.fanIn == 1 {
		return errors.New("--fan-in is 1; want 2 or more, or 0 for 8")
	}
	if set.skipBad < 0 {
		return fmt.Errorf("--skip-bad is %d; want 0 or more", set.skipBad)
	}
	if set.badOut != "" && set.skipBad == 0 {
		return errors.New("--bad-out takes what --skip-bad sets aside: give both")
	}
	if set.badOut != "" && (set.badOut == set.out || set.badOut == set.model) {
		return fmt.Errorf("--bad-out is %q, which is a model: give another name", set.badOut)
	}
	_, err := set.read()
	return err
}

// method of the fit, and its options.
func (set *settings) fit() (blsupdate.Method, scaleout.Options) {
	return methods[set.method], scaleout.Options{
		Model: set.model, Lambda: float64(set.lambda), FanIn: set.fanIn, Batch: set.batch,
		SkipBad: set.skipBad, Software: "blskernel-beam " + version(),
	}
}

// read returns how shards are read.
func (set *settings) read() (scaleout.ReadOptions, error) {
	opt := scaleout.ReadOptions{
		Model: set.model, Batch: set.batch, SkipBad: set.skipBad,
		InputArray: set.array, Inputs: set.inputs, Targets: set.target,
	}
	var err error
	if opt.Format, err = stream.ParseFormat(set.format); err != nil {
		return opt, fmt.Errorf("--format is %q; want auto, csv, npy, npz or idx", set.format)
	}
	if opt.Header, err = stream.ParseHeader(set.header); err != nil {
		return opt, fmt.Errorf("--header is %q; want present, absent or auto", set.header)
	}
	if opt.Comma, err = flagvalue.ParseComma(set.comma); err != nil {
		return opt, fmt.Errorf("--comma is %q; %w", set.comma, err)
	}
	return opt, nil
}
