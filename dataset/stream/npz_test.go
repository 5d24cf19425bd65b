package stream

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faults"
)

type member struct {
	name   string
	data   []byte
	method uint16
}

// npz returns an archive as numpy.savez (zip.Store) and numpy.savez_compressed (zip.Deflate) write it.
func npz(t testing.TB, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range members {
		w, err := z.CreateHeader(&zip.FileHeader{Name: m.name, Method: m.method})
		if err == nil {
			_, err = w.Write(m.data)
		}
		testutil.NoError(t, err)
	}
	testutil.NoError(t, z.Close())
	return b.Bytes()
}

// TestNPZBomb reads a batch of 16 MB of zeros, 128 MB as float64, from an archive of 16 KB.
func TestNPZBomb(t *testing.T) {
	const rows, cols = 1 << 16, 1 << 8
	zeros := append(npyHeader(1, "|u1", false, rows, cols), make([]byte, rows*cols)...)
	archive := npz(t, member{"X.npy", zeros, zip.Deflate})
	r := mustOpen(t, []string{write(t, "x.npz", archive)}, Options{})
	if got := faults.Allocated(func() { next(t, r, 64) }); got > 1<<20 {
		t.Errorf("%d bytes allocated for an archive of %d", got, len(archive))
	}
}

// TestHostileArchives reads archives with names that lead out of a folder, or too long a directory.
func TestHostileArchives(t *testing.T) {
	x := append(npyHeader(1, "|u1", false, 2, 2), 1, 2, 3, 4)
	names := []string{"../../X", "/X", `..\X`, "a/../../X", "X\x00", "\xff", "con"}
	var members []member
	for _, name := range names {
		members = append(members, member{name + ".npy", x, zip.Deflate})
	}
	path := write(t, "x.npz", npz(t, members...))
	listing := func() string {
		all, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(path)), "*"))
		testutil.NoError(t, err)
		return fmt.Sprint(all)
	}
	before := listing()
	for _, insecure := range []string{"1", "0"} {
		t.Setenv("GODEBUG", "zipinsecurepath="+insecure)
		for _, name := range names {
			if got := mustLoad(t, []string{path}, Options{InputArray: name}); !slices.Equal(got.x, []float64{1, 2, 3, 4}) {
				t.Errorf("%q: %v", name, got.x)
			}
		}
	}
	if after := listing(); after != before {
		t.Errorf("there were %v and are %v", before, after)
	}

	entry := npz(t, member{strings.Repeat("x", 1<<12), nil, zip.Store})
	begin, end := bytes.Index(entry, []byte("PK\x01\x02")), bytes.Index(entry, []byte("PK\x05\x06"))
	directory := bytes.Repeat(entry[begin:end], 1<<10)
	last := slices.Clone(entry[end:])
	binary.LittleEndian.PutUint16(last[8:], 1<<10)
	binary.LittleEndian.PutUint16(last[10:], 1<<10)
	binary.LittleEndian.PutUint32(last[12:], uint32(len(directory)))
	binary.LittleEndian.PutUint32(last[16:], 0)
	long := slices.Concat(directory, last)
	faults.Bounded(t, 0, 0, 16<<20, func() {
		_, err := loadEach(t, write(t, "x.npz", long), Options{})
		wantFault(t, "directory", err, "a directory of more than 1024 KiB")
	})
}
