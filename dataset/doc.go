// Package dataset supplies labelled grey images to a broad learning system: a reader of idx files,
// the format of MNIST, and a synthetic digit set that needs no file at all.
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
// # The synthetic set
//
// [Digits] draws digits by code. It is not MNIST and does not stand for it: accuracies reached on
// it say that a program works, not how well a method reads handwriting. It is there so that
// examples, tests and the demonstration run on a machine with nothing but Go. Its drawing is in
// integer arithmetic throughout, so a seed means the same bytes on every platform.
package dataset
