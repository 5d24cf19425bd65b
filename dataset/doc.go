// Package dataset supplies labeled grey images. It reads the idx files of MNIST and the binary
// matrices of small NORB, and draws a synthetic digit set that needs no file. docs/data.md says where
// to find the files and how to check them.
//
// # Images
//
// [Images] holds n images of Rows×Cols pixels, one byte per pixel, one image after the other, each
// row-major. 60,000 MNIST images take 47 MB as bytes and 376 MB as float64, and an incremental learner
// needs only the rows of one batch as numbers:
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
//	2       1     element type; 0x08 is the unsigned byte
//	3       1     number of dimensions d: 3 for images (n, rows, cols), 1 for labels (n)
//	4       4*d   the dimensions, unsigned 32-bit
//	4+4*d         the elements, last dimension fastest
//
// Source: Y. LeCun, C. Cortes and C. J. C. Burges, "The MNIST database of handwritten digits". Files
// may be gzipped. Package stream reads other types and dimensions too.
//
// # The binary matrix format of small NORB
//
// All integers are little-endian:
//
//	offset  size  content
//	0       4     magic: 0x1E3D4C55 for bytes, 0x1E3D4C54 for 32-bit integers; there are others
//	4       4     number of dimensions d
//	8       4*m   the dimensions, where m = max(d, 3); unused ones are 1 and are ignored
//	8+4*m         the elements, last dimension fastest
//
// Two files of each set, training and test, are read: dat holds n×2×96×96 bytes, n pairs of images of
// toys; cat holds n integers, the category of each pair. Their names end in .mat, but they are not
// MATLAB files. Source: F. J. Huang and Y. LeCun, "The small NORB Dataset, V1.0" (2005). [LoadNORB]
// reduces an image pair to 2×32×32 pixels while it reads, so that it holds 100 MB instead of 896.
//
// # The synthetic set
//
// [Digits] generates digits for examples, tests and the demonstration. An accuracy on it shows that a
// program works, not how well a method reads handwriting. Its arithmetic is on integers, so a seed
// gives the same bytes on every platform.
package dataset
