package modelfile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blskernel/blsupdate"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faults"
)

// What Read may allocate for n bytes: less than four times a slice, which doubles, and the whole matrix
// of a triangle; for each byte of metadata 96 bytes if it consists of very short strings, which are
// kept, checked, written again and compared, and 256 if it consists of columns {}; and 64 KiB for the
// buffer of each reader.
const (
	perByte  = 256
	constant = 1 << 19
)

// read reads b with Read and with Inspect, and checks that the package comment lists the errors, and
// that no more is allocated than allowed.
func read(t *testing.T, b []byte) (file *File, err error) {
	t.Helper()
	faults.Bounded(t, len(b), perByte, constant, func() { file, err = Read(bytes.NewReader(b), nil) })
	var info *Info
	var infoErr error
	faults.Bounded(t, len(b), perByte, constant, func() { info, infoErr = Inspect(bytes.NewReader(b)) })
	for _, err := range []error{err, infoErr} {
		if err != nil && (!known(err) || len(err.Error()) > 1000) {
			t.Fatalf("error %.500v", err)
		}
	}
	switch {
	case err != nil && file != nil, infoErr != nil && info != nil:
		t.Fatal("a file beside an error")
	case err == nil && (infoErr != nil || !sameMetadata(info.Metadata, file.Metadata) || info.Bytes != int64(len(b))):
		t.Fatalf("Inspect: %+v, %v", info, infoErr)
	}
	return file, err
}

// FuzzRead reads any bytes as a file. What is read is written as it was.
func FuzzRead(f *testing.F) {
	for i, method := range methods {
		b := written(f, file(f, method, i%2 == 0))
		f.Add(b)
		f.Add(b[:len(b)/2])
		f.Add(b[:len(b)-1])
	}
	golden, err := filepath.Glob("testdata/*.bls")
	if err != nil || golden == nil {
		f.Fatalf("no files in testdata: %v", err)
	}
	for _, name := range golden {
		b, err := os.ReadFile(name)
		testutil.NoError(f, err)
		f.Add(b)
	}
	f.Add([]byte{})
	f.Add([]byte(magic))
	f.Add([]byte("a,b\n1,2\n"))
	f.Add(newBuilder(Version+1, "{}").b)
	f.Add(newBuilder(Version-1, "{}").b)
	f.Fuzz(func(t *testing.T, b []byte) {
		if file, err := read(t, b); err == nil {
			checkAgain(t, file, b)
		}
	})
}

func checkAgain(t *testing.T, f *File, b []byte) {
	t.Helper()
	if !bytes.Equal(written(t, f), b) {
		t.Error("what was read is written as something else")
	}
}

// FuzzForged puts any metadata and any model into a file of any version, with the right checksums,
// which FuzzRead will hardly ever find. What can be read is written as the same file.
func FuzzForged(f *testing.F) {
	for i, method := range methods {
		meta, model := parts(f, written(f, file(f, method, i%2 == 0)))
		f.Add(uint32(Version), meta, model, i%2 == 0)
		f.Add(uint32(Version), []byte("{}"), model[:len(model)/2], i%2 == 0)
		f.Add(uint32(Version+1), meta, model, i%2 != 0)
	}
	_, model := parts(f, written(f, file(f, blsupdate.Gram, false)))
	for _, meta := range []string{
		"{}", "", "null", `{"batch":1}`, `{"created":"2024-02-29T12:30:01Z"}`, `{"classes":["a","b","c"]}`, `{"classes":["a","a","a"]}`, `{"inputs":["a","b"],"targets":["c"]}`,
		`{"log":[` + strings.Repeat("{},", 1000) + `{"kind":"train","first":3}]}`, `{"progress":{"rows":5,"sources":["-"],"done":true}}`, `{"notes":{"a":"b"}}`, `{"software":"` + "\\u001b[2J" + `"}`, `{"author":"me"}`, strings.Repeat(`{"notes":`, 20000),
		`{"classes":[` + strings.Repeat(`"",`, 999) + `""]}`, `{"` + strings.Repeat("x", 2000) + `":1}`, `{"created":"` + strings.Repeat("9", 2000) + `"}`,
	} {
		f.Add(uint32(Version), []byte(meta), model, false)
		f.Add(uint32(9), []byte(meta), model, true)
		f.Add(uint32(1), []byte(meta), model, false)
	}
	f.Fuzz(func(t *testing.T, version uint32, meta, model []byte, regressor bool) {
		name := sectionClassifier
		if regressor {
			name = sectionRegressor
		}
		b := forged(version, string(meta), name, model)
		file, err := read(t, b)
		var other *VersionError
		if err != nil {
			if version != 0 && errors.As(err, &other) != (version != Version) {
				t.Errorf("version %d: %v", version, err)
			}
			return
		}
		if version != Version {
			t.Errorf("version %d was read", version)
		}
		checkAgain(t, file, b)
	})
}
