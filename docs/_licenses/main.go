// Command _licenses lists the modules that this repository depends on, in any of its own modules and on
// any platform that it is released for, with the licenses that their files contain.
//
//	go run .          compares docs/licenses.md with what it would write, and fails where they differ
//	go run . -write   writes docs/licenses.md
//	go run . -texts   prints the license files of the modules that are compiled into the command, for its releases
//
// It fails where a module has no license file, where one is not recognized, and where a license is not
// among those that are compatible with the project's own. What a file contains is said by
// github.com/google/licensecheck, which knows the licenses of SPDX; for files in other words there is a
// table of what a person has read in them, by their hash, so that a changed file has to be read again.
// It is a module of its own so that nothing that uses the library depends on that package.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("licenses: ")
	root := flag.String("root", filepath.Join("..", ".."), "top `folder` of the repository")
	write := flag.Bool("write", false, "write docs/licenses.md")
	texts := flag.Bool("texts", false, "print the license files of what is in the command")
	flag.Parse()
	if err := run(*root, *write, *texts, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// run does what the flags say.
func run(root string, write, texts bool, out io.Writer) error {
	modules, err := dependencies(root)
	if err != nil {
		return err
	}
	if err := identify(modules); err != nil {
		return err
	}
	if texts {
		return printTexts(out, modules)
	}
	path := filepath.Join(root, "docs", "licenses.md")
	want := page(modules)
	if write {
		return os.WriteFile(path, want, 0o666)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return errors.New("docs/licenses.md is not what the go.mod files say: look at the new dependencies, and then go run . -write in docs/_licenses")
	}
	fmt.Fprintf(out, "licenses: %d modules, all compatible, as docs/licenses.md says\n", len(modules))
	return nil
}
