package stream

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"blskernel/internal/testutil/faults"
)

// TestHostileFiles reads malformed and hostile files, plain, packed and from a pipe. Every fault is an
// *Error that names the place and can be read, and memory follows the bytes that arrive.
func TestHostileFiles(t *testing.T) {
	npyOf := func(shape string, elements ...byte) []byte {
		return append(npyRaw(1, "{'descr': '|u1', 'fortran_order': False, 'shape': "+shape+", }"), elements...)
	}
	x := append(npyHeader(1, "|u1", false, 2, 2), 1, 2, 3, 4)
	y := append(npyHeader(1, "|u1", false, 3), 5, 6, 7)
	archive := npz(t, member{"X.npy", x, zip.Store}, member{"y.npy", y, zip.Store})
	encrypted := slices.Clone(archive)
	encrypted[bytes.Index(encrypted, []byte("PK\x01\x02"))+8] |= 1 // the flags of the first entry
	matrix := append(npyHeader(1, "<f8", false, 4, 3), float64s(count(0, 12)...)...)
	images := idxFile(8, make([]byte, 8), 2, 2, 2)
	wide := append(npyHeader(1, "<f8", false, 1, maxColumns), 1, 2, 3)
	none := npyHeader(1, "<f8", false, 0, 3)
	noTargets := write(t, "y.npy", npyHeader(1, "<f8", false, 0))
	long, nines := strings.Repeat("x", 1<<16), strings.Repeat("9", 100)
	for _, test := range []struct {
		name string
		file string
		data []byte
		opt  Options
		says string
	}{
		{"empty text", "x.csv", nil, Options{}, "is empty: there are no samples"},
		{"blank text", "x.csv", []byte("\n\r\n\n"), Options{}, "is empty: there are no samples"},
		{"nothing but a mark", "x.csv", []byte("\xef\xbb\xbf"), Options{}, "is empty: there are no samples"},
		{"two marks", "x.csv", []byte("\xef\xbb\xbf\xef\xbb\xbf1,2\n"), Options{Header: HeaderAbsent}, ":1: column 1 is \"\\ufeff1\", not a number"},
		{"UTF-16", "x.csv", []byte("\xff\xfe1\x00,\x002\x00\n\x00"), Options{}, "UTF-16"},
		{"UTF-16 without a mark", "x.csv", []byte("1\x00,\x002\x00\n\x003\x00,\x004\x00\n\x00"), Options{}, "not a number"},
		{"a zero byte", "x.csv", []byte("1,2\n3,\x004\n"), Options{}, `:2: column 2 is "\x004", not a number`},
		{"CR alone", "x.csv", []byte("1,2\r3,4\r5,6\r"), Options{}, `:1: column 2 is "2\r3", with a carriage return`},
		{"CR alone, with a header", "x.csv", []byte("a,b\r1,2\r3,4\r"), Options{}, "end the lines with LF or CRLF"},
		{"CR CR LF", "x.csv", []byte("a,b\r\r\n1,2\r\r\n"), Options{}, ":1: column 2 is \"b\\r\", with a carriage return"},
		{"names that are there twice", "x.csv", []byte("a,a\n1,2\n"), Options{Targets: []string{"a"}}, `more than one column named "a"`},
		{"a name of 64 KB", "x.csv", []byte(long + "y,b\n1,2\n"), Options{Targets: []string{long}}, "no column named"},
		{"fewer cells", "x.csv", []byte("1,2\n3\n"), Options{}, ":2: the line has 1 cell, but the first line has 2"},
		{"more cells", "x.csv", []byte("1,2\n3,4" + strings.Repeat(",", 9999) + "\n"), Options{}, ":2: the line has 10001 cells"},
		{"row names without a name, as R writes them", "x.csv", []byte("a,b\nr1,1,2\n"), Options{}, "or correct the first line if it lacks a name"},
		{"many columns by number", "x.csv", []byte("1,2\n3\n"), Options{Inputs: []string{"1-2000000000"}}, "the last column is 2"},
		{"a word", "x.csv", []byte("a,b\n1,2\n3,x\n"), Options{}, `:3: column "b" is "x", not a number`},
		{"a long word", "x.csv", []byte("a,b\n1,x" + nines + "\n"), Options{}, `:2: column "b" is "x` + nines[:39] + `"..., not a number`},
		{"an empty cell", "x.csv", []byte("a,b\n1,\n"), Options{}, `:2: column "b" is empty; fill in`},
		{"an empty label", "x.csv", []byte("1,a\n2,\n"), Options{Targets: []string{"2"}, Classes: true}, ":2: column 2 is empty; fill in the label"},
		{"a missing label", "x.csv", []byte("1,None\n2,Null\n"), Options{Targets: []string{"2"}, Classes: true}, `:2: column 2 is "Null", a missing value; fill in the label`},
		{"NA", "x.csv", []byte("1,2\n\n\n1, NA \n"), Options{}, `:4: column 2 is "NA", a missing value`},
		{"missing in the first line", "x.csv", []byte("nan,2\n"), Options{}, `:1: column 1 is "nan", a missing value`},
		{"infinite", "x.csv", []byte("a,b\n-Inf,2\n"), Options{}, `:2: column "a" is "-Inf", infinite`},
		{"too large", "x.csv", []byte("a,b\n1e400,2\n"), Options{}, `:2: column "a" is "1e400", too large`},
		{"decimal comma", "x.csv", []byte("a;b\n1,5;2\n"), Options{}, `:2: column "a" is "1,5", which has a comma: use a decimal point, or declare the comma with Options.Decimal = , or Options.Thousands = ,`},
		{"a quotation mark within, later", "x.csv", []byte("a,b\n1,2\n1,2\"3\n"), Options{}, ":3: a quotation mark at byte 4 of the line is within a cell"},
		{"a quotation mark that is not closed", "x.csv", []byte("a,b\n1,2\n1,\"23\n"), Options{}, ":3: a quotation mark is not closed"},
		{"one that is closed lines later", "x.csv", []byte("a,b\n1,\"2\n3,\"4\"\n"), Options{}, ":2: a quotation mark is not closed, or the closing one is not at the end of its cell (noticed at byte 3 of line 3"},
		{"a word in a quoted text", "x.csv", []byte("\"a\n\n\",b\n1,2\n1,x\n"), Options{}, `:5: column "b" is "x", not a number`},
		{"a word behind a label of two lines", "x.csv", []byte("\"u\nv\",x\n"), Options{Targets: []string{"1"}, Classes: true, Header: HeaderAbsent}, `:2: column 2 is "x", not a number`},
		{"a picture", "x.csv", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), Options{Header: HeaderAbsent}, ":1: "},

		{"empty array", "x.npy", nil, Options{}, "ends within its header"},
		{"a header that is longer than the file", "x.npy", npyHeader(1, "<f8", false, 1)[:20], Options{}, "ends within its header"},
		{"a header of 4 GB", "x.npy", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), Options{}, "a header of 4294967295 bytes"},
		{"a header without end", "x.npy", npyRaw(2, "{'descr': '<f8', 'fortran_order': False, 'shape': ("+strings.Repeat("1, ", 9999)+")}"), Options{}, "more than 64 sizes"},
		{"nested", "x.npy", npyRaw(2, strings.Repeat("{", 60000)), Options{}, "not a dictionary"},
		{"a negative size", "x.npy", npyOf("(-1, -1)"), Options{}, "has the size -1 in 'shape'"},
		{"2^62 rows", "x.npy", npyOf("(4611686018427387904,)"), Options{}, "larger than any file"},
		{"2^63 rows", "x.npy", npyOf("(9223372036854775808,)"), Options{}, "want integers from 0 to 2^63-1"},
		{"sizes whose product overflows", "x.npy", npyOf("(4294967296, 4294967296)"), Options{}, "larger than any file"},
		{"sizes whose product overflows beside a 0", "x.npy", npyOf("(0, 4294967296, 4294967296)"), Options{}, "larger than any file"},
		{"2^61 rows of nothing", "x.npy", npyOf("(2305843009213693952, 0)"), Options{}, "no elements"},
		{"a gigabyte in 128 bytes", "x.npy", npyOf("(1000, 1048576)", 1, 2, 3), Options{}, "cut off"},
		{"a sample of a gigabyte", "x.npy", npyOf("(1, 1073741824)", 1, 2, 3), Options{}, "elements in a sample"},
		{"more elements than are promised", "x.npy", npyOf("(1,)", 1, 2), Options{}, "its header declares"},
		{"a wide array", "x.npy", wide, Options{}, "cut off"},
		{"a wide array with a target", "x.npy", wide, Options{Targets: []string{"5"}}, "cut off"},
		{"NaN", "x.npy", append(npyHeader(1, "<f8", false, 2, 2), float64s(1, 2, 3, math.NaN())...), Options{}, ", row 2: column 2 is NaN, a missing value"},
		{"NaN in a later column", "x.npy", append(npyHeader(1, "<f8", false, 1, 3), float64s(1, 2, math.NaN())...), Options{Targets: []string{"1"}}, ", row 1: column 3 is NaN"},
		{"no whole number", "x.npy", append(npyHeader(1, "<f8", false, 1, 2), float64s(1, 0.5)...), Options{Targets: []string{"2"}, Classes: true}, ", row 1: column 2 cannot be read as labels: the label 0.5 is not a whole number"},
		{"a name", "x.npy", matrix, Options{Targets: []string{"age"}}, "have no names"},
		{"no samples", "x.npy", none, Options{}, "shape [0 3] has no elements: there are no samples"},
		{"no samples, but a byte", "x.npy", append(slices.Clone(none), 1), Options{}, "its header declares"},
		{"neither samples nor targets", "x.npy", none, Options{TargetPath: noTargets}, "no elements: there are no samples"},
		{"no samples, but targets", "x.npy", none, Options{TargetPath: write(t, "y.npy", y)}, "has no samples, but"},
		{"fewer targets", "x.npy", matrix, Options{TargetPath: write(t, "y.npy", y)}, "has 3 targets, but "},
		{"targets that are text", "x.npy", x, Options{TargetPath: write(t, "y.npy", append(npyHeader(1, "|S1", false, 2), "ab"...))}, "are text"},
		{"no targets", "x.npy", matrix, Options{TargetPath: noTargets}, "has no targets, but"},
		{"names, but no targets", "x.csv", []byte("a,b\n"), Options{TargetPath: noTargets}, "y.npy: shape [0] has no elements: there are no samples"},
		{"no dimension", "x.npy", append(npyHeader(1, "<f8", false), matrix[:8]...), Options{}, "single number"},
		{"sizes of a sample whose product overflows", "x.npy", npyHeader(1, "|u1", false, 1, 1<<20, 1<<20, 1<<20), Options{}, "elements in a sample"},
		{"no array", "x.npy", []byte("1,2\n"), Options{}, "not a .npy file"},
		{"a label that is no Unicode", "x.npy", append(npyHeader(1, "<U1", false, 1), 0, 0, 0x11, 0), Options{}, "are text"},

		{"no targets in an archive", "x.npz", npz(t, member{"X.npy", x, 0}, member{"y.npy", npyHeader(1, "<f8", false, 0), 0}), Options{Targets: []string{"y"}}, "has no targets, but"},
		{"two arrays of one name", "x.npz", npz(t, member{"X.npy", x, 0}, member{"X.npy", x, 0}), Options{}, `two arrays named "X"`},
		{"an array that is a folder", "x.npz", npz(t, member{"X.npy/", nil, 0}), Options{}, "is a zip archive without NumPy arrays"},
		{"a name of 64 KB", "x.npz", npz(t, member{long[:1<<16-5] + ".npy", x, 0}), Options{InputArray: "X"}, "no array"},
		{"a method that is not known", "x.npz", bytes.ReplaceAll(npz(t, member{"X.npy", x, 8}), []byte("\x08\x00\x08\x00"), []byte("\x08\x00\x5d\x00")), Options{}, "cannot be unpacked"},
		{"an array that says 2^32 bytes", "x.npz", claimed(npz(t, member{"X.npy", x, 8}), 1<<32-2), Options{}, "its header declares"},

		{"the end missing", "x.npz", archive[:len(archive)-10], Options{}, "not an .npz"},
		{"no arrays", "x.npz", npz(t, member{"a.txt", x, 0}), Options{}, "is a zip archive without NumPy arrays"},
		{"two matrices", "x.npz", npz(t, member{"a.npy", x, 0}, member{"b.npy", x, 0}), Options{}, "several arrays of two or more dimensions"},
		{"no matrix", "x.npz", npz(t, member{"a.npy", y, 0}), Options{}, "no other array of two or more dimensions"},
		{"another name", "x.npz", archive, Options{InputArray: "Z"}, `no array "Z"; it has "X", "y"`},
		{"a target by another name", "x.npz", archive, Options{Targets: []string{"z"}}, "have no names"},
		{"a target for each of other samples", "x.npz", archive, Options{Targets: []string{"y"}}, "has 3 targets, but "},
		{"a wrong checksum", "x.npz", bytes.Replace(archive, []byte{1, 2, 3, 4}, []byte{1, 2, 3, 5}, 1), Options{}, "damaged"},
		{"encrypted", "x.npz", encrypted, Options{}, "encrypted"},
		{"an array longer than its header", "x.npz", npz(t, member{"X.npy", append(slices.Clone(x), 1), 8}), Options{}, "its header declares"},
		{"an array shorter than its header", "x.npz", npz(t, member{"X.npy", x[:len(x)-1], 8}), Options{}, "its header declares"},
		{"pickled objects in an archive", "x.npz", npz(t, member{"X.npy", npyHeader(1, "|O", false, 3, 2), 0}), Options{}, `array "X": elements of type "|O" are Python objects`},
		{"an array in Fortran order", "x.npz", npz(t, member{"X.npy", append(npyHeader(1, "|u1", true, 2, 2), 1, 2, 3, 4), 8}), Options{}, "numpy.ascontiguousarray"},
		{"many members", "x.npz", npz(t, slices.Repeat([]member{{"a", nil, 0}}, maxMembers+1)...), Options{}, "members"},

		{"a spreadsheet", "x.npz", npz(t, member{"[Content_Types].xml", x, 0}, member{"xl/workbook.xml", x, 0}), Options{}, "save its sheet as CSV"},
		{"one of OpenDocument", "x.npz", npz(t, member{"mimetype", x, 0}, member{"content.xml", x, 0}), Options{}, "save its sheet as CSV"},
		{"a spreadsheet by another name", "x.csv", npz(t, member{"xl/workbook.xml", x, 0}), Options{}, "is a zip archive or a spreadsheet"},
		{"an old spreadsheet", "x.csv", []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), Options{}, "is a spreadsheet"},
		{"Parquet", "x.csv", []byte("PAR1\x15\x04\x15\x10"), Options{}, "is a Parquet file"},
		{"bzip2", "x.csv", []byte("BZh91AY&SY"), Options{}, "is compressed with bzip2"},

		{"idx header cut", "x.idx", images[:9], Options{}, "ends within its header"},
		{"idx cut off", "x.idx", images[:len(images)-1], Options{}, "cut off"},
		{"idx with a byte too many", "x.idx", append(slices.Clone(images), 1), Options{}, "its header declares"},
		{"no idx", "x.idx", []byte("1,2,3,4\n"), Options{}, "two zero bytes"},
		{"idx of no dimensions", "x.idx", idxFile(8, make([]byte, 4)), Options{}, "0 dimensions"},
		{"idx of 9 dimensions", "x.idx", idxFile(8, nil, make([]uint32, 9)...), Options{}, "9 dimensions"},
		{"idx of large samples", "x.idx", idxFile(8, nil, 1, 1<<25), Options{}, "elements in a sample"},
		{"idx whose product is 0 in 64 bits", "x.idx", idxFile(8, nil, 1<<31, 1<<31, 4), Options{}, "larger than any file"},
		{"idx of nothing", "x.idx", idxFile(8, nil, 0, 1<<20), Options{}, "no elements: there are no samples"},
		{"idx of an unknown type", "x.idx", []byte{0, 0, 7, 1, 0, 0, 0, 1, 0}, Options{}, "unknown type"},
		{"binary matrix cut in its sizes", "x", matrixFile(0x55, 4, nil, 2, 1, 1), Options{}, "ends within its header"},
		{"binary matrix without unused sizes", "x", matrixFile(0x54, 1, nil, 3), Options{}, "ends within its header"},
		{"binary matrix cut off", "x", matrixFile(0x54, 1, make([]byte, 11), 3, 1, 1), Options{}, "cut off"},
		{"binary matrix with a byte too many", "x", matrixFile(0x55, 1, make([]byte, 4), 3, 1, 1), Options{}, "its header declares"},
		{"binary matrix of float", "x", matrixFile(0x51, 1, make([]byte, 4), 1, 1, 1), Options{}, "unknown type 0x51"},
		{"binary matrix of no dimensions", "x", matrixFile(0x54, 0, []byte{1}, 1, 1, 1), Options{}, "0 dimensions"},
		{"binary matrix of 2^31 dimensions", "x", matrixFile(0x55, 1<<31, nil, make([]uint32, 8)...), Options{}, "2147483648 dimensions"},
		{"binary matrix whose product overflows", "x", matrixFile(0x55, 4, nil, 1<<32-1, 1<<32-1, 1<<32-1, 1<<32-1), Options{}, "larger than any file"},
		{"binary matrix, big-endian", "x.idx", []byte{0x1e, '=', 'L', 0x55, 0, 0, 0, 1}, Options{}, "two zero bytes"},
	} {
		for _, way := range []string{"file", "packed", "pipe"} {
			path, opt := "-", test.opt
			switch way {
			case "file":
				path = write(t, test.file, test.data)
			case "packed":
				path = write(t, test.file+".gz", zipped(test.data))
			default:
				opt.Stdin, opt.Format = bytes.NewReader(test.data), formatOfPath(test.file)
			}
			most := uint64(15 << 16)
			var err error
			faults.Bounded(t, len(test.data), 256, most, func() { _, err = loadEach(t, path, opt) })
			says := test.says
			if way != "file" && formatOfPath(test.file) == NPZ {
				says = "a local file"
			}
			if way == "file" && says == "cut off" {
				says = "its header declares" // which is checked before anything is read
			}
			wantFault(t, test.name+", "+way, err, says)
			if errors.Is(err, ErrEmpty) != strings.Contains(says, ErrEmpty.Error()) {
				t.Errorf("%s, %s: %v", test.name, way, err)
			}
			if err != nil && len(err.Error()) > maxMessage+len(path) {
				t.Errorf("%s, %s: a message of %d bytes", test.name, way, len(err.Error()))
			}
		}
	}
}

