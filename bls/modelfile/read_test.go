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
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"blskernel/bls"
	"blskernel/blsupdate"
)

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

// begin begins a file with its metadata.
func begin(version uint32, meta string) *builder {
	f := &builder{header(version)}
	return f.section(sectionMetadata, uint64(len(meta)), []byte(meta))
}

// forged returns a file with the right checksums.
func forged(version uint32, meta, name string, model []byte) []byte {
	return begin(version, meta).section(name, uint64(len(model)), model).end()
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
	with := func(meta string) []byte { return forged(Version, meta, sectionClassifier, model) }
	if !bytes.Equal(with(string(meta)), good) {
		t.Fatal("the forger does not know the format")
	}
	big := `{"notes":{"x":"` + strings.Repeat("y", maxMetadata) + `"}}`
	for name, b := range map[string][]byte{
		"version 0":              begin(0, "{}").end(),
		"no metadata":            (&builder{header(1)}).section(sectionClassifier, uint64(len(model)), model).end(),
		"no model":               begin(1, "{}").end(),
		"nothing":                (&builder{header(1)}).end(),
		"an unknown field":       with(`{"author":"me"}`),
		"no JSON":                with(`{"batch":`),
		"empty metadata":         with(""),
		"two objects":            with(`{}{}`),
		"null":                   with(`null`),
		"a list":                 with(`[]`),
		"not UTF-8":              with("{\"software\":\"\xff\"}"),
		"a negative batch":       with(`{"batch":-1}`),
		"four inputs":            with(`{"inputs":["a","b","c","d"]}`),
		"metadata of over 1 MB":  with(big),
		"a huge section":         begin(1, "{}").section(sectionClassifier, math.MaxUint64, model).end(),
		"a section too long":     begin(1, "{}").section(sectionClassifier, 1<<50, model).end(),
		"huge metadata":          (&builder{header(1)}).section(sectionMetadata, 1<<50, []byte("{}")).end(),
		"a regressor in name":    forged(1, "{}", sectionRegressor, model),
		"a model that goes on":   forged(1, "{}", sectionClassifier, append(slices.Clone(model), 0)),
		"an empty model":         forged(1, "{}", sectionClassifier, nil),
		"a long end":             begin(1, "{}").section(sectionClassifier, uint64(len(model)), model).section(sectionEnd, 33, make([]byte, 33)).b,
		"an end of another file": begin(1, "{}").section(sectionClassifier, uint64(len(model)), model).section(sectionEnd, 32, make([]byte, 32)).b,
	} {
		if f, err := Read(bytes.NewReader(b), nil); err == nil || f != nil || !known(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Read(bytes.NewReader(with("{}")), nil); err != nil {
		t.Error(err)
	}
}

// Whatever is read, a small file takes little memory: some buffers, and for each of its bytes a few.
func TestMemoryIsBounded(t *testing.T) {
	_, model := parts(t, written(t, file(t, blsupdate.Gram, false)))
	for at := 0; at+8 <= len(model); at += 8 * step() {
		for _, word := range []uint64{1 << 20, 1<<31 - 1, 1 << 32, 1 << 40, math.MaxInt64, math.MaxUint64} {
			altered := slices.Clone(model)
			binary.LittleEndian.PutUint64(altered[at:], word)
			b := forged(1, "{}", sectionClassifier, altered)
			_, _ = read(t, b) // which checks it
		}
	}
}

func TestVersion(t *testing.T) {
	var e *VersionError
	b := begin(Version+1, `{"software":"blskernel 9.9","later":true}`).b
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
	if _, err := Load(dir, nil); !errors.Is(err, ErrNotAModel) || !strings.Contains(err.Error(), "folder") {
		t.Error(err)
	}
	broken := errors.New("broken disk")
	for n := 0; n < len(good); n += step() {
		breaks := func() io.Reader { return io.MultiReader(bytes.NewReader(good[:n]), iotest.ErrReader(broken)) }
		_, err := Read(breaks(), nil)
		_, infoErr := Inspect(breaks())
		if !errors.Is(err, broken) || !errors.Is(infoErr, broken) {
			t.Fatalf("a disk that breaks after %d bytes: %v, %v", n, err, infoErr)
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

// A reader may return nothing and no error, at the end as well, and one that never returns anything
// else is an error.
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

// A bit that was flipped in the name or the length of a section is an altered file, and none that no
// program writes; where the length is one that can be, the file may seem to end too early.
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
		f := forged(Version, string(meta), sectionClassifier, altered)
		_, err := Read(bytes.NewReader(f), nil)
		var e *bls.FormatError
		if !errors.As(err, &e) || e.Offset != begins+int64(at) || !strings.Contains(err.Error(), fmt.Sprint(e.Offset)) {
			t.Errorf("word %d of the model: %v, want byte %d", at/8, err, begins+int64(at))
		}
	}
}
