package modelfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"blskernel/blsupdate"
	"blskernel/internal/testutil"
)

// step returns how many bytes tests go from one place in a file to the next: 1 in the long form.
func step() int {
	if testutil.Long() {
		return 1
	}
	return 13
}

// known reports whether the package comment lists an error.
func known(err error) bool {
	var v *VersionError
	var c *ChecksumError
	var tr *TruncatedError
	var f *FormatError
	return errors.Is(err, ErrNotAModel) || errors.As(err, &v) || errors.As(err, &c) || errors.As(err, &tr) || errors.As(err, &f)
}

// readers are Read and Inspect, which return an error or a file that is not nil, and never both.
var readers = map[string]func(t *testing.T, r io.Reader) error{
	"Read": func(t *testing.T, r io.Reader) error {
		f, err := Read(r, nil)
		if (f == nil) == (err == nil) {
			t.Errorf("Read returns %v and %v", f, err)
		}
		return err
	},
	"Inspect": func(t *testing.T, r io.Reader) error {
		i, err := Inspect(r)
		if (i == nil) == (err == nil) {
			t.Errorf("Inspect returns %v and %v", i, err)
		}
		return err
	},
}

// A changed bit gives an error that names the part of the file, or the expected kind of file:
// everywhere in the heads of the sections, and at some places in their contents. In the length of a
// section it may also make the file seem to end too early.
func TestAltered(t *testing.T) {
	testutil.NotUnderRace(t, "starts no goroutine")
	for _, method := range methods {
		b := written(t, file(t, method, method%2 == 0))
		info, err := Inspect(bytes.NewReader(b))
		must(t, err)
		section := 0
		for at := range b {
			if s := info.Sections[section]; int64(at) == s.Offset+sectionHeaderSize+s.Bytes+checksumSize {
				section++
			}
			s := info.Sections[section]
			in := int64(at) - s.Offset
			bits := []byte{1, 2, 4, 8, 16, 32, 64, 0x80, 0xff}
			if in >= sectionHeaderSize && in < sectionHeaderSize+s.Bytes-1 {
				if bits = bits[6:]; at%step() != 0 {
					continue
				}
			}
			for name, read := range readers {
				for _, flip := range bits {
					b[at] ^= flip
					err := read(t, bytes.NewReader(b))
					b[at] ^= flip
					var checksum *ChecksumError
					var truncated *TruncatedError
					errors.As(err, &checksum)
					ok := checksum != nil && strings.Contains(err.Error(), "backup")
					switch {
					case at < len(magic):
						ok = errors.Is(err, ErrNotAModel)
					case in < 0:
						ok = ok && checksum.Section == "header" // the version is no other version
					case in < 4:
						ok = ok && slices.Contains([]string{s.Name, sectionClassifier, sectionRegressor}, checksum.Section)
					case in < sectionHeaderSize:
						ok = ok && checksum.Section == s.Name || errors.As(err, &truncated)
					default:
						ok = ok && checksum.Section == s.Name
					}
					if !ok {
						t.Fatalf("%s by %v, byte %d, bits %#x: %v", name, method, at, flip, err)
					}
				}
			}
		}
	}
}

// A cut file gives a *TruncatedError with its length, and a disk that fails there gives its own error.
// A file with data after its end is refused.
func TestTruncated(t *testing.T) {
	broken := errors.New("broken disk")
	for _, regressor := range []bool{false, true} {
		b := written(t, file(t, blsupdate.Gram, regressor))
		for name, read := range readers {
			for n := 0; n < len(b); n += step() {
				var e *TruncatedError
				if err := read(t, bytes.NewReader(b[:n])); n > 0 && (!errors.As(err, &e) || e.Bytes != int64(n)) {
					t.Fatalf("%s of %d of %d bytes: %v", name, n, len(b), err)
				}
				if err := read(t, io.MultiReader(bytes.NewReader(b[:n]), iotest.ErrReader(broken))); !errors.Is(err, broken) {
					t.Fatalf("%s of a disk that breaks after %d bytes: %v", name, n, err)
				}
			}
			for _, more := range [][]byte{{0}, b} {
				var e *FormatError
				if err := read(t, bytes.NewReader(slices.Concat(b, more))); !errors.As(err, &e) || e.Section != sectionEnd {
					t.Errorf("%s of %d bytes more: %v", name, len(more), err)
				}
			}
		}
	}
}

// A builder makes files with the right checksums.
type builder struct{ b []byte }

func newBuilder(version uint32, meta string) *builder {
	f := &builder{header(version)}
	return f.section(sectionMetadata, uint64(len(meta)), []byte(meta))
}

