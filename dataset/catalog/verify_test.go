package catalog

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// packed returns data in gzip, by the given level.
func packed(t testing.TB, data []byte, level int) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// content returns n bytes that gzip cannot shorten, and the entry of a catalog for them.
func content(name string, n int) ([]byte, File) {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	sum := sha256.Sum256(b)
	return b, File{Name: name, Size: int64(n), Packed: int64(n), Header: b[:16:16], SHA256: hex.EncodeToString(sum[:])}
}

func TestCheck(t *testing.T) {
	data, file := content("a", 300_000)
	unsure := file
	unsure.SHA256 = ""
	edit := func(at int) []byte {
		b := slices.Clone(data)
		b[at] ^= 1
		return b
	}
	for _, test := range []struct {
		name string
		file File
		data []byte
		says string // nothing where the content is right
	}{
		{"right", file, data, ""},
		{"without a sum", unsure, data, ""},
		{"one byte wrong", file, edit(299_999), "SHA-256 is "},
		{"one byte wrong, without a sum", unsure, edit(299_999), ""},
		{"header wrong", unsure, edit(3), "begins with"},
		{"too short", unsure, data[:299_999], "has 299999 bytes"},
		{"too long", unsure, append(slices.Clone(data), 0), "more than the 300000 bytes"},
		{"shorter than the header", unsure, data[:9], "has 9 bytes"},
		{"empty", unsure, nil, "has 0 bytes"},
		{"a page of HTML", unsure, []byte("<!DOCTYPE html><html><body>Not here</body></html>"), "begins with"},
	} {
		for name, r := range map[string]io.Reader{
			"plain": bytes.NewReader(test.data), "gzip": bytes.NewReader(packed(t, test.data, 6)),
			"byte by byte": iotest.OneByteReader(bytes.NewReader(test.data)),
			"with EOF":     iotest.DataErrReader(bytes.NewReader(test.data)),
		} {
			err := test.file.Check(context.Background(), r)
			var c *ContentError
			if test.says == "" && err != nil || test.says != "" && (!errors.As(err, &c) || !errors.Is(err, ErrContent) || !strings.Contains(c.Msg, test.says)) {
				t.Errorf("%s, %s: error %v, want %q", test.name, name, err, test.says)
			}
		}
	}
	z := packed(t, data, 6)
	for _, cut := range []int{2, 5, 10, 100, len(z) - 9, len(z) - 8, len(z) - 1} {
		if err := file.Check(context.Background(), bytes.NewReader(z[:cut])); !errors.Is(err, ErrContent) {
			t.Errorf("gzip cut to %d bytes: error %v", cut, err)
		}
	}
	z[len(z)-7] ^= 1
	if err := file.Check(context.Background(), bytes.NewReader(z)); !errors.Is(err, gzip.ErrChecksum) || !errors.Is(err, ErrContent) {
		t.Errorf("wrong checksum of gzip: error %v", err)
	}
	broken := errors.New("disk on fire")
	if err := file.Check(context.Background(), io.MultiReader(bytes.NewReader(data[:99]), iotest.ErrReader(broken))); !errors.Is(err, broken) || errors.Is(err, ErrContent) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(broken)
	if err := file.Check(ctx, bytes.NewReader(data)); !errors.Is(err, broken) || errors.Is(err, ErrContent) {
		t.Errorf("cancelled: error %v", err)
	}
}

// A countingReader counts the bytes that are read.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// TestCheckBomb has gzip of 1 GiB of zeros for a file of 1 MiB: of the 1 MB of gzip a small part is read.
func TestCheckBomb(t *testing.T) {
	zeros := make([]byte, 1<<20)
	sum := sha256.Sum256(zeros)
	file := File{Name: "zeros", Size: 1 << 20, Header: zeros[:8], SHA256: hex.EncodeToString(sum[:])}
	if err := file.Check(context.Background(), bytes.NewReader(packed(t, zeros, 9))); err != nil {
		t.Fatal(err)
	}
	bomb := bytes.Repeat(packed(t, make([]byte, 16<<20), 9), 64) // gzip that follows gzip is one file
	r := &countingReader{r: bytes.NewReader(bomb)}
	err := file.Check(context.Background(), r)
	if !errors.Is(err, ErrContent) || !strings.Contains(err.Error(), "more than") {
		t.Errorf("error %v", err)
	}
	// 1 MiB of zeros is 1 KB of gzip; the buffer is 64 KiB.
	if r.n > 1<<17 || len(bomb) < 1<<19 {
		t.Errorf("%d of %d bytes were read", r.n, len(bomb))
	}
}

func TestVerify(t *testing.T) {
	dir := t.TempDir()
	right, a := content("a", 1000)
	_, b := content("b", 2000)
	zipped, c := content("c", 3000)
	_, d := content("d-idx3", 4000)
	set := Set{Name: "test", Files: []File{a, b, c, d}}
	for name, data := range map[string][]byte{
		"a": right, "b.gz.part": make([]byte, 77), "c.gz": packed(t, zipped, 6), "d.idx3": make([]byte, 4000),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	told := map[string]int64{}
	all, err := set.Verify(context.Background(), dir, func(f File, done int64) { told[f.Name] = done })
	if err != nil || len(all) != 4 {
		t.Fatalf("%v, error %v", all, err)
	}
	for i, want := range []struct {
		path          string
		part          int64
		missing, fine bool
	}{{"a", 0, false, true}, {"", 77, true, false}, {"c.gz", 0, false, true}, {"d.idx3", 0, false, false}} {
		s := all[i]
		path := want.path
		if path != "" {
			path = filepath.Join(dir, path)
		}
		if s.Path != path || s.Part != want.part || s.Missing() != want.missing || (s.Err == nil) != want.fine {
			t.Errorf("%s: %+v", s.File.Name, s)
		}
	}
	var wrong *ContentError
	if !errors.As(all[3].Err, &wrong) || wrong.Path != all[3].Path || !strings.Contains(wrong.Error(), wrong.Path) {
		t.Errorf("error %v", all[3].Err)
	}
	if told["a"] != 1000 || told["c"] != 3000 {
		t.Errorf("told of %v", told)
	}
	all, err = set.Verify(context.Background(), filepath.Join(dir, "absent"), nil)
	if err != nil || !all[0].Missing() || !errors.Is(all[3].Err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v, %v", all, err)
	}
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(stop)
	if _, err := set.Verify(ctx, dir, nil); !errors.Is(err, stop) {
		t.Errorf("cancelled: error %v", err)
	}
}
