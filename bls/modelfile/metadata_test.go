package modelfile

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/dataset/stream"
	"blskernel/internal/testutil"
)

func TestMetadata(t *testing.T) {
	for _, regressor := range []bool{false, true} {
		f := file(t, blsupdate.Gram, regressor)
		b := written(t, f)
		if !bytes.Equal(written(t, f), b) {
			t.Error("the same model gave other bytes")
		}
		// Predictions change nothing.
		x, _, _ := table(0, 5, 2)
		if regressor {
			_, _ = f.Regressor.Predict(x)
		} else {
			_, _ = f.Classifier.Predict(x)
		}
		if !bytes.Equal(written(t, f), b) {
			t.Error("a prediction changed the bytes")
		}
		g, err := Read(iotest.HalfReader(bytes.NewReader(b)), nil)
		must(t, err)
		if !sameMetadata(g.Metadata, f.Metadata) || (g.Regressor != nil) != regressor || (g.Classifier != nil) == regressor {
			t.Errorf("read %+v, want %+v", g.Metadata, f.Metadata)
		}
		if !bytes.Equal(written(t, g), b) {
			t.Error("what was read is written as other bytes")
		}
		info, err := Inspect(iotest.OneByteReader(bytes.NewReader(b)))
		must(t, err)
		if !sameMetadata(info.Metadata, f.Metadata) || info.Regressor() != regressor || info.Version != Version || info.Bytes != int64(len(b)) {
			t.Errorf("Inspect: %+v", info)
		}
		at := int64(headerSize)
		for _, s := range info.Sections {
			if s.Offset != at || string(b[at:at+4]) != s.Name {
				t.Errorf("section %+v begins at %d", s, at)
			}
			sum := crc32.Checksum(b[at:at+sectionHeaderSize+s.Bytes], castagnoli)
			if sum != s.CRC32C {
				t.Errorf("section %s has the checksum %#x", s.Name, sum)
			}
			at += sectionHeaderSize + s.Bytes + checksumSize
		}
		end := info.Sections[len(info.Sections)-1]
		if at != int64(len(b)) || len(info.Sections) != 3 || info.SHA256 != sha256.Sum256(b[:end.Offset]) {
			t.Errorf("sections %+v of %d bytes", info.Sections, len(b))
		}
	}
	f := file(t, blsupdate.QR, true)
	f.Metadata = Metadata{}
	g, err := Read(bytes.NewReader(written(t, f)), nil)
	must(t, err)
	if !sameMetadata(g.Metadata, Metadata{}) {
		t.Errorf("no metadata is read as %+v", g.Metadata)
	}
}

func TestMetadataErrors(t *testing.T) {
	for _, test := range []struct {
		field     string
		change    func(m *Metadata)
		regressor bool
	}{
		{"inputs", func(m *Metadata) { m.Inputs = []string{"one"} }, false},
		{"inputs", func(m *Metadata) { m.Inputs = []string{"a", "\xff"} }, true},
		{"classes", func(m *Metadata) { m.Classes = []string{"a", "b"} }, false},
		{"columns", func(m *Metadata) { m.Inputs, m.Columns = nil, make(stream.Columns, 99) }, false},
		{"columns", func(m *Metadata) { m.Columns = make(stream.Columns, 99) }, false},
		{"columns", func(m *Metadata) { m.Columns = stream.Columns{{Levels: []string{"a", "a"}}} }, true},
		{"columns", func(m *Metadata) { m.Columns = stream.Columns{{Levels: []string{"\xff"}}} }, false},
		{"columns", func(m *Metadata) { m.Columns = stream.Columns{{Fill: []float64{math.NaN()}}} }, false},
		{"columns", func(m *Metadata) { m.Columns = stream.Columns{{Fill: []float64{1, 2, 3}}} }, false},
		{"columns", func(m *Metadata) { m.Columns = stream.Columns{{Levels: make([]string, 65)}} }, false},
		{"columns", func(m *Metadata) { m.Columns, m.Missing = stream.Columns{{}}, "mean" }, false},
		{"missing", func(m *Metadata) { m.Missing = "error" }, false},
		{"missing", func(m *Metadata) { m.Missing = "Drop" }, true},
		{"decimal", func(m *Metadata) { m.Thousands = ",," }, true},
		{"exclude", func(m *Metadata) { m.Exclude = []string{"\xff"} }, true},
		{"na", func(m *Metadata) { m.NA = []string{"\xff"} }, false},
		{"target_notations", func(m *Metadata) { m.TargetNotations = []stream.Notation{{}, {Unit: "x"}} }, true},
		{"columns", func(m *Metadata) { m.Columns = stream.Columns{{Notation: stream.Notation{Decimal: "."}}} }, false},
		{"classes", func(m *Metadata) { m.Classes = []string{"a", "b", "a"} }, false},
		{"classes", func(m *Metadata) { m.Classes = []string{"a", "b", "c"} }, true},
		{"targets", func(m *Metadata) { m.Targets = []string{"a"} }, true},
		{"targets", func(m *Metadata) { m.Targets = []string{"a", "b"} }, false},
		{"software", func(m *Metadata) { m.Software = "\x80" }, false},
		{"notes", func(m *Metadata) { m.Notes = map[string]string{"\x80": ""} }, false},
		{"notes", func(m *Metadata) { m.Notes = map[string]string{"": "\x80"} }, false},
		{"times", func(m *Metadata) { m.Changed = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }, false},
		{"batch", func(m *Metadata) { m.Batch = -1 }, false},
		{"runs", func(m *Metadata) { m.Runs = []int{0, -1} }, false},
		{"progress", func(m *Metadata) { m.Progress = &Progress{Rows: -1} }, false},
		{"progress", func(m *Metadata) { m.Progress = &Progress{Sources: []string{"\xc0"}} }, false},
		{"metadata", func(m *Metadata) { m.Notes = map[string]string{"long": strings.Repeat("x", maxMetadata)} }, false},
	} {
		f := file(t, blsupdate.Gram, test.regressor)
		test.change(&f.Metadata)
		path := filepath.Join(t.TempDir(), "m.bls")
		var e *MetadataError
		if err := Save(path, f); !errors.As(err, &e) || e.Field != test.field || !strings.Contains(err.Error(), test.field) {
			t.Errorf("%s: %v", test.field, err)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: there is a file (%v)", test.field, err)
		}
	}
	// A section of the largest length, and progress at its beginning.
	f := file(t, blsupdate.Gram, false)
	f.Metadata.Progress = &Progress{}
	f.Metadata.Notes = map[string]string{"": ""}
	text, err := f.Metadata.encode()
	testutil.NoError(t, err)
	f.Metadata.Notes[""] = strings.Repeat("x", maxMetadata-len(text))
	if _, err := Read(bytes.NewReader(written(t, f)), nil); err != nil {
		t.Error(err)
	}

	for _, f := range []*File{{Classifier: &bls.Classifier{}}, {Regressor: &bls.Regressor{}}} {
		if err := Write(io.Discard, f); !errors.Is(err, bls.ErrNotFitted) {
			t.Error(err)
		}
	}
	for _, f := range []*File{{}, {Classifier: &bls.Classifier{}, Regressor: &bls.Regressor{}}} {
		testutil.MustPanic(t, "modelfile: a File must have a Classifier or a Regressor, but not both", func() { _ = Write(io.Discard, f) })
	}
}

