package modelfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"blskernel"
	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/internal/testutil/faults"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

var methods = []blsupdate.Method{blsupdate.Improved, blsupdate.Original, blsupdate.RidgeInverse, blsupdate.InverseCholesky, blsupdate.Gram, blsupdate.QR}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// table returns rows from to to of a table of d columns, with a label in 0, 1, 2 and two targets for each.
func table(from, to, d int) (x *mat.Dense, labels []int, y *mat.Dense) {
	x, y = mat.NewDense(to-from, d, nil), mat.NewDense(to-from, 2, nil)
	labels = make([]int, to-from)
	for i := range labels {
		s := 0.0
		for j := range d {
			v := math.Sin(float64((from+i)*(2*j+3) + j))
			x.Set(i, j, v*math.Pow(10, float64(j%5)))
			s += v
		}
		labels[i] = (from + i) % 3
		y.Set(i, 0, s)
		y.Set(i, 1, math.Cos(s)+float64(labels[i]))
	}
	return x, labels, y
}

var metadata = Metadata{
	Created:  time.Date(2024, 2, 29, 12, 30, 1, 123456789, time.FixedZone("somewhere", 3600)),
	Changed:  time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC),
	Software: "blskernel 1.2.3",
	Inputs:   []string{"a <b>", "größe"},
	Batch:    1000,
	Progress: &Progress{Rows: math.MaxInt64, Sources: []string{"x.csv", "-"}, Done: true},
	Notes:    map[string]string{"z": "1", "a": "\"\n\u2028", "": ""},
}

// file returns a fitted model of two inputs with metadata.
func file(t testing.TB, method blsupdate.Method, regressor bool) *File {
	t.Helper()
	f := &File{Metadata: metadata}
	f.Metadata.Notes = maps.Clone(metadata.Notes)
	x, labels, y := table(0, 20, 2)
	features := bls.FeatureOptions{Scaling: bls.ScaleColumns, Groups: 1, GroupNodes: 2, EnhancementNodes: 1, Seed: 5}
	if regressor {
		f.Metadata.Targets = []string{"price", "mass"}
		f.Regressor = &bls.Regressor{Features: features, Method: method, Update: blsupdate.Options{Lambda: 0.5}}
		must(t, f.Regressor.Fit(x, y))
		return f
	}
	f.Metadata.Classes = []string{"red", "green", "blue"}
	f.Metadata.Targets = []string{"color"}
	f.Classifier = &bls.Classifier{Features: features, Method: method, Update: blsupdate.Options{Lambda: 0.5}, Classes: 3}
	must(t, f.Classifier.Fit(x, labels))
	return f
}

func written(t testing.TB, f *File) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, Write(&b, f))
	return b.Bytes()
}

func sameMetadata(a, b Metadata) bool {
	a.Created, a.Changed, b.Created, b.Changed = a.Created.UTC(), a.Changed.UTC(), b.Created.UTC(), b.Changed.UTC()
	return reflect.DeepEqual(a, b)
}

