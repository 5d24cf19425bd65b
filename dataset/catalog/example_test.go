package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"blskernel/dataset/catalog"
)

// What there is, and what is missing in a folder.
func ExampleSet() {
	for _, set := range catalog.Sets() {
		fmt.Println(set.Name, len(set.Files), "files")
	}
	set, err := catalog.Lookup(catalog.Names()[0])
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	states, err := set.Verify(context.Background(), dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range states {
		fmt.Println(s.File.Name, "is missing:", s.Missing())
	}
	// Output:
	// mnist 4 files
	// norb 6 files
	// train-images-idx3-ubyte is missing: true
	// train-labels-idx1-ubyte is missing: true
	// t10k-images-idx3-ubyte is missing: true
	// t10k-labels-idx1-ubyte is missing: true
}

// A file is what the catalog says, or the error says what is wrong.
func ExampleFile() {
	set, err := catalog.Lookup("mnist")
	if err != nil {
		fmt.Println(err)
		return
	}
	err = set.Files[1].Check(context.Background(), strings.NewReader("no labels"))
	var content *catalog.ContentError
	fmt.Println(errors.As(err, &content), errors.Is(err, catalog.ErrContent))
	// Output: true true
}
