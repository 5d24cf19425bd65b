package stream

import (
	"archive/zip"
	"bytes"
	"slices"
	"strings"
)

const (
	isSpreadsheet = "is a spreadsheet, which cannot be read; save its sheet as CSV (UTF-8) and give that file"
	isZip         = "is a zip archive without NumPy arrays; unpack it and give the files in it, or save arrays with numpy.savez(path, X=x, y=y)"
	isPacked      = ", which cannot be read; unpack it, or compress it with gzip"
)

// foreign lists the first bytes of files that are not text, and what to do about them.
var foreign = []struct{ head, what string }{
	{"PK\x03\x04", "is a zip archive or a spreadsheet, not text; unpack it, or save its sheet as CSV (UTF-8), and give that file"},
	{"\xd0\xcf\x11\xe0", isSpreadsheet},
	{"PAR1\x15", "is a Parquet file, which cannot be read; write its table as CSV, as pandas.read_parquet(path).to_csv does, and give that file"},
	{"\xfd7zXZ", "is compressed with xz" + isPacked},
	{"BZh", "is compressed with bzip2" + isPacked},
	{"\x28\xb5\x2f\xfd", "is compressed with zstd" + isPacked},
	{"\xff\xfe", "is in UTF-16; save it as UTF-8"},
	{"\xfe\xff", "is in UTF-16; save it as UTF-8"},
}

// foreignContent returns an error if head, the first bytes of a file, is known not to be text.
func foreignContent(head []byte) error {
	for _, f := range foreign {
		if bytes.HasPrefix(head, []byte(f.head)) && (f.head != "BZh" || bytes.HasSuffix(head, []byte("AY&"))) {
			return Errorf("%s", f.what)
		}
	}
	return nil
}

// foreignArchive returns the error for a zip archive without arrays, which is often a spreadsheet.
func foreignArchive(members []*zip.File) error {
	if slices.ContainsFunc(members, func(m *zip.File) bool {
		return strings.HasPrefix(m.Name, "xl/") || m.Name == "content.xml" // Excel or OpenDocument
	}) {
		return Errorf(isSpreadsheet)
	}
	return Errorf(isZip)
}