// A model that is saved, loaded and goes on is the one that never stopped: for every method and both
// kinds, after every batch, to the last byte of the file.
func TestSaveLoadGoesOn(t *testing.T) {
	const d = 6
	dir := t.TempDir()
	for _, name := range blskernel.Names() {
		bk, err := blskernel.Lookup(name)
		must(t, err)
		for i, method := range methods {
			features := bls.FeatureOptions{Scaling: bls.Scaling(i % 3), Groups: 2, GroupNodes: 2, EnhancementNodes: 9, Seed: 7}
			update := blsupdate.Options{Lambda: 1e-3}
			c := &bls.Classifier{Backend: bk, Features: features, Method: method, Update: update}
			r := &bls.Regressor{Backend: bk, Features: features, Method: method, Update: update}
			path := filepath.Join(dir, fmt.Sprintf("%s-%v.bls", name, method))
			var kept, keptR *File
			for batch := range 4 {
				x, labels, y := table(30*batch, 30*batch+30-batch, d)
				must(t, c.PartialFit(x, labels))
				must(t, r.PartialFit(x, y))
				if batch > 0 {
					must(t, kept.Classifier.PartialFit(x, labels))
					must(t, keptR.Regressor.PartialFit(x, y))
					if !bytes.Equal(written(t, &File{Classifier: c}), written(t, kept)) || !bytes.Equal(written(t, &File{Regressor: r}), written(t, keptR)) {
						t.Fatalf("%s, %v: another model after batch %d", name, method, batch)
					}
				}
				must(t, Save(path, &File{Classifier: c}))
				kept, err = Load(path, bk)
				must(t, err)
				must(t, Save(path, &File{Regressor: r}))
				keptR, err = Load(path, bk)
				must(t, err)
				p, err := r.Predict(x)
				must(t, err)
				p2, err := keptR.Regressor.Predict(x)
				must(t, err)
				if !gonum.Equal(p, p2) {
					t.Errorf("%s, %v: other predictions", name, method)
				}
			}
		}
	}
	entries, err := os.ReadDir(dir)
	must(t, err)
	if len(entries) != len(methods)*len(blskernel.Names()) {
		t.Errorf("there are %v", entries)
	}
}

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
		if !sameMetadata(info.Metadata, f.Metadata) || info.Regressor() != regressor || info.Version != 1 || info.Bytes != int64(len(b)) {
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
		{"classes", func(m *Metadata) { m.Classes = []string{"a", "b", "a"} }, false},
		{"classes", func(m *Metadata) { m.Classes = []string{"a", "b", "c"} }, true},
		{"targets", func(m *Metadata) { m.Targets = []string{"a"} }, true},
		{"targets", func(m *Metadata) { m.Targets = []string{"a", "b"} }, false},
		{"software", func(m *Metadata) { m.Software = "\x80" }, false},
		{"notes", func(m *Metadata) { m.Notes = map[string]string{"\x80": ""} }, false},
		{"notes", func(m *Metadata) { m.Notes = map[string]string{"": "\x80"} }, false},
		{"times", func(m *Metadata) { m.Changed = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }, false},
		{"batch", func(m *Metadata) { m.Batch = -1 }, false},
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
	m := Metadata{Notes: map[string]string{"": strings.Repeat("x", maxMetadata-20)}}
	must(t, m.Check())

	if err := Write(io.Discard, &File{Classifier: &bls.Classifier{}}); !errors.Is(err, bls.ErrNotFitted) {
		t.Error(err)
	}
	if err := Write(io.Discard, &File{Regressor: &bls.Regressor{}}); !errors.Is(err, bls.ErrNotFitted) {
		t.Error(err)
	}
	for _, f := range []*File{{}, {Classifier: &bls.Classifier{}, Regressor: &bls.Regressor{}}} {
		func() {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "modelfile: ") {
					t.Error("no panic of this package")
				}
			}()
			_ = Write(io.Discard, f)
		}()
	}
}

// step returns 1, so that every byte has its turn, and more in short tests.
func step() int {
	if testing.Short() {
		return 13
	}
	return 1
}

// known tells whether an error is one of those that the package comment lists.
func known(err error) bool {
	var v *VersionError
	var c *ChecksumError
	var tr *TruncatedError
	var f *FormatError
	return errors.Is(err, ErrNotAModel) || errors.As(err, &v) || errors.As(err, &c) || errors.As(err, &tr) || errors.As(err, &f)
}

// Every byte of a file, with one bit changed, another added, or all of them, is an error of this
// package, of Read and of Inspect; and so is every part of a file, and a file with something after it.
func TestAltered(t *testing.T) {
	for _, method := range methods {
		b := written(t, file(t, method, method%2 == 0))
		both := func(what string, b []byte) {
			t.Helper()
			if f, err := Read(bytes.NewReader(b), nil); err == nil || f != nil || !known(err) {
				t.Fatalf("%v, %s: Read: %v", method, what, err)
			}
			if i, err := Inspect(bytes.NewReader(b)); err == nil || i != nil || !known(err) {
				t.Fatalf("%v, %s: Inspect: %v", method, what, err)
			}
		}
		for at := 0; at < len(b); at += step() {
			for _, bits := range []byte{1, 0x80, 0xff} {
				altered := slices.Clone(b)
				altered[at] ^= bits
				both(fmt.Sprintf("byte %d", at), altered)
			}
		}
		for n := 0; n < len(b); n += step() {
			both(fmt.Sprintf("%d bytes", n), b[:n])
			var e *TruncatedError
			if _, err := Read(bytes.NewReader(b[:n]), nil); n > 0 && (!errors.As(err, &e) || e.Bytes != int64(n)) {
				t.Fatalf("%d of %d bytes: %v", n, len(b), err)
			}
		}
		both("one more", append(slices.Clone(b), 0))
		both("twice", slices.Concat(b, b))
	}
}

