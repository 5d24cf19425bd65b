package main

import (
	"bufio"
	"math"

	"blskernel/dataset/stream"
	"blskernel/internal/atomicfile"
	"blskernel/internal/npy"
	"blskernel/mat"
)

// npyPredictions writes an array: of labels, of scores, or of targets. The number of rows stands in its
// header, which is therefore written last, over a place of the same length.
type npyPredictions struct {
	predicted
	file   *atomicfile.File
	buffer *bufio.Writer
	place  int // bytes of the header
	count  int // rows written
	descr  string
	cells  [][]byte // of the labels; nil for numbers
	floats []byte
}

func newNPYPredictions(p predicted, file *atomicfile.File) (*npyPredictions, error) {
	w := &npyPredictions{predicted: p, file: file, buffer: bufio.NewWriterSize(file, 1<<16), descr: npy.Float64}
	if p.labels != nil && !p.scores {
		w.descr = npy.LabelType(p.labels)
		for _, label := range p.labels {
			w.cells = append(w.cells, npy.AppendLabel(nil, w.descr, label))
		}
	}
	place := w.header(math.MaxInt)
	w.place = len(place)
	if _, err := w.buffer.Write(place); err != nil {
		file.Abort()
		return nil, err
	}
	return w, nil
}

// header returns that of an array with so many rows. Its length is rounded up to the same for all
// numbers of rows: 128 bytes, of which the rest takes at most 70 and the number 19.
func (w *npyPredictions) header(rows int) []byte {
	switch {
	case w.cells != nil:
		return npy.AppendHeader(nil, w.descr, rows)
	case w.labels != nil:
		return npy.AppendHeader(nil, w.descr, rows, len(w.labels))
	default:
		return npy.AppendHeader(nil, w.descr, rows, len(w.names))
	}
}

func (w *npyPredictions) rows(b *stream.Batch, scores *mat.Dense) error {
	l, _ := scores.Dims()
	w.count += l
	if w.cells != nil {
		classes, err := w.classes(b, scores)
		if err != nil {
			return err
		}
		for _, class := range classes {
			if _, err := w.buffer.Write(w.cells[class]); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range l {
		w.floats = npy.AppendFloats(w.floats[:0], scores.RawRowView(i))
		if _, err := w.buffer.Write(w.floats); err != nil {
			return err
		}
	}
	return nil
}

func (w *npyPredictions) commit() error {
	header := w.header(w.count)
	if len(header) != w.place {
		panic("the header of an array has another length than its place")
	}
	if err := w.buffer.Flush(); err != nil {
		return err
	}
	if _, err := w.file.WriteAt(header, 0); err != nil {
		return err
	}
	return w.file.Commit()
}

func (w *npyPredictions) abort() { w.file.Abort() }
