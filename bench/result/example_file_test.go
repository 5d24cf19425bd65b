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
	path := filepath.Join(dir, "growth.jsonl")
	line := `{"kind":"growth","data":{"method":"qr","condition":1e6,"error":1e-11}}` + "\n"
	if err := os.WriteFile(path, []byte(line), 0o666); err != nil {
		fmt.Println(err)
		return
	}
	f, err := result.ReadFile(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(f.Growth))
	// Output: 1
}
