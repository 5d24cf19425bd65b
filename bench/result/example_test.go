package result_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"blskernel/bench"
	"blskernel/bench/result"
)

// Results are written line by line as they come, below a line about the machine, and read back as a
// whole.
func ExampleRead() {
	var b bytes.Buffer
	if err := result.Write(&b, "machine", result.Here("blskernel flops --k 10")); err != nil {
		fmt.Println(err)
	}
	if err := result.Write(&b, "cost", bench.Cost{Method: "qr", K: 10, Q: 3}); err != nil {
		fmt.Println(err)
	}
	b.WriteString(`{"kind":"cost","method":"gr`) // an interruption

	f, err := result.Read("costs.jsonl", &b)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Machines[0].Command)
	fmt.Println(len(f.Costs), f.Costs[0].Value.Method, f.Costs[0].Value.K, f.Costs[0].Value.Q)

	_, err = result.Read("other.jsonl", strings.NewReader("no JSON\n"))
	var line *result.LineError
	fmt.Println(errors.As(err, &line) && line.Line == 1)
	// Output:
	// blskernel flops --k 10
	// 1 qr 10 3
	// true
}
