// Package dataset supplies labelled grey images to a broad learning system: readers of idx files, the
// format of MNIST, and of the binary matrix files of small NORB, a whitening of samples, and a
// synthetic digit set that needs no file at all. docs/data.md says where to get the
// files and how to check them.
//
// # Images
//
// [Images] holds n images of Rows×Cols pixels, one byte a pixel, one image after the other, each
// row-major. Bytes and not float64, because 60,000 MNIST images are 47 MB as bytes and 376 MB as
// float64, and an incremental learner needs as numbers only the rows of the batch at hand:
//
//	x := set.Dense(from, to)      // (to-from)×(Rows*Cols), x[i][j] = pixel/255
//	y := set.LabelsInt(from, to)  // to-from class numbers
//
// # The idx format
//
// An idx file is a header and a body, all integers big-endian:
//
//	offset  size  content
//	0       2     zero
//	2       1     element type; 0x08 is the unsigned byte, the only one read here
//	3       1     number of dimensions d: 3 for images (n, rows, cols), 1 for labels (n)
//	4       4*d   the dimensions, unsigned 32-bit
//	4+4*d         the elements, last dimension fastest
//
// so that the first four bytes are 0x00000803 for images and 0x00000801 for labels. The format is
// described by Y. LeCun, C. Cortes and C. J. C. Burges, "The MNIST database of handwritten digits".
// A header can lie, so every field is checked against [MaxIDXImages], [MaxIDXSide] and
// [MaxIDXBytes], and memory grows with the bytes that have really arrived, never with a promise.
// What is wrong with a file is a [FormatError] that gives the file and the offset; files that are
// not there are a [MissingError] that says which are expected.
//
// # The binary matrix format of small NORB
//
// All integers are little-endian:
//
//	offset  size  content
//	0       4     magic: 0x1E3D4C55 for bytes, 0x1E3D4C54 for 32-bit integers; there are others
//	4       4     number of dimensions d
//	8       4*m   the dimensions, where m = max(d, 3): a header has room for three at the least, and
//	              what stands in those that are not used means nothing (it is 1)
//	8+4*m         the elements, last dimension fastest
//
// The set has a training and a test part of three files each: dat, n×2×96×96 bytes, the pair of
// images of each toy; cat, n integers, its category; info, n×4 integers, which toy of its category it is and how
// it was taken ([NORBView]). The ending of their names is .mat, but they are no files of MATLAB. They are
// described on the page of their authors, F. J. Huang and Y. LeCun, "The small NORB Dataset, V1.0" (2005);
// the bounds are [MaxMatrixDims] and [MaxMatrixBytes], and the rest of the care is that of the idx
// reader. [LoadNORB] reduces an image pair to 2×32×32 pixels while it reads, so that of 896 MB unpacked 100 MB
// are held; [ReadNORBImages] says how, and that it is a choice.
//
// [ZCA] is the whitening that the reference code of broad learning applies to small NORB.
//
// # The synthetic set
//
// [Digits] draws digits by code. It is not MNIST and does not stand for it: accuracies reached on
// it say that a program works, not how well a method reads handwriting. It is there so that
// examples, tests and the demonstration run on a machine with nothing but Go. Its drawing is in
// integer arithmetic throughout, so a seed means the same bytes on every platform.
package dataset
