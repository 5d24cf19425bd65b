package dataset

import (
	"slices"

	"blskernel/dataset/internal/sets"
)

// The contents of small NORB's files, and the reduction of an image pair.
const (
	norbSide    = 96 // rows and columns of a published image
	norbWindow  = 3  // rows and columns that are averaged to one pixel
	norbReduced = norbSide / norbWindow
	norbViews   = 2 // images of a pair, left and right
)

var norb = format{
	files: sets.NORB, classes: 5, want: "n×2×96×96",
	size: func(shape []int64) (rows, cols int) {
		if len(shape) != 4 || !slices.Equal(shape[1:], []int64{norbViews, norbSide, norbSide}) {
			return 0, 0
		}
		return norbViews * norbReduced, norbReduced
	},
	add: func(pixels, panel []byte) []byte {
		for image := range slices.Chunk(panel, norbSide*norbSide) {
			pixels = reduceImage(pixels, image)
		}
		return pixels
	},
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
// mean of 3×3 pixels is our choice: every pixel has the same weight, and rounding the mean of nine
// integers has no ties. The classes are 0 four-legged animals, 1 human figures, 2 airplanes, 3 trucks
// and 4 cars. Name is the folder's name followed by "(train)" or "(test)".
//
//	memory: 100 MB for small NORB, and up to as much again while reading.
//	errors: as [LoadMNIST], but with 4 as the largest label.
func LoadNORB(dir string) (train, test *Images, err error) { return norb.load(nil, dir) }

// reduceImage appends 32×32 pixels to dst, each the rounded mean of 3×3 pixels of src (96×96).
func reduceImage(dst, src []byte) []byte {
	for r := range norbReduced {
		rows := src[norbWindow*norbSide*r:][:norbWindow*norbSide]
		upper, middle, lower := rows[:norbSide], rows[norbSide:2*norbSide], rows[2*norbSide:]
		for c := range norbReduced {
			sum := 0
			for j := norbWindow * c; j < norbWindow*(c+1); j++ {
				sum += int(upper[j]) + int(middle[j]) + int(lower[j])
			}
			dst = append(dst, byte((sum+4)/9))
		}
	}
	return dst
}
