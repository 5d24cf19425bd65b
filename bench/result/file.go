package result

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"blskernel/bench"
	"blskernel/bench/speed"
)

// A File is what a file of results has, by kind, in the order of its lines.
type File struct {
	Name     string
	Machines []Machine // one for each command that wrote to it
	Tables   []Table
	Flops    []bench.FlopsCase
	Cells    []speed.Result
	Costs    []bench.Cost

	parts []*File
}

// Parts returns the file command by command: for each machine a file with that one alone and the lines
// below it, up to the next machine, and before them, if there are any, the lines above the first
// machine. Tables, which name their machines, are in none.
func (f *File) Parts() []*File { return f.parts }

// part returns the part of the last machine.
func (f *File) part() *File {
	if len(f.parts) == 0 {
		f.parts = []*File{{Name: f.Name}}
	}
	return f.parts[len(f.parts)-1]
}

// A Table is one of the paper's tables with the rows that have been finished.
type Table struct {
	bench.TableHead
	Machine Machine // of the command that began it
	Rows    []bench.TableRow
}

// An Agreement is how well times were predicted on a backend.
type Agreement struct {
	Backend string `json:"backend"`
	Part    string `json:"part,omitempty"` // which updates, by their time
	Updates int    `json:"updates,omitempty"`
	LeftOut int    `json:"left_out,omitempty"` // of them, since the machine changed its speed meanwhile
	bench.Agreement
}

// A LineError says which line of a file is not what it should be.
type LineError struct {
	File string
	Line int
	Err  error
}

// Error names the file and the line, and says what is wrong and what to do.
func (e *LineError) Error() string {
	return fmt.Sprintf("result: %s: line %d: %s: remove the line, or write the file anew", e.File, e.Line, shorten(e.Err.Error()))
}

// Unwrap returns Err.
func (e *LineError) Unwrap() error { return e.Err }

// mostShown bounds what a message shows of an error, in bytes: encoding/json may repeat a whole line.
const mostShown = 300

// shorten cuts a message to what can be read.
func shorten(message string) string {
	if len(message) <= mostShown {
		return message
	}
	return strings.ToValidUTF8(message[:mostShown], "") + "..."
}

// Write writes v, an object, as a line of its kind.
func Write(w io.Writer, kind string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("result: %w", err)
	}
	if body[0] != '{' {
		return fmt.Errorf("result: a %T is no object", v)
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