// forged returns a file with the right checksums.
func forged(version uint32, meta, name string, model []byte) []byte {
	return newBuilder(version, meta).section(name, uint64(len(model)), model).end()
}

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

// TestForged reads files whose checksums are right but that Write has not written. Texts in them are as
// long as possible, or have control characters: the messages are short, say what is wrong, and have
// only printable characters. Metadata of many short strings takes the most memory.
// TestMetadataIsCanonical has more metadata.
func TestForged(t *testing.T) {
	good := written(t, file(t, blsupdate.Gram, false))
	meta, model := parts(t, good)
	n := uint64(len(model))
	with := func(version uint32, meta string) []byte { return forged(version, meta, sectionClassifier, model) }
	if !bytes.Equal(with(Version, string(meta)), good) {
		t.Fatal("the forger does not know the format")
	}
	long := strings.Repeat("x", maxMetadata-100)
	many := func(n int, text func(i int) string) string {
		var parts []string
		for i := range n {
			parts = append(parts, text(i))
		}
		return strings.Join(parts, ",")
	}
	always := func(text string) func(int) string { return func(int) string { return text } }
	note := func(i int) string { return fmt.Sprintf(`"%06d":""`, i) }
	alone := func(meta string) []byte { return newBuilder(Version, meta).b }
	// Models with a word of 99, and the error that names its byte in the file.
	wrong := func(at int) []byte {
		altered := slices.Clone(model)
		binary.LittleEndian.PutUint64(altered[at:], 99)
		return forged(Version, string(meta), sectionClassifier, altered)
	}
	place := func(at int) string {
		return fmt.Sprintf("byte %d:", headerSize+2*sectionHeaderSize+len(meta)+checksumSize+at)
	}
	layer := 8 + int(binary.LittleEndian.Uint64(model))
	// The section is right and the file is not.
	replaced := newBuilder(Version, strings.Replace(string(meta), "1.2.3", "2.2.3", 1)).b
	replaced = append(replaced, good[len(replaced):]...)
	for _, test := range []struct {
		name string
		b    []byte
		says string
	}{
		{"a section that was replaced", replaced, `the checksum of "file"`},
		{"version 0", newBuilder(0, "{}").end(), "version is 0"},
		{"no metadata", (&builder{header(Version)}).section(sectionClassifier, n, model).end(), "should be META"},
		{"no model", newBuilder(Version, "{}").end(), "should be CLAS or REGR"},
		{"nothing", (&builder{header(Version)}).end(), "should be META"},
		{"metadata of over 1 MB", with(Version, `{"notes":{"x":"`+long+long+`"}}`), "checksum"},
		{"a huge section", newBuilder(Version, "{}").section(sectionClassifier, math.MaxUint64, model).end(), "checksum"},
		{"a gigabyte", newBuilder(Version, "{}").section(sectionClassifier, 1<<30, model).b, "not complete"},
		{"2^60 bytes", newBuilder(Version, "{}").section(sectionClassifier, 1<<60, model).end(), "not complete"},
		{"metadata of 2^60 bytes", (&builder{header(Version)}).section(sectionMetadata, 1<<60, []byte("{}")).end(), "checksum"},
		{"a regressor in name", forged(Version, "{}", sectionRegressor, model), "not a Regressor"},
		{"a model of no kind", wrong(8), place(8)},
		{"an output layer of no kind", wrong(layer), place(layer)},
		{"an output layer by no method", wrong(layer + 16), place(layer + 16)},
		{"a model that goes on", forged(Version, "{}", sectionClassifier, append(slices.Clone(model), 0)), "CLAS"},
		{"an empty model", forged(Version, "{}", sectionClassifier, nil), "CLAS"},
		{"a long end", newBuilder(Version, "{}").section(sectionClassifier, n, model).section(sectionEnd, 33, make([]byte, 33)).b, "checksum"},
		{"another end", newBuilder(Version, "{}").section(sectionClassifier, n, model).section(sectionEnd, 32, make([]byte, 32)).b, `"file"`},
		{"an unknown field of 1 MB", with(Version, `{"`+long+`":1}`), "unknown field"},
		{"a time of 1 MB", with(Version, `{"created":"`+long+`"}`), "parsing time"},
		{"a number of 1 MB", with(Version, `{"batch":`+strings.Repeat("9", maxMetadata-100)+`}`), "cannot unmarshal"},
		{"long labels", with(Version, `{"classes":["`+long[:maxMetadata/2-100]+`","b","`+long[:maxMetadata/2-100]+`"]}`), "two classes have the label"},
		{"nested", with(Version, strings.Repeat(`{"notes":`, 1<<16)), "the metadata"},
		{"1 MB of empty names", alone(`{"inputs":[` + many(maxMetadata/3-10, always(`""`)) + `]}`), "not complete"},
		{"1 MB of notes", alone(`{"notes":{` + many(maxMetadata/13, note) + `}}`), "not complete"},
		{"many columns", alone(`{"columns":[` + many(1<<16, always(`{}`)) + `]}`), "not complete"},
		{"1 MB of categories", alone(`{"columns":[` + many(maxMetadata/20-10, always(`{"levels":["","a"]}`)) + `]}`), "not complete"},
		{"the longest log", alone(`{"log":[` + many(MaxLog, always(`{"kind":""}`)) + `]}`), "not complete"},
		{"1 MB of operations", alone(`{"log":[` + many(maxMetadata/3-10, always(`{}`)) + `]}`), "more than 2000 operations"},
		{"software of 1 MB", with(3, `{"software":"`+long+`"}`), "version 3"},
		{"software that clears the screen", with(3, `{"software":"\u001b[2J\u0007"}`), `"\x1b[2J\a", which wrote it`},
		{"metadata of a newer version that is none", with(3, "]"), "version 3"},
		{"NUL bytes", make([]byte, 1<<10), "begins with"},
		{"a mark of UTF-8", append([]byte("\xef\xbb\xbf"), with(Version, "{}")...), "begins with"},
	} {
		f, err := read(t, test.b)
		if err == nil || !strings.Contains(err.Error(), test.says) || strings.ContainsAny(err.Error(), "\x1b\a") {
			t.Errorf("%s: %v, %.500v, want %q", test.name, f, err, test.says)
		}
	}
}