// Metadata that is not the text of its values is refused, since it would be written differently.
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
	for _, meta := range []string{`{}`, `{"batch":2147483647}`, `{"created":"2024-02-29T12:30:01.5Z","software":"a <b>"}`, `{"notes":{"a":"","b":"2"}}`, `{"missing":"drop","decimal":",","thousands":".","exclude":["1"]}`,
		`{"log":[{"kind":""},{"kind":"train","files":[{"name":"a","size":1,"rows":2,"hash":"3"}],"read":{"format":"npy","header":"absent","comma":59,"inputs":["1"],"missing":"drop","test":true},"first":4,"ends":[1,3],"lambda":-1}]}`,
		`{"target_notations":[{},{"decimal":",","thousands":".","unit":"€"}],"na":["-999"]}`} {
		if err := read(meta); err != nil {
			t.Errorf("%s: %v", meta, err)
		}
	}
	for _, meta := range []string{
		`{ }`, `{"batch":0}`, `{"batch":1e3}`, `{"batch":2147483648}`, `{"batch":99999999999999999999}`, `{"batch":1,"batch":2}`, `{"Batch":1}`, `{"batch":1,"software":"a"}`,
		`{"log":[]}`, `{"log":[{}]}`, `{"log":[null]}`, `{"log":[{"kind":"","first":-1}]}`, `{"log":[{"kind":"","factor":2}]}`, `{"log":[{"kind":"","ends":[0]}]}`, `{"log":[{"kind":"","ends":[3,3]}]}`, `{"log":[{"kind":"","holdout":1}]}`, `{"log":[{"kind":"","read":{"format":"auto"}}]}`,
		`{"log":[{"kind":"","read":{"missing":"Drop"}}]}`, `{"log":[{"kind":"","read":{"Keep":["a"]}}]}`, `{"log":[{"kind":"","files":[{"name":"","size":-1,"rows":0,"hash":""}]}]}`, `{"log":[{"kind":"","author":1}]}`,
		`{"log":[` + strings.Repeat(`{"kind":""},`, MaxLog) + `{"kind":""}]}`,
		`{"software":"a \u003cb>"}`, `{"notes":{"b":"","a":""}}`, `{"notes":{}}`, `{"inputs":null}`, `{"columns":[null]}`, `{"columns":[]}`, `{"columns":[{"levels":[]}]}`, `{"columns":[{"notation":{}}]}`, `{"na":[]}`, `{"created":"2024-02-29T12:30:01.50Z"}`, `{"created":"2024-02-29T13:30:01+01:00"}`,
	} {
		var e *FormatError
		if err := read(meta); !errors.As(err, &e) || e.Section != sectionMetadata {
			t.Errorf("%s: %v", meta, err)
		}
	}
}

// TestOptions reads as the metadata says: by name, or by position without the excluded columns.
func TestOptions(t *testing.T) {
	columns := stream.Columns{{Levels: []string{"a", "b"}, Fill: []float64{0.5, 0.5}}, {Fill: []float64{3}}}
	m := Metadata{Inputs: []string{"k=a", "k=b", "x"}, Columns: columns, Missing: "mean", Decimal: ",", Thousands: " ", Exclude: []string{"id"},
		NA: []string{"-999"}, TargetNotations: []stream.Notation{{Unit: "%"}}}
	must(t, m.Check())
	opt := m.Options()
	if fmt.Sprint(opt.Inputs, opt.Exclude, opt.Missing, opt.Columns) != fmt.Sprint([]string{"k", "x"}, []string{}, stream.MissingMean, columns) || opt.Decimal != ',' || opt.Thousands != ' ' ||
		fmt.Sprint(opt.NA, opt.TargetNotations) != fmt.Sprint(m.NA, m.TargetNotations) {
		t.Errorf("%+v", opt)
	}
	m.Inputs = nil
	if opt := m.Options(); opt.Inputs != nil || fmt.Sprint(opt.Exclude) != "[id]" {
		t.Errorf("%+v", opt)
	}
}
