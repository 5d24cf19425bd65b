package report_test

import (
	"fmt"
	"os"
	"path/filepath"

	"blskernel/bench/report"
	"blskernel/bench/result"
)

// A page of the results that are in the repository.
func ExampleNew() {
	f, err := result.ReadFile(filepath.FromSlash("../../docs/results/table5.jsonl"))
	if err != nil {
		fmt.Println(err)
		return
	}
	page, err := report.New([]*result.File{f})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(page.Numbers[0].Value, page.Sections[0].Title)

	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	fmt.Println(page.WriteFolder(nil, dir)) // README.md and plots/speed-ups.svg
	// Output:
	// 1.06× Speed-up of Improved over Original
	// <nil>
}
