package dataset

import "fmt"

// A FormatError reports data that does not fit its format or its companion file.
type FormatError struct {
	File   string // path of the file; empty for a reader
	Offset int64  // of the fault, in bytes of the unpacked data; -1 if the fault has no place
	Msg    string // the fault, usually with the expected value
	Err    error  // the cause, or nil
}

func (e *FormatError) Error() string {
	text := "dataset: "
	if e.File != "" {
		text += e.File + ": "
	}
	if e.Offset >= 0 {
		text += fmt.Sprintf("byte %d: ", e.Offset)
	}
	text += e.Msg
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *FormatError) Unwrap() error { return e.Err }
