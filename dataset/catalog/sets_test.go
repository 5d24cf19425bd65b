package catalog

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blskernel/dataset"
)

// ints returns a binary matrix file of integers of 24300 rows.
func ints(nd, cols uint32, values []int32) []byte {
	var b []byte
	for _, v := range []uint32{0x1E3D4C54, nd, 24300, cols, 1} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return b
}

// TestNORBMadeFromDescription makes the files of small NORB of which the content is known, and checks their sums,
// which are so those of the authors' files.
func TestNORBMadeFromDescription(t *testing.T) {
	var categories, views []int32
	for i := range int32(24300) {
		categories = append(categories, i%5)
	}
	for _, instance := range []int32{0, 1, 2, 3, 5} {
		for elevation := range int32(9) {
			for azimuth := range int32(18) {
				for lighting := range int32(6) {
					for range 5 {
						views = append(views, instance, elevation, 2*azimuth, lighting)
					}
				}
			}
		}
	}
	made := map[string][]byte{
		"training-cat": ints(1, 1, categories), "testing-cat": ints(1, 1, categories), "testing-info": ints(2, 4, views),
	}
	for part, data := range made {
		i := slices.IndexFunc(norb().Files, func(f File) bool { return strings.Contains(f.Name, part) })
		f := norb().Files[i]
		m, s := md5.Sum(data), sha256.Sum256(data)
		if hex.EncodeToString(m[:]) != f.MD5 || hex.EncodeToString(s[:]) != f.SHA256 {
			t.Errorf("%s: MD5 %x, SHA-256 %x", part, m, s)
		}
		if err := f.Check(context.Background(), bytes.NewReader(data)); err != nil {
			t.Error(err)
		}
		// By the MD5 alone, as the files that cannot be made are checked.
		f.SHA256 = ""
		if err := f.Check(context.Background(), bytes.NewReader(data)); err != nil {
			t.Error(err)
		}
		data[len(data)-4] ^= 1
		if err := f.Check(context.Background(), bytes.NewReader(data)); !errors.Is(err, ErrContent) || !strings.Contains(err.Error(), "MD5 is ") {
			t.Errorf("%s with a wrong byte: error %v", part, err)
		}
	}
}

// TestSetsFitTheLoaders checks that the catalog has the files that the loaders want, and no others.
func TestSetsFitTheLoaders(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct {
		set            Set
		load, optional func(string) error
	}{
		{mnist(), func(d string) error { _, _, err := dataset.LoadMNIST(d); return err }, nil},
		{norb(), func(d string) error { _, _, err := dataset.LoadNORB(d); return err },
			func(d string) error { _, _, err := dataset.LoadNORBInfo(d); return err }},
	} {
		for _, optional := range []bool{false, true} {
			var names []string
			for _, f := range test.set.Files {
				if f.Optional == optional {
					names = append(names, f.Name)
				}
			}
			load := test.load
			if optional {
				load = test.optional
			}
			if load == nil {
				if names != nil {
					t.Errorf("%s: %v are not needed, and nothing loads them", test.set.Name, names)
				}
				continue
			}
			var m *dataset.MissingError
			if err := load(dir); !errors.As(err, &m) || !slices.Equal(m.Expected, names) {
				t.Errorf("%s has %v, the loader says %v", test.set.Name, names, err)
			}
		}
	}
}

func TestSets(t *testing.T) {
	if got := Names(); !slices.Equal(got, []string{"mnist", "norb"}) {
		t.Errorf("names %v", got)
	}
	for _, s := range Sets() {
		got, err := Lookup(s.Name)
		if err != nil || got.Title != s.Title || len(got.Files) != len(s.Files) || len(s.Bases) == 0 {
			t.Errorf("%s: %v", s.Name, err)
		}
		for _, f := range s.Files {
			// The size that the header gives: 4 bytes an element for integers, 1 for the others.
			order, dims := binary.ByteOrder(binary.BigEndian), f.Header[4:]
			width := int64(1)
			if s.Name == "norb" {
				order, dims = binary.LittleEndian, f.Header[8:]
				if f.Header[0] == 0x54 {
					width = 4
				}
			}
			n := width
			for ; len(dims) > 0; dims = dims[4:] {
				n *= int64(order.Uint32(dims))
			}
			if want := int64(len(f.Header)) + n; f.Size != want {
				t.Errorf("%s has %d bytes, by its header %d", f.Name, f.Size, want)
			}
			if len(f.SHA256) != 64 && f.SHA256 != "" || len(f.MD5) != 32 && f.MD5 != "" || f.SHA256 == "" && f.MD5 == "" || f.Packed <= 0 {
				t.Errorf("%s: sums %q, %q", f.Name, f.SHA256, f.MD5)
			}
		}
	}
	if _, err := Lookup("cifar"); err == nil || !strings.Contains(err.Error(), "mnist or norb") {
		t.Errorf("error %v", err)
	}
	// What one caller does to a set is not seen by another.
	Sets()[0].Files[0].Name = "changed"
	if Sets()[0].Files[0].Name == "changed" {
		t.Error("sets share storage")
	}
}

// TestVerifyMNISTReal verifies the files of the folder named by BLSKERNEL_MNIST, else shared/data/mnist
// beside the repository.
func TestVerifyMNISTReal(t *testing.T) {
	dir := os.Getenv("BLSKERNEL_MNIST")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data", "mnist")
		if _, err := os.Stat(dir); err != nil {
			t.Skipf("no MNIST files: BLSKERNEL_MNIST is not set and %s is not there", dir)
		}
	}
	all, err := mnist().Verify(context.Background(), dir, nil)
	if err != nil || len(all) != 4 {
		t.Fatalf("%d files, error %v", len(all), err)
	}
	for _, s := range all {
		if s.Err != nil || s.File.Evidence() != "SHA-256" {
			t.Errorf("%s: %v", s.File.Name, s.Err)
		}
	}
}
