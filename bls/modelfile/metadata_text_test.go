package modelfile

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"blskernel/blsupdate"
)

// Metadata that is not the text of its values is refused, since it would be written as another.
func TestMetadataIsCanonical(t *testing.T) {
	_, model := parts(t, written(t, file(t, blsupdate.Gram, false)))
	read := func(meta string) error {
		b := forged(Version, meta, sectionClassifier, model)
		f, err := Read(bytes.NewReader(b), nil)
		if err == nil && !bytes.Equal(written(t, f), b) {
			t.Errorf("%s is written as something else", meta)
		}
		return err
	}
	for _, meta := range []string{`{}`, `{"batch":2147483647}`, `{"created":"2024-02-29T12:30:01.5Z","software":"a <b>"}`, `{"notes":{"a":"","b":"2"}}`} {
		if err := read(meta); err != nil {
			t.Errorf("%s: %v", meta, err)
		}
	}
	for _, meta := range []string{
		`{ }`, `{"batch":0}`, `{"batch":1e3}`, `{"batch":2147483648}`, `{"batch":99999999999999999999}`, `{"batch":1,"batch":2}`, `{"Batch":1}`, `{"batch":1,"software":"a"}`,
		`{"software":"a \u003cb>"}`, `{"notes":{"b":"","a":""}}`, `{"notes":{}}`, `{"inputs":null}`, `{"created":"2024-02-29T12:30:01.50Z"}`, `{"created":"2024-02-29T13:30:01+01:00"}`,
	} {
		var e *FormatError
		if err := read(meta); !errors.As(err, &e) || e.Section != sectionMetadata {
			t.Errorf("%s: %v", meta, err)
		}
	}
}

// What metadata takes is bounded whatever is in it: of 1 MB the most is made of very short strings.
func TestMetadataMemory(t *testing.T) {
	many := func(n int, text func(i int) string) string {
		var parts []string
		for i := range n {
			parts = append(parts, text(i))
		}
		return strings.Join(parts, ",")
	}
	var before, after runtime.MemStats
	for name, meta := range map[string]string{
		"strings": `{"inputs":[` + many(maxMetadata/3-10, func(int) string { return `""` }) + `]}`,
		"notes":   `{"notes":{` + many(maxMetadata/13, func(i int) string { return fmt.Sprintf(`"%06d":""`, i) }) + `}}`,
		"one":     `{"software":"` + strings.Repeat("x", maxMetadata-20) + `"}`,
	} {
		b := begin(Version, meta).b
		runtime.GC()
		runtime.ReadMemStats(&before)
		_, err := Inspect(bytes.NewReader(b))
		runtime.ReadMemStats(&after)
		var e *TruncatedError
		if !errors.As(err, &e) || e.Section != "" {
			t.Fatalf("%s: %.200s", name, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > metadataMemory {
			t.Errorf("%s: %d bytes were allocated", name, used)
		}
	}
}

// metadataMemory is what the documentation of Read says, 64 MB.
const metadataMemory = 64 << 20
