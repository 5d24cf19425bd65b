package experiment

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/bench"
	"blskernel/bench/result"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/testutil"
)

// TestPaperFileFirst cannot print its lines: the first one is in the file.
func TestPaperFileFirst(t *testing.T) {
	full := errors.New("no space left on device")
	path := filepath.Join(t.TempDir(), "out.jsonl")
	r := &ui.Reporter{JSON: true}
	testutil.NoError(t, r.Begin(ui.Streams{Out: broken{full}}))
	out, err := openLines(path, r, result.Machine{})
	testutil.NoError(t, err)
	out.begun = true
	if err := out.line("row", bench.TableRow{Table: 2}); !errors.Is(err, full) {
		t.Errorf("%v; want %v", err, full)
	}
	testutil.NoError(t, out.close())
	if text, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(text), `{"kind":"row","table":2,`) {
		t.Errorf("the file has %q, %v", text, err)
	}
}

// TestExplain names flags that the command has.
func TestExplain(t *testing.T) {
	var usage ui.UsageError
	err := explain(&bench.SamplesError{Name: "MNIST", Have: 60000, Initial: 20000, Batch: 20000, Updates: 5}, "--size", "")
	if want := "MNIST has 60000 samples and 20000 + 5 x 20000 are wanted: lower --size"; !errors.As(err, &usage) || err.Error() != want {
		t.Errorf("%v; want %s", err, want)
	}
	if err := errors.New("other"); explain(err, "", "") != err || explain(nil, "", "") != nil {
		t.Error("another error is changed")
	}
}

// broken fails like a file on a full disk.
type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }
