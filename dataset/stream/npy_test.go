package stream

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestNPYTypes(t *testing.T) {
	shapes := [][]int{{5}, {1, 1}, {4, 3}, {1, 6}, {6, 1}, {3, 2, 4}, {1, 2, 3}, {2, 1, 3, 2}}
	for _, descr := range []string{"|b1", "|i1", "|u1", "<i2", ">i2", "<u2", ">u2", "<i4", ">i4", "<u4", ">u4",
		"<i8", ">i8", "<u8", ">u8", "<f2", ">f2", "<f4", ">f4", "<f8", ">f8"} {
		for i, shape := range shapes {
			n := 1
			for _, size := range shape {
				n *= size
			}
			values := count(1, n)
			if descr == "|b1" {
				for i := range values {
					values[i] = float64(i % 2)
				}
			}
			for _, fortran := range []bool{false, true} {
				file := append(npyHeader(byte(1+i%3), descr, fortran, shape...), arrayBytes(t, descr, fortran, values, shape...)...)
				path := write(t, "x.npy", file)
				for _, stdin := range []io.Reader{nil, bytes.NewReader(file)} {
					from := path
					if stdin != nil {
						from = "-"
					}
					all, err := loadEach(t, from, Options{Stdin: stdin})
					// Orders differ unless they are one; a plain file has either.
					one := len(shape) == 1 || len(shape) == 2 && (shape[0] == 1 || shape[1] == 1 || stdin == nil)
					if fortran && !one {
						wantFault(t, "Fortran order", err, "numpy.ascontiguousarray")
					} else if err != nil || all.rows != shape[0] || !bitsEqual(all.x, values) {
						t.Errorf("%s %v from %s: %v, %v", descr, shape, from, all, err)
					}
				}
			}
		}
	}
}

func TestNPYColumnsAndTargets(t *testing.T) {
	array := append(npyHeader(1, "<f8", false, 3, 4), float64s(count(0, 12)...)...)
	path := write(t, "x.npy", array)
	for _, test := range []struct {
		opt    Options
		x, y   []float64
		labels []string
	}{
		{Options{Targets: []string{"4"}}, []float64{0, 1, 2, 4, 5, 6, 8, 9, 10}, []float64{3, 7, 11}, nil},
		{Options{Targets: []string{"1"}, Classes: true}, []float64{1, 2, 3, 5, 6, 7, 9, 10, 11}, nil, []string{"0", "4", "8"}},
		{Options{Inputs: []string{"3", "1"}, Targets: []string{"2", "4"}}, []float64{2, 0, 6, 4, 10, 8}, []float64{1, 3, 5, 7, 9, 11}, nil},
	} {
		for _, p := range []string{path, write(t, "y.npy.gz", zipped(array))} {
			got := mustLoad(t, []string{p}, test.opt)
			if !slices.Equal(got.x, test.x) || !slices.Equal(got.y, test.y) || !slices.Equal(got.labels, test.labels) {
				t.Errorf("%v: %v", test.opt, got)
			}
		}
	}

	x := write(t, "x.npy", append(npyHeader(1, "<f8", true, 3, 2), arrayBytes(t, "<f8", true, count(1, 6), 3, 2)...))
	text := []byte("a\x00\x00\x00b\x00\x00\x00" + "c\x00\x00\x00\x00\x00\x00\x00" + "d\x00\x00\x00e\x00\x00\x00")
	for _, test := range []struct {
		name    string
		targets []byte
		classes bool
		y       []float64
		labels  []string
	}{
		{"y.npy", append(npyHeader(1, "<U2", false, 3), text...), true, nil, []string{"ab", "c", "de"}},
		{"y.npy", append(npyHeader(1, "|b1", false, 3, 1), 1, 0, 1), true, nil, []string{"True", "False", "True"}},
		{"y.npy", append(npyHeader(1, "|i1", false, 3), 1, 0xff, 2), true, nil, []string{"1", "-1", "2"}},
		{"y.npy", append(npyHeader(1, "<f8", false, 3, 2), float64s(1, 2, 3, 4, 5, 6)...), false, count(1, 6), nil},
		{"y.csv", []byte("t\n7\n8\n9\n"), false, []float64{7, 8, 9}, nil},
		{"y.csv", []byte("7\n8\n9\n"), false, []float64{7, 8, 9}, nil},
		{"y.csv", []byte("a\nb\nc"), true, nil, []string{"a", "b", "c"}},
		{"labels.idx", []byte{0, 0, 8, 1, 0, 0, 0, 3, 7, 0, 200}, true, nil, []string{"7", "0", "200"}},
	} {
		got := mustLoad(t, []string{x}, Options{TargetPath: write(t, test.name, test.targets), Classes: test.classes})
		if !slices.Equal(got.x, count(1, 6)) || !slices.Equal(got.y, test.y) || !slices.Equal(got.labels, test.labels) {
			t.Errorf("%s %v: %v", test.name, test.labels, got)
		}
	}
	for _, test := range []struct{ name, text, says string }{
		{"y.npy", string(npyHeader(1, "|i1", false, 2)) + "ab", "2 targets, but"},
		{"y.npy", string(npyHeader(1, "<U1", false, 3)) + strings.Repeat("a\x00\x00\x00", 3), "are text"},
	} {
		_, err := load(t, []string{x}, Options{TargetPath: write(t, test.name, []byte(test.text))})
		wantFault(t, test.text, err, test.says)
	}
}
