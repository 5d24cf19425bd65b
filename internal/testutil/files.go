package testutil

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"os"
	"testing"
)

// WriteFile writes data to the file at path and returns path.
func WriteFile[T ~string | ~[]byte](t testing.TB, path string, data T) string {
	t.Helper()
	NoError(t, os.WriteFile(path, []byte(data), 0o666))
	return path
}

// Gzipped returns data compressed with gzip.
func Gzipped(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data) // a bytes.Buffer does not fail
	z.Close()
	return b.Bytes()
}

// IDX returns an idx file of the element type kind with the dimensions and the data as they are, even
// if they are inconsistent.
func IDX(kind byte, data []byte, dims ...uint32) []byte {
	out := []byte{0, 0, kind, byte(len(dims))}
	for _, n := range dims {
		out = binary.BigEndian.AppendUint32(out, n)
	}
	return append(out, data...)
}

// BinaryMatrix returns a file in small NORB's format: the first byte kind, the number of dimensions
// dims, the fields after it, and data, even if they are inconsistent.
func BinaryMatrix(kind byte, dims uint32, data []byte, fields ...uint32) []byte {
	out := []byte{kind, 'L', '=', 0x1e}
	for _, n := range append([]uint32{dims}, fields...) {
		out = binary.LittleEndian.AppendUint32(out, n)
	}
	return append(out, data...)
}

// NPY returns the header of an .npy file of the given version, with the dictionary dict as it is.
func NPY(version byte, dict string) []byte {
	out := append([]byte("\x93NUMPY"), version, 0)
	if version == 1 {
		out = binary.LittleEndian.AppendUint16(out, uint16(len(dict)))
	} else {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(dict)))
	}
	return append(out, dict...)
}