// claimed sets the size that an archive states for its only array, unpacked.
func claimed(archive []byte, size uint32) []byte {
	at := bytes.Index(archive, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(archive[at+24:], size)
	return archive
}

// TestRemedies finds the options that errors suggest, as values, and replaces their texts: no text of
// this package names a flag.
func TestRemedies(t *testing.T) {
	exclude := func(spec string) []Remedy { return []Remedy{{OptionNA, ""}, {OptionExclude, spec}} }
	for _, test := range []struct {
		text     string
		opt      Options
		remedies []Remedy
		says     string // with the Remedies as <Option Value>
	}{
		{"a,b\n1,2\n3,x%d\n", Options{}, exclude("b"), `is "x%d", not a number; correct it, mark it as missing with <NA >, or leave the column out with <Exclude b>`},
		{"a b,b\nx%v,2\n3,x\n", Options{}, exclude("1"), `is "x%v", not a number; correct it, mark it as missing with <NA >, or leave the column out with <Exclude 1>`},
		{"a,b\n1,2\n3,x\n", Options{Targets: []string{"b"}}, nil, `is "x", not a number; correct it or remove the row`},
		{"a,b\n1,2\n3,2024-01-31\n", Options{Fixed: true}, nil, `is "2024-01-31", a date; turn it into a number or remove the row`},
		{"a,b\n1,2\n3,2024-01-31\n", Options{}, exclude("b")[1:],
			`is "2024-01-31", a date; leave the column out with <Exclude b>, or turn its dates into numbers, such as days since a given day`},
		{"a;b\n1,5;2\n", Options{}, []Remedy{{OptionDecimal, ","}, {OptionThousands, ","}},
			`is "1,5", which has a comma: use a decimal point, or declare the comma with <Decimal ,> or <Thousands ,>`},
		{"a,b\n1,2\n,3\n", Options{}, nil, "is empty; fill in a number or remove the row"},
	} {
		test.opt.Stdin = strings.NewReader(test.text)
		r := mustOpen(t, []string{"-"}, test.opt)
		_, err := r.Next(9)
		var fault *Error
		if !errors.As(err, &fault) || !slices.Equal(fault.Remedies(), test.remedies) {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		named := fault.With(func(r Remedy) string { return "<" + r.Option.String() + " " + r.Value + ">" })
		if named.What != test.says || named.Line != fault.Line || named.Name != fault.Name || strings.Contains(fault.What, "<") {
			t.Errorf("%q: %v, then %v", test.text, err, named)
		}
	}
}
