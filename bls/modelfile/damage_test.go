package modelfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"blskernel/bls"
	"blskernel/blsupdate"
)

// A bit that was flipped in the name or the length of a section is an altered file, and none that no program writes; where
// the length is one that can be, the file may seem to end too early.
func TestAlteredSectionHeaders(t *testing.T) {
	b := written(t, file(t, blsupdate.Gram, false))
	info, err := Inspect(bytes.NewReader(b))
	must(t, err)
	for _, s := range info.Sections {
		for at := s.Offset; at < s.Offset+sectionHeaderSize; at++ {
			for bit := range 8 {
				altered := slices.Clone(b)
				altered[at] ^= 1 << bit
				_, err := Read(bytes.NewReader(altered), nil)
				var checksum *ChecksumError
				var truncated *TruncatedError
				if named := at < s.Offset+4; !errors.As(err, &checksum) && (named || !errors.As(err, &truncated)) {
					t.Errorf("%s, byte %d of the header, bit %d: %v", s.Name, at-s.Offset, bit, err)
				}
				if checksum != nil && checksum.Section != s.Name && checksum.Section != sectionRegressor {
					t.Errorf("%s, byte %d of the header, bit %d: %v", s.Name, at-s.Offset, bit, err)
				}
			}
		}
	}
}

// The byte that an error names is that of the file.
func TestOffsets(t *testing.T) {
	meta, model := parts(t, written(t, file(t, blsupdate.Gram, false)))
	begins := int64(headerSize + sectionHeaderSize + len(meta) + checksumSize + sectionHeaderSize)
	head := 8 + int(binary.LittleEndian.Uint64(model))
	for _, at := range []int{8, head, head + 16} {
		altered := slices.Clone(model)
		binary.LittleEndian.PutUint64(altered[at:], 99)
		f := begin(Version).section(sectionMetadata, uint64(len(meta)), meta).section(sectionClassifier, uint64(len(altered)), altered).end()
		_, err := Read(bytes.NewReader(f), nil)
		var e *bls.FormatError
		if !errors.As(err, &e) || e.Offset != begins+int64(at) || !strings.Contains(err.Error(), fmt.Sprint(e.Offset)) {
			t.Errorf("word %d of the model: %v, want byte %d", at/8, err, begins+int64(at))
		}
	}
}

// Metadata that is not the text of its values is refused, since it would be written as another.
func TestMetadataIsCanonical(t *testing.T) {
	_, model := parts(t, written(t, file(t, blsupdate.Gram, false)))
	read := func(meta string) error {
		b := begin(Version).section(sectionMetadata, uint64(len(meta)), []byte(meta)).section(sectionClassifier, uint64(len(model)), model).end()
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
		b := begin(Version).section(sectionMetadata, uint64(len(meta)), []byte(meta)).b
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

// A changingWriter lets a model learn when a number of bytes has been written.
type changingWriter struct {
	left  int
	learn func()
}

func (w *changingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 && w.learn != nil {
		w.learn()
		w.learn = nil
	}
	return len(p), nil
}

// A model whose encoding has become longer while it was written is an error that can be told from others.
func TestErrChanged(t *testing.T) {
	f := file(t, blsupdate.Improved, true)
	x, _, y := table(20, 25, 2)
	w := &changingWriter{left: headerSize, learn: func() { must(t, f.Regressor.PartialFit(x, y)) }}
	must(t, Write(w, f)) // between the sections it is no harm
	info, err := Inspect(bytes.NewReader(written(t, f)))
	must(t, err)
	w = &changingWriter{left: int(info.Sections[1].Offset) + sectionHeaderSize, learn: func() { must(t, f.Regressor.PartialFit(x, y)) }}
	if err := Write(w, f); !errors.Is(err, ErrChanged) {
		t.Errorf("%v", err)
	}
}
