package report_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"blskernel/bench/report"
	"blskernel/bench/result"
)

// A page of the results that are in the repository.
func ExampleNew() {
	f, err := result.ReadFile(filepath.FromSlash("../../docs/results/crossover.jsonl"))
	if err != nil {
		fmt.Println(err)
		return
	}
	page, err := report.New([]*result.File{f})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range page.Sections {
		fmt.Println(s.Title, len(s.Findings) > 0)
	}

	plot := page.Plots()[0]
	var svg bytes.Buffer
	if err := plot.WriteSVG(&svg); err != nil {
		fmt.Println(err)
	}
	fmt.Println(bytes.HasPrefix(svg.Bytes(), []byte("<svg")))

	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	files, err := page.WriteFolder(context.Background(), nil, dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(filepath.Base(files[0].Path), len(files) == 2+len(page.Plots()))
	// Output:
	// Updating against retraining true
	// true
	// index.html true
}
