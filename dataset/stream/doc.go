// Package stream reads samples from files of any size, batch by batch. The formats are CSV, NumPy's
// .npy and .npz, idx (the format of MNIST), and the binary matrices of small NORB. Files are plain or
// gzipped, and come from paths, standard input, or a reader of [Options].Open.
//
// A Reader holds only one batch, and the sample after it, in memory:
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
// A sample is a record of a CSV file, or one slice of an array along its first dimension. Its inputs
// are a row of X, its targets a row of Y or, for classification, a label as text. [Options]
// choose the columns. [Reader.Heading] and [Reader.Peek] show what the data holds, and [Reader.Select]
// can then choose other columns.
//
// All numbers are finite float64. Unless [Options].Missing chooses otherwise, a missing cell (empty,
// NA, N/A, NaN, null, None, ?) ends the reading with an [Error] that names its place. As a label, None
// names a class.
//
// # Tables
//
// [Reader.Survey] finds, in the first samples, columns of words (inputs of 0 and 1), values that
// replace missing cells, and the notation of numbers, as in $1,234.50, 43% and 1.234,5. [Columns] hold
// all three. With them and [Options].Missing, missing cells are filled in or their samples left out.
// [Reader.Tally] counts filled-in cells, left-out samples and unknown words.
//
// # Bad samples
//
// With [Options].Bad the Reader skips bad samples, which otherwise end the reading:
//
//   - a line with a missing, infinite or non-numeric cell, a missing label, a negative weight, or
//     more or fewer cells than the first;
//   - a sample of an array with NaN, infinity, an integer that float64 cannot hold, or an invalid
//     label;
//   - a label above 64 KiB.
//
// A sample is left out with its targets. Bad receives one of its faults.
// [Batch.Number] and [Batch].First count bad samples too.
//
// Any other fault, such as an overlong record, ends the reading.
//
// # Formats
//
// CSV files follow RFC 4180 as encoding/csv reads it. Empty lines, a UTF-8 byte order mark, and spaces
// and tabs around a cell are skipped. In a file of one column an empty line between samples is a
// missing cell. Decimal numbers are read as by strconv.ParseFloat, without underscores. The separator
// and the header are detected ([Options], [Header]).
//
// NumPy's .npy may hold bool, integers of 1 to 8 bytes, float16, float32 and float64 in either byte
// order. Samples of several dimensions are flattened in C order; a matrix may be in Fortran order.
// Labels may also be text. An .npz must be a local file, not gzipped.
//
// An idx file may have elements of any type, but a binary matrix only bytes or 32-bit integers. Both
// may have up to eight dimensions. With three or more, an unsigned byte b becomes b/255.
//
// # Bounds
//
// Memory grows with the bytes that arrive, whatever a header claims. For n unpacked bytes a Reader
// allocates at most 320 n bytes plus 8 MiB. Each .npz array adds 128 KiB, each batch 512 bytes, each
// kept cell 128 bytes, each bad sample 8 KiB until Bad returns. A Survey adds 8 KiB for each column,
// and [Columns] add 64 bytes for each input of each row. A batch of r rows takes about 8 r (Dim +
// Outputs + 8) bytes. With Columns, Dim may be 66 times the columns, so check it first.
// docs/reliability.md lists all limits. Checksums are verified before [Reader.Next] returns io.EOF.
package stream