func TestVersion(t *testing.T) {
	var e *VersionError
	b := newBuilder(Version+1, `{"software":"blskernel 9.9","later":true}`).b
	if _, err := Read(bytes.NewReader(b), nil); !errors.As(err, &e) || e.Have != Version+1 || e.Supported != Version || e.Software != "blskernel 9.9" || !strings.Contains(err.Error(), "blskernel 9.9") {
		t.Errorf("a newer version: %v", err)
	}
	b[len(b)-1] ^= 1
	if _, err := Inspect(bytes.NewReader(b)); !errors.As(err, &e) || e.Software != "" || !strings.Contains(err.Error(), "newer") {
		t.Errorf("a newer version with other metadata: %v", err)
	}
	if _, err := Read(bytes.NewReader(header(math.MaxUint32)), nil); !errors.As(err, &e) || e.Have != math.MaxInt32 {
		t.Errorf("the last version: %v", err)
	}
	name := filepath.Join("testdata", "v1-gram.bls")
	if _, err := Load(name, nil); !errors.As(err, &e) || e.Have != 1 || e.Supported != Version || e.Software != "blskernel 1.2.3" ||
		!strings.HasPrefix(err.Error(), name+": ") || !strings.HasSuffix(err.Error(), "has version 1, but this program reads version 2: train the model again") {
		t.Errorf("a file of version 1: %v", err)
	}
	old, err := os.ReadFile(name)
	must(t, err)
	if _, err := Inspect(bytes.NewReader(old)); !errors.As(err, &e) || e.Have != 1 {
		t.Errorf("Inspect of a file of version 1: %v", err)
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
	if _, err := Load(dir, nil); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Error(err)
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink("loop", loop); err != nil && runtime.GOOS == "windows" {
		t.Skip(err) // where links need a permission
	} else if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{dir: ErrNotAModel, os.DevNull: ErrNotAModel, filepath.Join(dir, "missing"): os.ErrNotExist, loop: nil, dir + "/\x00": nil} {
		if f, err := Load(path, nil); err == nil || f != nil || want != nil && !errors.Is(err, want) || !strings.Contains(err.Error(), filepath.Base(path)) && path != dir+"/\x00" {
			t.Errorf("%q: %v", path, err)
		}
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

// A reader may return nothing and no error, even at the end, but doing so forever is an error.
func TestLazyReader(t *testing.T) {
	b := written(t, file(t, blsupdate.Gram, false))
	for name, read := range readers {
		must(t, read(t, &lazyReader{b: b}))
		if err := read(t, &lazyReader{b: append(slices.Clone(b), 0)}); !errors.As(err, new(*FormatError)) {
			t.Errorf("%s of a byte more: %v", name, err)
		}
		if err := read(t, io.MultiReader(bytes.NewReader(b), iotest.ErrReader(nil))); !errors.Is(err, io.ErrNoProgress) {
			t.Errorf("%s of nothing for ever: %v", name, err)
		}
	}
}
