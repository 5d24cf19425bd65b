package dataset

import (
	"bytes"
	"io"
	"testing"
)

// addMatrixSeeds gives f good and bad files of all kinds, plain and gzip.
func addMatrixSeeds(f *testing.F) {
	images, _ := pairs(1)
	cat := matrixOf(magicInt, int32s(0, 1, 4), 3)
	info := matrixOf(magicInt, int32s(4, 8, 34, 5, 9, 0, 2, 0), 2, 4)
	for _, b := range [][]byte{
		images, cat, info, images[:30], cat[:19], info[:7], nil, append(bytes.Clone(cat), 1),
		matrixOf(magicByte, counted(6), 2, 3), matrixFile(magicByte, 1, []uint32{2, 0, 9}, []byte{1, 2}),
		matrixOf(magicByte, counted(84), MaxMatrixBytes), matrixOf(magicInt, nil, MaxMatrixBytes/4+1),
		matrixOf(magicByte, nil, 1<<32-1, 1<<32-1, 1<<32-1, 1<<32-1), matrixFile(magicByte, 1<<31, make([]uint32, 8), nil),
		matrixOf(magicInt, int32s(5), 1), matrixOf(magicInt, int32s(0, 0, 1, 0), 1, 4),
	} {
		f.Add(b)
		z := gzipped(b)
		f.Add(z)
		f.Add(z[:len(z)-5])
	}
}

// sameHeader tells whether data begins with the header of a matrix of that magic number and those
// dimensions.
func sameHeader(data []byte, magic uint32, dims []int) bool {
	var fields []uint32
	for _, d := range dims {
		fields = append(fields, uint32(d))
	}
	return bytes.HasPrefix(data, matrixFile(magic, uint32(len(dims)), fields, nil))
}

func FuzzReadMatrixBytes(f *testing.F) {
	addMatrixSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var dims []int
		var body []byte
		var err error
		checkFile(t, data, func(r io.Reader) error { dims, body, err = ReadMatrixBytes(r); return err })
		if err != nil {
			if dims != nil || body != nil {
				t.Error("elements beside an error")
			}
			return
		}
		n := 1
		for _, d := range dims {
			n *= d
		}
		if n != len(body) || cap(body) != n {
			t.Errorf("dimensions %v, %d elements, capacity %d", dims, len(body), cap(body))
		}
		if !bytes.HasPrefix(data, gzipMagic) && !(sameHeader(data, magicByte, dims) && bytes.Equal(data[8+4*max(len(dims), 3):], body)) {
			t.Error("the matrix does not make the file it was read from")
		}
	})
}

func FuzzReadMatrixInts(f *testing.F) {
	addMatrixSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var dims []int
		var values []int32
		var err error
		checkFile(t, data, func(r io.Reader) error { dims, values, err = ReadMatrixInts(r); return err })
		if err == nil && !bytes.HasPrefix(data, gzipMagic) &&
			!(sameHeader(data, magicInt, dims) && bytes.Equal(data[8+4*max(len(dims), 3):], int32s(values...))) {
			t.Error("the matrix does not make the file it was read from")
		}
	})
}

func FuzzReadNORB(f *testing.F) {
	addMatrixSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var s *Images
		var err error
		checkFile(t, data, func(r io.Reader) error { s, err = ReadNORBImages(r); return err })
		if err == nil && (s.Len() < 1 || s.Len()*64*32 != len(s.Pixels) || cap(s.Pixels) != len(s.Pixels)) {
			t.Errorf("%d images in %d bytes, capacity %d", s.Len(), len(s.Pixels), cap(s.Pixels))
		}
		var labels []byte
		checkFile(t, data, func(r io.Reader) error { labels, err = ReadNORBLabels(r); return err })
		for _, v := range labels {
			if v > 4 {
				t.Errorf("category %d", v)
			}
		}
		var views []NORBView
		checkFile(t, data, func(r io.Reader) error { views, err = ReadNORBInfo(r); return err })
		for _, v := range views {
			if v.Instance > 9 || v.ElevationDegrees() > 70 || v.AzimuthDegrees()%20 != 0 || v.AzimuthDegrees() > 340 || v.Lighting > 5 {
				t.Errorf("view %+v", v)
			}
		}
	})
}
