package dataset

import (
	"encoding/binary"
	"io"

	"blskernel/internal/io/memory"
)

// MaxMatrixBytes is the largest number of bytes that the elements of a binary matrix may take,
// unpacked. It is checked before any allocation. The largest file of small NORB has 447,897,600 bytes.
const MaxMatrixBytes = 1 << 30

// An elementType describes the elements of a binary matrix.
type elementType struct {
	magic uint32
	size  int
	name  string
}

var (
	matrixBytes = elementType{0x1E3D4C55, 1, "bytes"}
	matrixInts  = elementType{0x1E3D4C54, 4, "32-bit integers"}
)

const minDimFields = 3 // dimension fields of the shortest header, used or not

// The contents of small NORB's files, and the reduction of an image pair.
const (
	norbClasses = 5
	norbSide    = 96 // rows and columns of a published image
	norbWindow  = 3  // rows and columns that are averaged to one pixel
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
// LeCun. Each file may be plain or gzipped, with or without .gz after its name:
//
//	smallnorb-5x46789x9x18x6x2x96x96-training-dat.mat   and -cat.mat
//	smallnorb-5x01235x9x18x6x2x96x96-testing-dat.mat    and -cat.mat
//
// It returns images of 64×32 pixels in 5 classes; small NORB has 24,300 in each set. An image has two
// reduced views of a toy, the left one above the right one. If p[i] are the published pixels of pair i,
// and v is 0 for the left view and 1 for the right one, then
//
//	Pixels[(i*64+32v+r)*32+c] = round(mean of p[i][v][3r..3r+2][3c..3c+2]).
//
// The papers on broad learning train on 2×32×32 pixels and do not say how they reduce the images. The
// mean of 3×3 pixels is our choice: every pixel has the same weight, and no mean of nine integers needs
// a rule for rounding halves. The classes are 0 four-legged animals, 1 human figures, 2 airplanes,
// 3 trucks and 4 cars. Name is the folder's name followed by "(train)" or "(test)".
//
//	memory: 100 MB for small NORB, and up to half as much again while reading.
//	errors: as [LoadMNIST], but with 4 as the largest label.
func LoadNORB(dir string) (train, test *Images, err error) { return norb.load(nil, dir) }

// readNORBImages reads and reduces an n×2×96×96 matrix of bytes.
func readNORBImages(r io.Reader) (*Images, error) {
	n, b, err := openMatrix(r, matrixBytes, norbViews, norbSide, norbSide)
	if err != nil {
		return nil, err
	}
	const reduced = norbReduced * norbReduced
	var pixels []byte
	image := make([]byte, norbSide*norbSide)
	for at := 0; at < b.size; at += len(image) {
		if n, err := io.ReadFull(b.r, image); err != nil {
			return nil, b.truncated(err, at+n)
		}
		if len(pixels)+reduced > cap(pixels) {
			pixels = append(make([]byte, 0, min(n*norbViews*reduced, max(memory.FirstRead, 2*cap(pixels)))), pixels...)
		}
		pixels = pixels[:len(pixels)+reduced]
		reduceImage(pixels[len(pixels)-reduced:], image)
	}
	if err := b.end(); err != nil {
		return nil, err
	}
	return &Images{Rows: norbViews * norbReduced, Cols: norbReduced, Pixels: pixels}, nil
}

// reduceImage sets each pixel of dst (32×32) to the rounded mean of 3×3 pixels of src (96×96).
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
	n, b, err := openMatrix(r, matrixInts)
	if err != nil {
		return nil, err
	}
	raw, err := b.read()
	if err != nil {
		return nil, err
	}
	labels := make([]byte, n)
	for i := range labels {
		at := matrixInts.size * i
		v := int32(binary.LittleEndian.Uint32(raw[at:]))
		if v < 0 || v >= norbClasses {
			return nil, faultf(b.start+int64(at), "category %d of sample %d is outside 0 to %d", v, i, norbClasses-1)
		}
		labels[i] = byte(v)
	}
	return labels, nil
}

// openMatrix unpacks r if it is gzipped and reads the header of a binary matrix with the given element
// type and the dimensions n, shape[0], shape[1], ... It returns n and the body with the elements.
func openMatrix(r io.Reader, of elementType, shape ...int) (n int, b body, err error) {
	if b.r, err = unpack(r); err != nil {
		return 0, b, err
	}
	dims := 1 + len(shape)
	head := make([]byte, 8+4*max(dims, minDimFields))
	got, err := io.ReadFull(b.r, head)
	field := func(at int) uint32 { return binary.LittleEndian.Uint32(head[at:]) }
	// The magic is checked first, so that a file of another format is not reported as truncated.
	if got >= 4 && field(0) != of.magic {
		return 0, b, faultf(0, "magic %#08x; a binary matrix of %s begins with %#08x", field(0), of.name, of.magic)
	}
	if err != nil {
		return 0, b, readFault(err, int64(got), "header truncated: %d of %d bytes", got, len(head))
	}
	if field(4) != uint32(dims) {
		return 0, b, faultf(4, "%d dimensions; want %d", field(4), dims)
	}
	size := of.size
	for i, want := range shape {
		at := 12 + 4*i
		if field(at) != uint32(want) {
			return 0, b, faultf(int64(at), "dimension %d is %d; want %d", i+1, field(at), want)
		}
		size *= want
	}
	if limit := MaxMatrixBytes / size; field(8) == 0 || field(8) > uint32(limit) {
		return 0, b, faultf(8, "dimension 0 is %d; want 1 to %d", field(8), limit)
	}
	n = int(field(8))
	b.start, b.size = int64(len(head)), n*size
	return n, b, nil
}
