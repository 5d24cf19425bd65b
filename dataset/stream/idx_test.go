package stream

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"blskernel/internal/testutil"
)

var idxFile, matrixFile = testutil.IDX, testutil.BinaryMatrix

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
		{"binary matrix of bytes", matrixFile(0x55, 4, []byte{0, 51, 102, 255, 1, 2}, 3, 1, 2, 1), 3, []float64{0, 51. / 255, 102. / 255, 1, 1. / 255, 2. / 255}},
		{"binary matrix of integers, unused sizes", matrixFile(0x54, 1, []byte{2, 1, 0, 0, 255, 255, 255, 255}, 2, 0, 1<<31), 2, []float64{258, -1}},
	} {
		for _, name := range []string{"x-idx3-ubyte", "x.idx", "x"} {
			for _, data := range [][]byte{test.data, zipped(test.data)} {
				wantTable(t, []string{write(t, name, data)}, Options{}, table{x: test.x, rows: test.rows})
			}
		}
	}
}

func TestMNISTFolder(t *testing.T) {
	dir := t.TempDir()
	var want [2]table
	for i, name := range []string{"train", "t10k"} {
		n := 5 - i
		pixels, labels := make([]byte, n*6), make([]byte, n)
		for j := range pixels {
			pixels[j] = byte(41*j + i)
			want[i].x = append(want[i].x, float64(pixels[j])/255)
		}
		for j := range labels {
			labels[j] = byte((j*7 + i) % 10)
			want[i].y = append(want[i].y, float64(labels[j]))
		}
		for file, data := range map[string][]byte{
			name + "-images-idx3-ubyte":    idxFile(8, pixels, uint32(n), 2, 3),
			name + "-labels.idx1-ubyte.gz": zipped(idxFile(8, labels, uint32(n))),
		} {
			testutil.NoError(t, os.WriteFile(filepath.Join(dir, file), data, 0o666))
		}
	}
	for i := range want {
		wantTable(t, []string{dir}, Options{Test: i == 1}, want[i])
	}
	if got := mustLoad(t, []string{dir, dir}, Options{Classes: true}); got.rows != 10 || !slices.Equal(got.labels[:5], got.labels[5:]) || got.labels[1] != "7" {
		t.Errorf("%v", got)
	}
	_, err := load(t, []string{t.TempDir()}, Options{})
	wantFault(t, "empty folder", err, "train-images-idx3-ubyte")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is no fs.ErrNotExist", err)
	}
}

// TestPixels reads images as bytes: the same images as without Options.Pixels, and nothing else.
func TestPixels(t *testing.T) {
	data := []byte{0, 51, 102, 255, 1, 2, 3, 4, 5, 6, 7, 8}
	labels := write(t, "y.idx", idxFile(8, []byte{7, 8, 9}, 3))
	path := write(t, "x.idx", zipped(idxFile(8, data, 3, 2, 2)))
	r := mustOpen(t, []string{path}, Options{Pixels: true, TargetPath: labels, Classes: true})
	if b, err := r.Peek(1); err != nil || b.X != nil || !slices.Equal(b.Pixels, data[:4]) {
		t.Errorf("first %v, %v", b, err)
	}
	b := next(t, r, 2)
	last := next(t, r, 2)
	if got := slices.Concat(b.Pixels, last.Pixels); b.X != nil || !slices.Equal(got, data) || len(b.Pixels) != 8 || last.Labels[0] != "9" || b.Where(1).Row != 2 {
		t.Errorf("pixels %v, labels %v and %v, row %d", got, b.Labels, last.Labels, b.Where(1).Row)
	}
	rest, aside := b.Split(func(i int) bool { return i == 1 })
	if !slices.Equal(rest.Pixels, data[:4]) || !slices.Equal(aside.Pixels, data[4:8]) || rest.X != nil || aside.Where(0).Row != 2 {
		t.Errorf("split into %v and %v", rest, aside)
	}
	if got := testutil.PanicValue(func() { b.Where(2) }); got != panicRow {
		t.Errorf("row 2 of 2: panic %v", got)
	}
	for name, opt := range map[string]Options{
		"inputs": {Inputs: []string{"1-4"}}, "excluded": {Exclude: []string{"2"}}, "target": {Targets: []string{"1"}},
		"weight": {Weight: "1"}, "kept": {Keep: []string{"1"}}, "columns": {Columns: make(Columns, 4)},
	} {
		opt.Pixels = true
		_, err := load(t, []string{path}, opt)
		wantFault(t, name, err, "Options.Pixels reads whole images")
	}
	npy := write(t, "x.npy", append(npyHeader(1, "|u1", false, 3, 2, 2), data...))
	for _, name := range []string{labels, npy, write(t, "x.csv", []byte("1,2\n3,4\n"))} {
		_, err := load(t, []string{name}, Options{Pixels: true})
		wantFault(t, name, err, "no images to read as bytes; want an idx file or a binary matrix")
	}
}
