package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"

	"blskernel/mat"
)

// A file of a matrix is little-endian float64: the numbers of rows and columns, then the elements row after row.
// Octave and MATLAB read it with two calls of fread.

func writeMatrix(path string, m *mat.Dense) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	w := bufio.NewWriterSize(f, 1<<20)
	rows, cols := m.Dims()
	if err := binary.Write(w, binary.LittleEndian, []float64{float64(rows), float64(cols)}); err != nil {
		return err
	}
	for i := range rows {
		if err := binary.Write(w, binary.LittleEndian, m.RawRowView(i)); err != nil {
			return err
		}
	}
	return w.Flush()
}

// readMatrix reads a matrix that is rows×cols, or says what else the file has.
func readMatrix(path string, rows, cols int) (*mat.Dense, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	var sizes [2]float64
	if err := binary.Read(r, binary.LittleEndian, &sizes); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if sizes != [2]float64{float64(rows), float64(cols)} {
		return nil, fmt.Errorf("%s: %g×%g numbers; want %d×%d", path, sizes[0], sizes[1], rows, cols)
	}
	data := make([]float64, rows*cols)
	if err := binary.Read(r, binary.LittleEndian, data); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if _, err := r.ReadByte(); err != io.EOF {
		return nil, fmt.Errorf("%s: more than %d×%d numbers", path, rows, cols)
	}
	for i, v := range data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%s: element (%d, %d) is %g", path, i/cols, i%cols, v)
		}
	}
	return mat.NewDense(rows, cols, data), nil
}
