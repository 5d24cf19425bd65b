// Cover says how much of each package the tests execute, and fails where it is too little.
//
//	go run ./internal/cover [-least 90] [-uncovered PACKAGE] PROFILE...
//
// The profiles are those of go test -coverprofile, of several builds: with cgo and without, so that
// what only one of them compiles counts. A block is covered if any test of any package in any of the
// profiles has executed it. Statements are counted, as go test does; what is in assembly has none.
//
// A package may have less than the rest if exceptions.txt, which is compiled in, says so: a line has
// the package, the percentage it must reach instead, and the reason. An exception for a package that
// does not need it, or that there is not, fails as well.
package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
)

//go:embed exceptions.txt
var exceptions string

func main() {
	if err := run(os.Args[1:], exceptions, os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "cover: %v\n", err)
		os.Exit(1)
	}
}

// run is the command.
func run(args []string, exceptions string, stdout, stderr io.Writer) error {
	f := flag.NewFlagSet("cover", flag.ContinueOnError)
	f.SetOutput(stderr)
	least := f.Float64("least", 90, "`percentage` of statements that each package must reach")
	uncovered := f.String("uncovered", "", "print the blocks of a `package` that were not executed, or of all")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() == 0 {
		return errors.New("want the name of a profile")
	}
	p := profile{}
	for _, name := range f.Args() {
		if err := p.readFile(name); err != nil {
			return err
		}
	}
	except, err := parseExceptions(exceptions)
	if err != nil {
		return err
	}
	packages := p.packages()
	for _, pkg := range packages {
		fmt.Fprintf(stdout, "%6.1f%%  %s (%d of %d statements)\n", pkg.percent(), pkg.path, pkg.covered, pkg.statements)
		if *uncovered == pkg.path || *uncovered == "all" {
			for _, b := range pkg.uncovered {
				fmt.Fprintf(stdout, "         %s\n", b)
			}
		}
	}
	return judge(packages, except, *least)
}

// judge returns an error that names every package that is not as it should be.
func judge(packages []*covered, except map[string]exception, least float64) error {
	var errs []error
	for _, pkg := range packages {
		e, excepted := except[pkg.path]
		switch percent := pkg.percent(); {
		case excepted && percent >= least:
			errs = append(errs, fmt.Errorf("%s reaches %.1f%% and needs no exception any more", pkg.path, percent))
		case excepted && percent < e.least:
			errs = append(errs, fmt.Errorf("%s reaches %.1f%%; its exception wants %g%%: %s", pkg.path, percent, e.least, e.reason))
		case !excepted && percent < least:
			errs = append(errs, fmt.Errorf("%s reaches %.1f%%; want %g%%", pkg.path, percent, least))
		}
	}
	for path := range except {
		if !slices.ContainsFunc(packages, func(pkg *covered) bool { return pkg.path == path }) {
			errs = append(errs, fmt.Errorf("there is an exception for %s, which has no statements", path))
		}
	}
	return errors.Join(errs...)
}
