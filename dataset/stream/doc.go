// Package stream reads samples from files of any size, batch by batch. The formats are texts with
// separated cells (CSV), NumPy's .npy and .npz, and idx, the format of MNIST. Files are plain or gzip,
// and come from paths, standard input, or a reader of [Options].Open.
//
// A model of package bls learns from batches, and its state does not grow with the samples. A Reader
// holds one batch and a few megabytes of the data that follows:
//
//	r, err := stream.Open(ctx, []string{"train.csv"}, stream.Options{Targets: []string{"price"}})
//	...
//	defer r.Close()
//	for {
//		batch, err := r.Next(10000)     // X is at most 10000×Dim
//		if err == io.EOF {
//			break
//		}
//		...
//		err = model.PartialFit(batch.X, batch.Y)
//	}
//
// # Samples
//
// A sample is a line of a text, or an index of the first dimension of an array. Its inputs are a row of
// X. Its targets are a row of Y or, for classification, a label, which stays text. [Options] choose the
// columns; or [Reader.Select] does after a look at the [Heading] and at the first samples
// ([Reader.Peek]). [Batch.Where] returns the place of a sample.
//
// All numbers are finite float64. Unless [Options].Missing chooses otherwise, a cell that is missing
// (empty, NA, N/A, NaN, null, None, ?) ends the reading with an [Error] that names its place. So do a
// cell that is infinite or not a number, and a line with more or fewer cells than the first. A label is
// missing only if its cell is empty: NA, None and ? are labels, NA being the code of a country.
//
// # Tables
//
// [Reader.Survey] looks at the first samples. It finds columns of words, which become inputs of 0 and
// 1, the values that replace missing cells, and how numbers are written, as in $1,234.50, 43% and
// 1.234,5. [Columns] hold all three. With them, and with [Options].Missing, missing cells are filled in
// or their samples left out. [Reader.Tally] counts these, and words that the columns do not know.
//
// For a whole text [Options].Decimal and Thousands say how numbers are written, and NA adds words for
// missing cells. Dates are an error that names the column.
//
// # Bad samples
//
// With [Options].Bad the reading goes on without bad samples. These are exactly the samples that end it
// otherwise:
//
//   - a line with a missing, infinite or non-numeric cell, with an empty label, with a negative weight,
//     or with more or fewer cells than the first;
//   - a sample of an array with NaN, an infinity or an integer that float64 cannot hold, or with an
//     invalid label;
//   - a label of more than 64 KiB.
//
// A sample is left out with its targets, whichever of the two is bad, even if they are in another file.
// If a sample has several faults, Bad receives one of them.
//
// Every other fault is a fault of the file and ends the reading, such as a header that does not fit,
// damaged data, or a record that is too long. A quotation mark out of place is a fault of its line if
// the line has an even number of them. Otherwise the next sample cannot be found, and it is a fault of
// the file. In quoted text, a record with too many cells is also a fault of the file.
//
// [Batch.Number] and [Batch].First number a sample the same whichever others are bad.
//
// # Texts
//
// The format is RFC 4180 as encoding/csv reads it. Cells in quotation marks may have separators, line
// ends and doubled quotation marks. Lines end with LF or CRLF, the last one also with neither; empty
// lines are skipped. A byte order mark of UTF-8 is dropped. Spaces and tabs around a cell are no part
// of it. Numbers are read as by strconv.ParseFloat, to the last bit. The separator and the header are
// found automatically ([Options], [Header]). A record has at most 16 MiB and 2^20 cells,
// separators within cells counted too.
//
// Text without quotation marks is parsed in place, about as fast as strconv converts, up to two chunks
// ahead of the caller by other goroutines.
//
// # NumPy
//
// An .npz must be a plain file of this machine, since its arrays have no fixed order: not gzip, a pipe
// or standard input. Names of arrays are never used as names of files.
//
// Versions 1 to 3 of .npy are read, with bool, integers of 1 to 8 bytes, float16, float32 and
// float64 in either byte order. Arrays are in C order; a matrix in a plain .npy file may be in
// Fortran order, as numpy.save(x.T) writes it. Samples with more than one dimension become rows in C
// order; one-dimensional arrays are one column. Integers of 64 bits that float64 cannot hold are
// errors. Labels may be integers, truth values, whole floating point numbers, and text (<U, |S).
// Complex numbers, dates, structured arrays, and Python objects, whose unpickling runs programs, are
// refused by name.
//
// # idx
//
// All types of elements are read, up to eight dimensions. Unsigned bytes in three or more dimensions
// are pixels and become pixel/255, as in dataset.Images.Dense.
//
// # Bounds
//
// Memory follows the bytes that arrive, never a header. Packed data is unpacked while it is read. Data
// that is shorter or longer than its header says is an error.
//
// For n bytes, counted unpacked, a Reader allocates at most 320 n bytes and 8 MiB (FuzzOpen). An array
// of an .npz adds 128 KiB, a batch 512 bytes. With Options.Bad it allocates 8 KiB for each bad sample,
// until Bad returns (TestBadMemory). Describe allocates as much again, and keeps 64 words of 256 bytes
// for each column. Without Peek and .npz it is at most 288 n bytes and 2 MiB (TestHostileMemory).
//
// A Reader keeps the batch at hand and the data that follows:
//
//   - of a text at most four chunks of at most 16 MiB;
//   - of an array a sample or 2^17 elements (2^21 in Fortran order);
//   - of a pipe, until the first Next, all that Open, Peek and Describe look at, at most 1 GiB.
//
// It bounds the first two records of a text with blank lines (48 MiB) and a label (64 KiB). Of
// arrays it bounds a sample (2^24 elements), the header (64 KiB), their number in an .npz (1024) and
// its directory (1 MiB).
//
// The batch takes 8 rows (Dim + Outputs + 8) bytes, and 8 bytes more for each row and column of data
// with columns of words. Dim is up to 64 times their number: check it before you request rows of
// untrusted data.
//
// Checksums of gzip and of the arrays of an .npz that are read are verified at the end of the data,
// before [Reader.Next] returns io.EOF.
package stream
