package benchmarks

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"blskernel/dataset"
)

// These run on no backend. MB/s are of unpacked pixels.

// idx returns the synthetic digits as two idx files.
func idx() (set *dataset.Images, images, labels []byte) {
	set = dataset.Digits(*flagL, 1)
	header := func(b []byte, sizes ...int) []byte {
		b = append(b, 0, 0, 8, byte(len(sizes)))
		for _, n := range sizes {
			b = binary.BigEndian.AppendUint32(b, uint32(n))
		}
		return b
	}
	images = append(header(nil, set.Len(), set.Rows, set.Cols), set.Pixels...)
	labels = append(header(nil, set.Len()), set.Labels...)
	return set, images, labels
}

// zipped returns data in gzip's format.
func zipped(data []byte) []byte {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	must(w.Write(data))
	check(w.Close())
	return z.Bytes()
}

func BenchmarkDatasetReadIDXImages(b *testing.B) {
	_, images, _ := idx()
	for _, file := range []struct {
		format string
		data   []byte
	}{{"plain", images}, {"gzip", zipped(images)}} {
		b.Run("format="+file.format, func(b *testing.B) {
			call{bytes: int64(len(images)), do: func() error {
				_, err := dataset.ReadIDXImages(bytes.NewReader(file.data))
				return err
			}}.run(b)
		})
	}
}

func BenchmarkDatasetReadIDXLabels(b *testing.B) {
	_, _, labels := idx()
	call{bytes: int64(len(labels)), do: func() error {
		_, err := dataset.ReadIDXLabels(bytes.NewReader(labels))
		return err
	}}.run(b)
}

func BenchmarkDatasetLoadMNIST(b *testing.B) {
	_, images, labels := idx()
	dir := b.TempDir()
	for _, name := range []string{"train", "t10k"} {
		check(os.WriteFile(filepath.Join(dir, name+"-images-idx3-ubyte"), images, 0o600))
		check(os.WriteFile(filepath.Join(dir, name+"-labels-idx1-ubyte"), labels, 0o600))
	}
	call{bytes: 2 * int64(len(images)), do: func() error { _, _, err := dataset.LoadMNIST(dir); return err }}.run(b)
}

func BenchmarkDatasetDigits(b *testing.B) {
	call{bytes: 784 * int64(*flagL), do: func() error { dataset.Digits(*flagL, 1); return nil }}.run(b)
}

func BenchmarkImagesDense(b *testing.B) {
	set, images, _ := idx()
	call{bytes: int64(len(images)), do: func() error { set.Dense(0, set.Len()); return nil }}.run(b)
}

func BenchmarkImagesLabelsInt(b *testing.B) {
	set, _, labels := idx()
	call{bytes: int64(len(labels)), do: func() error { set.LabelsInt(0, set.Len()); return nil }}.run(b)
}
