// Package stream reads samples from files of any size, batch by batch: from texts with separated cells
// (CSV), from NumPy's .npy and .npz, and from idx files, the format of MNIST; from paths, standard input,
// or wherever [Options].Open gets them from, plain or gzip.
//
// A model of package bls learns from batches and keeps a state whose size does not depend on the number
// of samples. So that the data need not fit into memory either, a Reader holds no more than the batch
// at hand and a few megabytes of what comes next:
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
// # What a sample is
//
// A line of a text, or an index of the first dimension of an array. Its inputs are a row of X and its
// targets a row of Y, or, for classification, a label, which is kept as text: what numbers stand for
// the classes is for the caller to say. [Options] choose the columns, or [Reader.Select] after a look at
// the [Heading] and, by [Reader.Peek], at the first samples; that loses none of a pipe, which can be
// read once. [Batch.Where] tells where a sample stands.
//
// All numbers are finite float64. A cell that is missing (empty, NA, N/A, NaN, null, None, ?), infinite
// or no number ends the reading with an [Error] that says where it stands: a learner that is given a
// guess instead of a number gives no sign of it. So does a line that has more or fewer cells than the
// first. A label is missing only where its cell is empty: NA, None, ? and the like are labels as any
// other text, since they can be the names of classes, NA being the code of a country.
//
// # Bad samples
//
// Where there are more samples than anybody can look through, [Options].Bad decides about those that
// cannot be used, and the reading goes on without them. These are exactly the samples at which it would
// end: a line with a cell that is missing, infinite or no number, with an empty label, or with more or
// fewer cells than the first; a sample of an array with NaN, an infinity or an integer that float64 cannot
// hold in any of its columns, or with a label that is none. A sample is left out with its targets, in
// whichever of the two the fault is, also where these are a file of their own: both stay in step. Of
// several faults of a sample Bad is told one.
//
// All else is a fault of the file and ends the reading as without Bad: what is found in its beginning,
// such as a header that does not fit, data that is cut off or damaged, inputs and targets that differ in
// number, a record that is too long. A quotation mark out of place is a fault of its line if the line has
// an even number of them; else it leaves open where the next sample begins, and is one of the file.
//
// Samples that are left out count as those that are skipped do: in [Batch].First and for [Reader.Skip] a
// sample has the same number whichever others are bad.
//
// # Texts
//
// The format is RFC 4180 as encoding/csv reads it: cells in quotation marks may have separators, line
// ends and doubled quotation marks; lines end with LF or CRLF, the last one with either or none; empty
// lines are passed over. A byte order mark of UTF-8 is dropped. Spaces and tabs around a cell are no
// part of it. Numbers are read as strconv.ParseFloat does, to the last bit. The separator and the
// header are found by themselves ([Options], [Header]). A record has at most 16 MiB and 2^20 cells.
//
// Pieces without quotation marks, which most tables of numbers consist of, are parsed in place, about
// as fast as strconv can convert, and two pieces ahead of the caller by other goroutines.
//
// # NumPy
//
// An .npz is read in no fixed order. One that is packed by gzip, or comes through a pipe or standard
// input, is copied to a temporary file first, which is gone at the end, and the array in it is unpacked as it is
// read. What comes through a pipe as it is is bounded by the room on the disk alone. What gzip unpacks to is refused
// beyond 64 MiB and 16 times its own size, since a megabyte can unpack to a gigabyte; unpack such a file yourself. The
// names of arrays are never names of files.
//
// Versions 1 to 3 of .npy; bool, integers of 1 to 8 bytes with and without sign, float16, float32 and
// float64 in either order of bytes; C and Fortran order. In Fortran order the elements of a sample lie
// apart, so that a plain file, or a member of an .npz that numpy.savez has not compressed, is needed.
// Samples with more than one dimension are taken as rows in C order; one-dimensional arrays are one
// column. Integers of 64 bits that float64 cannot hold, which are some beyond 2^53, are errors. Labels
// may be integers, truth values, whole floating point numbers, and text (<U, |S). What cannot be read
// is refused by name: complex numbers, dates, structured arrays, and Python objects, since unpickling
// runs programs.
//
// # idx
//
// All types of elements, up to eight dimensions. Unsigned bytes in three or more dimensions are pixels
// and become pixel/255, as dataset.Images.Dense makes them, so that a model learns the same from both.
// Others are taken as they are.
//
// # Bounds
//
// Nothing is allocated because a header promises it: memory follows the bytes that have arrived. Packed
// data is unpacked while it is read, so that a small file that unpacks to a large one costs time and
// not memory. Data that is shorter or longer than its header says is an error.
//
// Of n bytes, counted as they are unpacked, a Reader allocates no more than 288 n bytes and 8 MiB on
// the way, 128 KiB for each array of an .npz, 512 bytes for a batch, and with Options.Bad 8 KiB for each
// bad sample, which are free again when Bad has returned. It keeps of them the batch at hand and what
// comes next: of a text at most four pieces of at most 16 MiB, of an array a sample or 2^20 elements.
// What is read once, without Peek and not as an .npz, is far from the 8 MiB: for the data of which most
// is known to be allocated it is 256 n bytes and 2 MiB. There is a bound for whatever is held as a
// whole: a record of a text has one, and so have a sample of an array (2^24 elements), the header of an
// array (64 KiB), the arrays of an .npz (1024) and its directory (1 MiB). The batch takes
// 8 rows (Dim + Outputs) bytes, so that a caller who does not trust the data looks at Dim before it asks
// for rows. FuzzOpen holds the package to the first of these bounds, TestHostileMemory to the second,
// and TestBadMemory to that for bad samples. Messages show a few of the names that data has, and the
// first bytes of each.
//
// Checksums of gzip and of the arrays of an .npz that are read, targets included, are verified at the end
// of the data: before [Reader.Next] returns io.EOF, but after the samples have been delivered. An array
// in Fortran order, which is not read from its beginning to its end, is read once for that before the
// first sample. What Skip jumps over in packed data is verified as well.
package stream
