package stream

import (
	"bytes"
	"io"
	"testing"

	"blskernel/internal/testutil"
)

func TestNPYTypes(t *testing.T) {
	testutil.NotUnderRace(t, "one reader of many arrays")
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
				file := append(npyHeader(byte(1+i%3), descr, fortran, shape...), arrayBytes(descr, fortran, values, shape...)...)
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