// TestAlteredPayload has what the error for a changed number in each part is.
func TestAlteredPayload(t *testing.T) {
	b := written(t, file(t, blsupdate.Gram, false))
	info, err := Inspect(bytes.NewReader(b))
	must(t, err)
	check := func(at int64, want string) {
		t.Helper()
		altered := slices.Clone(b)
		altered[at] ^= 4
		var e *ChecksumError
		if _, err := Read(bytes.NewReader(altered), nil); !errors.As(err, &e) || e.Section != want || !strings.Contains(err.Error(), "backup") {
			t.Errorf("byte %d: %v, want the checksum of %q", at, err, want)
		}
	}
	check(int64(len(magic)), "header") // the version is no other version
	for _, s := range info.Sections {
		check(s.Offset+sectionHeaderSize, s.Name)
		check(s.Offset+sectionHeaderSize+s.Bytes-1, s.Name)
	}
	// With the right checksum of its section, but not of the file.
	meta := info.Sections[0]
	end := meta.Offset + sectionHeaderSize + meta.Bytes
	altered := slices.Clone(b)
	at := bytes.Index(altered, []byte("1.2.3"))
	altered[at] = '2'
	binary.LittleEndian.PutUint32(altered[end:], crc32.Checksum(altered[meta.Offset:end], castagnoli))
	var e *ChecksumError
	if _, err := Read(bytes.NewReader(altered), nil); !errors.As(err, &e) || e.Section != "file" {
		t.Errorf("a section that was replaced: %v", err)
	}
}

// A builder makes files with the right checksums.
type builder struct{ b []byte }

func begin(version uint32) *builder { return &builder{header(version)} }

func (f *builder) section(name string, size uint64, payload []byte) *builder {
	s := binary.LittleEndian.AppendUint64([]byte(name), size)
	s = append(s, payload...)
	f.b = append(f.b, binary.LittleEndian.AppendUint32(s, crc32.Checksum(s, castagnoli))...)
	return f
}

func (f *builder) end() []byte {
	sum := sha256.Sum256(f.b)
	return f.section(sectionEnd, sha256.Size, sum[:]).b
}

// parts returns the metadata and the model of a file as they are in it.
func parts(t testing.TB, b []byte) (meta, model []byte) {
	t.Helper()
	info, err := Inspect(bytes.NewReader(b))
	must(t, err)
	cut := func(s Section) []byte {
		from := s.Offset + sectionHeaderSize
		return b[from : from+s.Bytes]
	}
	return cut(info.Sections[0]), cut(info.Sections[1])
}

