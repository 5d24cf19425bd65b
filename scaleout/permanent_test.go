package scaleout

import (
	"compress/flate"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"blskernel/dataset/stream"
)

// TestPermanent distinguishes faults of files from temporary ones, which are not set aside.
func TestPermanent(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want bool
	}{
		{nil, true}, {fmt.Errorf("x: %w", gzip.ErrChecksum), true}, {io.ErrUnexpectedEOF, true}, {flate.CorruptInputError(3), true},
		{&csv.ParseError{Line: 1, Err: csv.ErrQuote}, true}, {&fs.PathError{Op: "open", Path: "x", Err: syscall.ENOENT}, true},
		{&fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES}, true},
		{syscall.EMFILE, false}, {syscall.EIO, false}, {os.ErrDeadlineExceeded, false}, {errors.New("503: try again"), false},
	} {
		if got := permanent(&stream.Error{Path: "x", What: "y", Err: tc.err}); got != tc.want {
			t.Errorf("%v: permanent is %v", tc.err, got)
		}
	}
}
