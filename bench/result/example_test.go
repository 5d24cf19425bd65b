package result_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"blskernel/bench"
	"blskernel/bench/result"
)

// Results are written line by line as they come, below a line about the machine, and read back as a whole.
func ExampleRead() {
	var b bytes.Buffer
	if err := result.Write(&b, "machine", result.Here("blskernel growth --n 10")); err != nil {
		fmt.Println(err)
	}
	if err := result.Write(&b, "growth", bench.GrowthPoint{Method: "qr", Condition: 1e6, Error: 1e-11}); err != nil {
		fmt.Println(err)
	}
	b.WriteString(`{"kind":"growth","method":"gr`) // an interruption

	f, err := result.Read("growth.jsonl", &b)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Machines[0].Command)
	fmt.Println(len(f.Growth), f.Growth[0].Method, f.Growth[0].Condition, f.Growth[0].Error)

	_, err = result.Read("other.jsonl", strings.NewReader("no JSON\n"))
	var line *result.LineError
	fmt.Println(errors.As(err, &line) && line.Line == 1)
	// Output:
	// blskernel growth --n 10
	// 1 qr 1e+06 1e-11
	// true
}