// Files whose checksums are right and that no Write has written.
func TestForged(t *testing.T) {
	good := written(t, file(t, blsupdate.Gram, false))
	meta, model := parts(t, good)
	build := func(meta, name, model string) []byte {
		return begin(Version).section(sectionMetadata, uint64(len(meta)), []byte(meta)).section(name, uint64(len(model)), []byte(model)).end()
	}
	if !bytes.Equal(build(string(meta), sectionClassifier, string(model)), good) {
		t.Fatal("the forger does not know the format")
	}
	big := `{"notes":{"x":"` + strings.Repeat("y", maxMetadata) + `"}}`
	for name, b := range map[string][]byte{
		"version 0":              begin(0).section(sectionMetadata, 2, []byte("{}")).end(),
		"no metadata":            begin(1).section(sectionClassifier, uint64(len(model)), model).end(),
		"no model":               begin(1).section(sectionMetadata, 2, []byte("{}")).end(),
		"nothing":                begin(1).end(),
		"an unknown field":       build(`{"author":"me"}`, sectionClassifier, string(model)),
		"no JSON":                build(`{"batch":`, sectionClassifier, string(model)),
		"empty metadata":         build("", sectionClassifier, string(model)),
		"two objects":            build(`{}{}`, sectionClassifier, string(model)),
		"null":                   build(`null`, sectionClassifier, string(model)),
		"a list":                 build(`[]`, sectionClassifier, string(model)),
		"not UTF-8":              build("{\"software\":\"\xff\"}", sectionClassifier, string(model)),
		"a negative batch":       build(`{"batch":-1}`, sectionClassifier, string(model)),
		"four inputs":            build(`{"inputs":["a","b","c","d"]}`, sectionClassifier, string(model)),
		"metadata of over 1 MB":  build(big, sectionClassifier, string(model)),
		"a huge section":         begin(1).section(sectionMetadata, 2, []byte("{}")).section(sectionClassifier, math.MaxUint64, model).end(),
		"a section too long":     begin(1).section(sectionMetadata, 2, []byte("{}")).section(sectionClassifier, 1<<50, model).end(),
		"huge metadata":          begin(1).section(sectionMetadata, 1<<50, []byte("{}")).end(),
		"a regressor in name":    build("{}", sectionRegressor, string(model)),
		"a model that goes on":   build("{}", sectionClassifier, string(model)+"\x00"),
		"an empty model":         build("{}", sectionClassifier, ""),
		"a long end":             begin(1).section(sectionMetadata, 2, []byte("{}")).section(sectionClassifier, uint64(len(model)), model).section(sectionEnd, 33, make([]byte, 33)).b,
		"an end of another file": begin(1).section(sectionMetadata, 2, []byte("{}")).section(sectionClassifier, uint64(len(model)), model).section(sectionEnd, 32, make([]byte, 32)).b,
	} {
		if f, err := Read(bytes.NewReader(b), nil); err == nil || f != nil || !known(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Read(bytes.NewReader(build("{}", sectionClassifier, string(model))), nil); err != nil {
		t.Error(err)
	}
}

// Whatever is read, a small file takes little memory: some buffers, and for each of its bytes a few.
func TestMemoryIsBounded(t *testing.T) {
	_, model := parts(t, written(t, file(t, blsupdate.Gram, false)))
	var before, after runtime.MemStats
	for at := 0; at+8 <= len(model); at += 8 * step() {
		for _, word := range []uint64{1 << 20, 1<<31 - 1, 1 << 32, 1 << 40, math.MaxInt64, math.MaxUint64} {
			altered := slices.Clone(model)
			binary.LittleEndian.PutUint64(altered[at:], word)
			b := begin(1).section(sectionMetadata, 2, []byte("{}")).section(sectionClassifier, uint64(len(altered)), altered).end()
			runtime.ReadMemStats(&before)
			_, err := Read(bytes.NewReader(b), nil)
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
				t.Errorf("word %d as %#x: %d bytes were allocated for %d (%v)", at/8, word, used, len(b), err)
			}
		}
	}
}

func TestVersion(t *testing.T) {
	var e *VersionError
	b := begin(Version+1).section(sectionMetadata, 41, []byte(`{"software":"blskernel 9.9","later":true}`)).b
	if _, err := Read(bytes.NewReader(b), nil); !errors.As(err, &e) || e.Have != 2 || e.Supported != 1 || e.Software != "blskernel 9.9" || !strings.Contains(err.Error(), "blskernel 9.9") {
		t.Errorf("version 2: %v", err)
	}
	b[len(b)-1] ^= 1
	if _, err := Inspect(bytes.NewReader(b)); !errors.As(err, &e) || e.Software != "" || !strings.Contains(err.Error(), "newer") {
		t.Errorf("version 2 with other metadata: %v", err)
	}
	if _, err := Read(bytes.NewReader(header(math.MaxUint32)), nil); !errors.As(err, &e) || e.Have != math.MaxInt32 {
		t.Errorf("the last version: %v", err)
	}
}

// Every error of Load names the file, and says what it is.
func TestLoadErrors(t *testing.T) {
	dir := t.TempDir()
	good := written(t, file(t, blsupdate.Gram, false))
	for name, test := range map[string]struct {
		content []byte
		want    error
		text    string
	}{
		"empty":   {nil, ErrNotAModel, "empty"},
		"table":   {[]byte("a,b,c\n1,2,3\n4,5,6\n"), ErrNotAModel, `"a,b,c\n1`},
		"short":   {[]byte("1\n"), ErrNotAModel, `"1\n"`},
		"numpy":   {[]byte("\x93NUMPY\x01\x00v\x00{'descr'"), ErrNotAModel, "NumPy"},
		"npz":     {[]byte("PK\x03\x04......................"), ErrNotAModel, "zip"},
		"gzip":    {[]byte("\x1f\x8b\x08................"), ErrNotAModel, "unpack"},
		"as text": {bytes.ReplaceAll(good, []byte("\r\n"), []byte("\n")), ErrNotAModel, "binary"},
		"7 bits":  {bytes.ReplaceAll(good, []byte("\x89"), []byte("\x09")), ErrNotAModel, "binary"},
		"half":    {good[:len(good)/2], nil, "not complete"},
		"altered": {append(slices.Clone(good[:len(good)-1]), good[len(good)-1]^1), nil, "altered"},
	} {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, test.content, 0o666))
		_, err := Load(path, nil)
		if err == nil || !known(err) || test.want != nil && !errors.Is(err, test.want) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Load(filepath.Join(dir, "missing"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Load(dir, nil); !errors.Is(err, ErrNotAModel) || !strings.Contains(err.Error(), "folder") {
		t.Error(err)
	}
	broken := errors.New("broken disk")
	for n := 0; n < len(good); n += step() {
		for _, err := range []error{
			func() error {
				_, err := Read(io.MultiReader(bytes.NewReader(good[:n]), iotest.ErrReader(broken)), nil)
				return err
			}(),
			func() error {
				_, err := Inspect(io.MultiReader(bytes.NewReader(good[:n]), iotest.ErrReader(broken)))
				return err
			}(),
		} {
			if !errors.Is(err, broken) {
				t.Fatalf("a disk that breaks after %d bytes: %v", n, err)
			}
		}
	}
}

// A disk that is full at any byte is an error of Write.
func TestWriteErrors(t *testing.T) {
	f := file(t, blsupdate.QR, true)
	b := written(t, f)
	for n := 0; n < len(b); n += step() {
		if err := Write(&faults.Writer{Left: n}, f); !errors.Is(err, faults.ErrFull) {
			t.Fatalf("a disk with room for %d bytes: %v", n, err)
		}
	}
	must(t, Write(&faults.Writer{Left: len(b)}, f))

	// A file that cannot be replaced stays.
	dir := t.TempDir()
	if err := Save(dir, f); err == nil {
		t.Error("a folder was replaced")
	}
	if err := Save(filepath.Join(dir, "missing", "m.bls"), f); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// A model may be saved while it predicts. Run it with the race detector.
func TestSaveWhilePredicting(t *testing.T) {
	x, _, _ := table(0, 20, 2)
	for _, method := range methods {
		f := file(t, method, true)
		want := written(t, file(t, method, true))
		var wg sync.WaitGroup
		failures := make([]error, 8)
		for g := range failures {
			wg.Add(1)
			go func() {
				defer wg.Done()
				if g%2 == 0 {
					_, failures[g] = f.Regressor.Predict(x)
					return
				}
				var b bytes.Buffer
				if failures[g] = Write(&b, f); failures[g] == nil && !bytes.Equal(b.Bytes(), want) {
					failures[g] = errors.New("other bytes")
				}
			}()
		}
		wg.Wait()
		must(t, errors.Join(failures...))
	}
}

// A lazyReader returns nothing, and no error, before every byte and before the end.
type lazyReader struct {
	b    []byte
	lazy bool
}

func (r *lazyReader) Read(p []byte) (int, error) {
	if r.lazy = !r.lazy; r.lazy || len(p) == 0 {
		return 0, nil
	}
	if len(r.b) == 0 {
		return 0, io.EOF
	}
	p[0] = r.b[0]
	r.b = r.b[1:]
	return 1, nil
}

// A reader may return nothing and no error, at the end as well, and one that never returns anything else is an error.
func TestLazyReader(t *testing.T) {
	b := written(t, file(t, blsupdate.Gram, false))
	f, err := Read(&lazyReader{b: b}, nil)
	must(t, err)
	if !bytes.Equal(written(t, f), b) {
		t.Error("read as something else")
	}
	info, err := Inspect(&lazyReader{b: b})
	if err != nil || info == nil || info.Bytes != int64(len(b)) {
		t.Errorf("%+v, %v", info, err)
	}
	var e *FormatError
	if _, err := Read(&lazyReader{b: append(slices.Clone(b), 0)}, nil); !errors.As(err, &e) {
		t.Errorf("a byte more: %v", err)
	}
	if info, err := Inspect(&lazyReader{b: append(slices.Clone(b), 0)}); !errors.As(err, &e) || info != nil {
		t.Errorf("a byte more: %v", err)
	}
	if _, err := Inspect(io.MultiReader(bytes.NewReader(b), emptyReader{})); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("nothing for ever: %v", err)
	}
}

type emptyReader struct{}

func (emptyReader) Read([]byte) (int, error) { return 0, nil }
