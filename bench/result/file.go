package result

import (
	"encoding/json"
	"fmt"
	"io"

	"blskernel/bench"
	"blskernel/bench/speed"
)

// A File holds the contents of a file of results, by kind, in the order of its lines.
type File struct {
	Name     string
	Machines []Machine // one for each command that wrote to it
	Tables   []Table
	Flops    []On[bench.FlopsCase]
	Cells    []On[speed.Result]
	Costs    []On[bench.Cost]
}

// An On is a measurement with its machine, or with the zero Machine if no machine precedes it.
type On[T any] struct {
	Machine *Machine
	Value   T
}

// A Table is one of the paper's tables with its finished rows.
type Table struct {
	bench.TableHead
	Machine Machine // of the command that began it
	Rows    []bench.TableRow
}

// A LineError reports a malformed line of a file.
type LineError struct {
	File string
	Line int
	Err  error
}

// Error names the file and the line, and says what is wrong and what to do. It truncates the
// description to 120 characters, since encoding/json may repeat a whole line.
func (e *LineError) Error() string {
	return fmt.Sprintf("result: %s: line %d: %.120s: remove the line or regenerate the file", e.File, e.Line, e.Err)
}

func (e *LineError) Unwrap() error { return e.Err }

// Write writes v, which must encode as a JSON object, as a line of the given kind.
func Write(w io.Writer, kind string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("result: %w", err)
	}
	if body[0] != '{' {
		return fmt.Errorf("result: a %T does not encode as a JSON object", v)
	}
	separator := ","
	if len(body) == len("{}") {
		separator = ""
	}
	if _, err := fmt.Fprintf(w, "{\"kind\":%q%s%s\n", kind, separator, body[1:]); err != nil {
		return fmt.Errorf("result: %w", err)
	}
	return nil
}
