package stream

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"blskernel/dataset"
	"blskernel/internal/testutil"
)

// idxFile returns an idx file.
func idxFile(kind byte, data []byte, dims ...uint32) []byte {
	out := []byte{0, 0, kind, byte(len(dims))}
	for _, n := range dims {
		out = binary.BigEndian.AppendUint32(out, n)
	}
	return append(out, data...)
}

func TestIDX(t *testing.T) {
	be := binary.BigEndian
	for _, test := range []struct {
		name string
		data []byte
		rows int
		x    []float64
	}{
		{"images", idxFile(8, []byte{0, 51, 102, 255, 1, 2, 3, 4}, 2, 2, 2), 2, []float64{0, 51. / 255, 102. / 255, 1, 1. / 255, 2. / 255, 3. / 255, 4. / 255}},
		{"bytes", idxFile(8, []byte{0, 255}, 2), 2, []float64{0, 255}},
		{"table of bytes", idxFile(8, []byte{0, 255}, 1, 2), 1, []float64{0, 255}},
		{"signed", idxFile(9, []byte{255}, 1), 1, []float64{-1}},
		{"shorts", idxFile(0x0b, be.AppendUint16(nil, 0xfffe), 1, 1, 1), 1, []float64{-2}},
		{"ints", idxFile(0x0c, be.AppendUint32(nil, 258), 1), 1, []float64{258}},
		{"floats", idxFile(0x0d, be.AppendUint32(nil, 0x3fc00000), 1), 1, []float64{1.5}},
		{"doubles", idxFile(0x0e, be.AppendUint64(nil, 0x3ff8000000000000), 1), 1, []float64{1.5}},
	} {
		for _, name := range []string{"x-idx3-ubyte", "x.idx", "x"} {
			for _, data := range [][]byte{test.data, zipped(test.data)} {
				wantTable(t, []string{write(t, name, data)}, Options{}, table{x: test.x, rows: test.rows})
			}
		}
	}
}

// TestMNISTFolder compares a folder with what package dataset makes of it.
func TestMNISTFolder(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"train", "t10k"} {
		n := 5 - i
		pixels, labels := make([]byte, n*6), make([]byte, n)
		for j := range pixels {
			pixels[j] = byte(41*j + i)
		}
		for j := range labels {
			labels[j] = byte((j*7 + i) % 10)
		}
		for file, data := range map[string][]byte{
			name + "-images-idx3-ubyte":    idxFile(8, pixels, uint32(n), 2, 3),
			name + "-labels.idx1-ubyte.gz": zipped(idxFile(8, labels, uint32(n))),
		} {
			testutil.NoError(t, os.WriteFile(filepath.Join(dir, file), data, 0o666))
		}
	}
	train, test, err := dataset.LoadMNIST(dir)
	testutil.NoError(t, err)
	for _, set := range []*dataset.Images{train, test} {
		want := table{x: set.Dense(0, set.Len()).RawMatrix().Data}
		for _, v := range set.Labels {
			want.y = append(want.y, float64(v))
		}
		wantTable(t, []string{dir}, Options{Test: set == test}, want)
	}
	if got := mustLoad(t, []string{dir, dir}, Options{Classes: true}); got.rows != 10 || !slices.Equal(got.labels[:5], got.labels[5:]) || got.labels[1] != "7" {
		t.Errorf("%v", got)
	}
	_, err = load(t, []string{t.TempDir()}, Options{})
	wantFault(t, "empty folder", err, "train-images-idx3-ubyte")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is no fs.ErrNotExist", err)
	}
}
