package dataset

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Bounds on the header of a binary matrix, checked before any allocation. The largest file of small
// NORB has 4 dimensions and 447,897,600 bytes.
const (
	MaxMatrixDims  = 8       // dimensions
	MaxMatrixBytes = 1 << 30 // bytes of the elements, unpacked
)

// An elementType is that of a binary matrix.
type elementType struct {
	magic uint32
	size  int
	name  string
}

var (
	matrixBytes = elementType{0x1E3D4C55, 1, "bytes"}
	matrixInts  = elementType{0x1E3D4C54, 4, "32-bit integers"}
)

const leastDimFields = 3 // dimensions of the shortest header, used or not

// The contents of small NORB's files, and the reduction of an image pair.
const (
	norbClasses = 5
	norbSide    = 96 // rows and columns of an image as it is published
	norbWindow  = 3  // rows and columns of the window of a mean
	norbReduced = norbSide / norbWindow
	norbViews   = 2 // images of a pair, left and right
)

var norb = format{
	files: []string{
		"smallnorb-5x46789x9x18x6x2x96x96-training-dat.mat",
		"smallnorb-5x46789x9x18x6x2x96x96-training-cat.mat",
		"smallnorb-5x01235x9x18x6x2x96x96-testing-dat.mat",
		"smallnorb-5x01235x9x18x6x2x96x96-testing-cat.mat",
	},
	images: readNORBImages,
	labels: readNORBLabels,
}

// LoadNORB reads the training and the test set of small NORB from the files of F. J. Huang and Y.
// LeCun, each plain or gzip, which its content decides, under its name with or without .gz:
//
//	smallnorb-5x46789x9x18x6x2x96x96-training-dat.mat   and -cat.mat
//	smallnorb-5x01235x9x18x6x2x96x96-testing-dat.mat    and -cat.mat
//
// It returns images of 64×32 in 5 classes; small NORB has 24,300 in each set. An image is a pair of
// views of a toy, reduced, the left one above the right one. With p the published pixels of pair i, and
// v = 0 for the left view and 1 for the right one,
//
//	Pixels[(i*64+32v+r)*32+c] = round(mean of p[i][v][3r..3r+2][3c..3c+2]).
//
// The papers on broad learning train on 2×32×32 pixels and do not say how they reduce the images. The
// mean of 3×3 pixels is our choice: every pixel has the same weight, and no mean of nine integers needs
// a rule for rounding halves. The classes are 0 four-legged animals, 1 human figures, 2 airplanes,
// 3 trucks and 4 cars. Name is the folder's name followed by "(train)" or "(test)".
//
//	memory: 100 MB for small NORB, and up to half as much again while it reads.
//	errors: as [LoadMNIST].
func LoadNORB(dir string) (train, test *Images, err error) { return norb.load(dir) }

// readNORBImages reads and reduces a matrix of bytes of n×2×96×96.
func readNORBImages(r io.Reader) (*Images, error) {
	dims, b, err := openMatrix(r, matrixBytes)
	if err != nil {
		return nil, err
	}
	if len(dims) != 4 || !slices.Equal(dims[1:], []int{norbViews, norbSide, norbSide}) {
		return nil, faultf(4, "a matrix of %s, want n×2×96×96", shape(dims))
	}
	const reduced = norbReduced * norbReduced
	total := dims[0] * norbViews * reduced
	pixels := make([]byte, 0, min(total, firstChunk))
	image := make([]byte, norbSide*norbSide)
	for at := 0; at < b.size; at += len(image) {
		if n, err := io.ReadFull(b.r, image); err != nil {
			return nil, b.truncated(err, at+n)
		}
		if len(pixels)+reduced > cap(pixels) {
			pixels = grown(pixels, total)
		}
		pixels = pixels[:len(pixels)+reduced]
		reduceImage(pixels[len(pixels)-reduced:], image)
	}
	if err := b.end(); err != nil {
		return nil, err
	}
	return &Images{Rows: norbViews * norbReduced, Cols: norbReduced, Pixels: pixels}, nil
}

// reduceImage sets each of the 32×32 pixels of dst to the rounded mean of 3×3 pixels of src, 96×96.
func reduceImage(dst, src []byte) {
	for r := range norbReduced {
		rows := src[norbWindow*norbSide*r:][:norbWindow*norbSide]
		upper, middle, lower := rows[:norbSide], rows[norbSide:2*norbSide], rows[2*norbSide:]
		for c := range norbReduced {
			sum := 0
			for j := norbWindow * c; j < norbWindow*(c+1); j++ {
				sum += int(upper[j]) + int(middle[j]) + int(lower[j])
			}
			dst[norbReduced*r+c] = byte((sum + 4) / 9)
		}
	}
}

// readNORBLabels reads a matrix of n integers from 0 to 4.
func readNORBLabels(r io.Reader) ([]byte, error) {
	dims, b, err := openMatrix(r, matrixInts)
	if err != nil {
		return nil, err
	}
	raw, err := b.read()
	if err != nil {
		return nil, err
	}
	if len(dims) != 1 {
		return nil, faultf(4, "a matrix of %s, want n", shape(dims))
	}
	labels := make([]byte, dims[0])
	for i := range labels {
		at := matrixInts.size * i
		v := int32(binary.LittleEndian.Uint32(raw[at:]))
		if v < 0 || v >= norbClasses {
			return nil, faultf(b.start+int64(at), "category %d of sample %d is not 0 to %d", v, i, norbClasses-1)
		}
		labels[i] = byte(v)
	}
	return labels, nil
}

// openMatrix unpacks r if it is gzip and reads the header of a binary matrix of elements of one type.
// It returns the dimensions and the elements, last dimension fastest.
func openMatrix(r io.Reader, of elementType) (dims []int, b body, err error) {
	if b.r, err = unpack(r); err != nil {
		return nil, b, err
	}
	var head [8 + 4*MaxMatrixDims]byte
	n, err := io.ReadFull(b.r, head[:8])
	// The magic comes first, so that another file is not called truncated.
	if got := binary.LittleEndian.Uint32(head[:]); n >= 4 && got != of.magic {
		return nil, b, faultf(0, "magic %#08x; a binary matrix of %s begins with %#08x", got, of.name, of.magic)
	}
	if err != nil {
		return nil, b, readFault(err, int64(n), "header truncated: %d of at least %d bytes", n, 8+4*leastDimFields)
	}
	nd := binary.LittleEndian.Uint32(head[4:])
	if nd == 0 || nd > MaxMatrixDims {
		return nil, b, faultf(4, "%d dimensions, want 1 to %d", nd, MaxMatrixDims)
	}
	b.start = int64(8 + 4*max(nd, leastDimFields))
	if n, err = io.ReadFull(b.r, head[8:b.start]); err != nil {
		return nil, b, readFault(err, int64(8+n), "header truncated: %d of %d bytes", 8+n, b.start)
	}
	size := int64(of.size) // below MaxMatrixBytes before each product, so that none overflows
	for i := range int(nd) {
		v := binary.LittleEndian.Uint32(head[8+4*i:])
		size *= int64(v)
		if v == 0 || size > MaxMatrixBytes {
			return nil, b, faultf(int64(8+4*i), "dimension %d is %d; want 1 or more, and at most %d bytes in all",
				i, v, int64(MaxMatrixBytes))
		}
		dims = append(dims, int(v))
	}
	b.size = int(size)
	return dims, b, nil
}

// shape writes dimensions as 24300×4.
func shape(dims []int) string {
	text := strings.Trim(fmt.Sprint(dims), "[]")
	return strings.ReplaceAll(text, " ", "×")
}
