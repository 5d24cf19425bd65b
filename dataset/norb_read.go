package dataset

import (
	"fmt"
	"io"
	"slices"
)

// The contents of small NORB's files, and the reduction of an image pair.
const (
	norbClasses = 5
	norbSide    = 96 // rows and columns of an image as it is published
	norbWindow  = 3  // rows and columns of the window of a mean
	norbReduced = norbSide / norbWindow
	norbViews   = 2 // images of a pair, left and right
	norbFacts   = 4 // numbers of an info file for each pair
)

// ReadNORBImages reads a dat file of small NORB, a binary matrix of bytes of n×2×96×96, from r, up to
// the end of r, unpacked if it is gzip. It returns n images of 64×32, the left image above the right
// one: with p the published pixels of pair i, and v = 0 for the left image and 1 for the right one,
//
//	Pixels[(i*64+32v+r)*32+c] = round(mean of p[i][v][3r..3r+2][3c..3c+2]).
//
// The papers on broad learning train on 2×32×32 pixels and do not say how they reduce the images. The
// mean of 3×3 pixels is our choice: every pixel has the same weight, and no mean of nine integers needs
// a rule for rounding halves.
//
//	memory: the result, with up to as much again while it grows, and one published image.
//	errors: those of [ReadMatrixBytes]; *FormatError for other dimensions than n×2×96×96.
func ReadNORBImages(r io.Reader) (*Images, error) {
	r, h, err := openMatrix(r, magicByte, 1)
	if err != nil {
		return nil, err
	}
	if len(h.dims) != 4 || !slices.Equal(h.dims[1:], []int{norbViews, norbSide, norbSide}) {
		return nil, &FormatError{Offset: 4, Msg: fmt.Sprintf("a matrix of %s, want n×2×96×96", shape(h.dims))}
	}
	const reduced = norbReduced * norbReduced
	total := h.dims[0] * norbViews * reduced
	pixels := make([]byte, 0, min(total, firstChunk))
	image := make([]byte, norbSide*norbSide)
	for at := 0; at < h.size; at += len(image) {
		if n, err := io.ReadFull(r, image); err != nil {
			return nil, h.truncated(err, at+n)
		}
		if len(pixels)+reduced > cap(pixels) {
			pixels = grown(pixels, total)
		}
		pixels = pixels[:len(pixels)+reduced]
		reduceImage(pixels[len(pixels)-reduced:], image)
	}
	if err := h.end(r); err != nil {
		return nil, err
	}
	return &Images{Rows: norbViews * norbReduced, Cols: norbReduced, Pixels: pixels}, nil
}

// reduceImage sets each of the 32×32 pixels of dst to the rounded mean of 3×3 pixels of src, 96×96.
func reduceImage(dst, src []byte) {
	for r := range norbReduced {
		band := src[norbWindow*norbSide*r:][:norbWindow*norbSide]
		upper, middle, lower := band[:norbSide], band[norbSide:2*norbSide], band[2*norbSide:]
		for c := range norbReduced {
			sum := 0
			for j := norbWindow * c; j < norbWindow*(c+1); j++ {
				sum += int(upper[j]) + int(middle[j]) + int(lower[j])
			}
			dst[norbReduced*r+c] = byte((sum + 4) / 9)
		}
	}
}

// ReadNORBLabels reads a cat file of small NORB, a binary matrix of n integers, as [ReadNORBImages].
// The categories are 0 four-legged animals, 1 human figures, 2 airplanes, 3 trucks and 4 cars.
//
//	errors: those of [ReadMatrixInts]; *FormatError for more than one dimension and for a category
//	that is not 0 to 4.
func ReadNORBLabels(r io.Reader) ([]byte, error) {
	dims, data, err := ReadMatrixInts(r)
	if err != nil {
		return nil, err
	}
	if len(dims) != 1 {
		return nil, &FormatError{Offset: 4, Msg: fmt.Sprintf("a matrix of %s, want n", shape(dims))}
	}
	labels := make([]byte, len(data))
	for i, v := range data {
		if v < 0 || v >= norbClasses {
			return nil, &FormatError{Offset: norbElement(i), Msg: fmt.Sprintf("category %d of sample %d is not 0 to %d", v, i, norbClasses-1)}
		}
		labels[i] = byte(v)
	}
	return labels, nil
}

// A NORBView says how an image pair of small NORB was taken.
type NORBView struct {
	Instance  byte // which toy of its category, 0 to 9
	Elevation byte // of the cameras, 0 to 8, for 30 to 70 degrees above the horizontal in steps of 5
	Azimuth   byte // even, 0 to 34: a tenth of the degrees, which begin anywhere for each toy
	Lighting  byte // which of the lightings, 0 to 5
}

// ElevationDegrees returns 30 + 5 Elevation.
func (v NORBView) ElevationDegrees() int { return 30 + 5*int(v.Elevation) }

// AzimuthDegrees returns 10 Azimuth.
func (v NORBView) AzimuthDegrees() int { return 10 * int(v.Azimuth) }

// ReadNORBInfo reads an info file of small NORB, a binary matrix of n×4 integers, as [ReadNORBImages].
// Element i describes image pair i.
//
//	errors: those of [ReadMatrixInts]; *FormatError for other dimensions than n×4 and for a number
//	out of the ranges of [NORBView].
func ReadNORBInfo(r io.Reader) ([]NORBView, error) {
	dims, data, err := ReadMatrixInts(r)
	if err != nil {
		return nil, err
	}
	if len(dims) != 2 || dims[1] != norbFacts {
		return nil, &FormatError{Offset: 4, Msg: fmt.Sprintf("a matrix of %s, want n×4", shape(dims))}
	}
	for i, v := range data {
		what := [norbFacts]string{"instance", "elevation", "azimuth", "lighting"}[i%norbFacts]
		most := [norbFacts]int32{9, 8, 34, 5}[i%norbFacts]
		if v < 0 || v > most || what == "azimuth" && v%2 != 0 {
			want := fmt.Sprintf("0 to %d", most)
			if what == "azimuth" {
				want = "even and " + want
			}
			return nil, &FormatError{Offset: norbElement(i), Msg: fmt.Sprintf("%s %d of sample %d is not %s", what, v, i/norbFacts, want)}
		}
	}
	views := make([]NORBView, dims[0])
	for i := range views {
		d := data[norbFacts*i:]
		views[i] = NORBView{byte(d[0]), byte(d[1]), byte(d[2]), byte(d[3])}
	}
	return views, nil
}

// norbElement is where element i of a matrix of integers with at most leastDimFields dimensions begins.
func norbElement(i int) int64 { return int64(8+4*leastDimFields) + intBytes*int64(i) }

// shape writes dimensions as 24300×4.
func shape(dims []int) string {
	s := ""
	for i, d := range dims {
		if i > 0 {
			s += "×"
		}
		s += fmt.Sprint(d)
	}
	return s
}
