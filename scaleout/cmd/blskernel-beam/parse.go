package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
)

// parse reads flags, which may stand before, between and behind other arguments, and returns those.
// After -- there are no flags. help writes the help text.
func parse(f *flag.FlagSet, args []string, help func()) (others []string, err error) {
	var last []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, last = args[:i], args[i+1:]
	}
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	for {
		if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
			help()
			return nil, err
		} else if err != nil {
			return nil, usageError{err}
		}
		if f.NArg() == 0 {
			return append(others, last...), nil
		}
		others, args = append(others, f.Arg(0)), f.Args()[1:]
	}
}

// parseAlone is parse where no other arguments can be.
func parseAlone(f *flag.FlagSet, args []string, help func()) error {
	others, err := parse(f, args, help)
	if err == nil && len(others) > 0 {
		return usageError{fmt.Errorf("%q: there is nothing to give but flags", others[0])}
	}
	return err
}
