package result_test

import (
	"fmt"
	"os"
	"path/filepath"

	"blskernel/bench/result"
)

func ExampleReadFile() {
	dir, err := os.MkdirTemp("", "results")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "costs.jsonl")
	line := `{"kind":"cost","method":"qr","k":1000}` + "\n"
	if err := os.WriteFile(path, []byte(line), 0o666); err != nil {
		fmt.Println(err)
		return
	}
	f, err := result.ReadFile(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(f.Costs))
	// Output: 1
}
