package model

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/dataset/stream"
	"blskernel/internal/linalg/factor"
	"blskernel/mat"
)

// MaxLearned is the largest number of learned files that a model lists. The oldest are dropped first.
const MaxLearned = 1000

// A MergeError says what differs between two models, such as their kinds, inputs or targets.
type MergeError struct{ What string }

func (e *MergeError) Error() string {
	return fmt.Sprintf("the models have different %s and cannot be merged", e.What)
}

// A TwiceError says that two models have learned the same file.
type TwiceError struct{ Name string }

func (e *TwiceError) Error() string {
	return fmt.Sprintf("both models have learned the file %q, so its rows would count twice", e.Name)
}

// Merge adds what other has learned to m. Both get all classes, m's first. If again is true, files that
// both have learned count twice. A file that one has removed and the other has learned is listed as
// learned. m keeps its progress and notes. The means for missing cells must agree, unless one of the
// two models keeps its rows and no cell in them can have been filled in: the merged model then has the
// means of the other of the two.
//
//	errors: *MergeError, *TwiceError; the errors of Merge and Relabel of package bls, after which
//	both models may have more classes.
func (m *Model) Merge(other *Model, again bool) error {
	a, b := &m.Metadata, &other.Metadata
	switch {
	case m.Kind() != other.Kind():
		return &MergeError{"kinds"}
	case !slices.Equal(a.Inputs, b.Inputs) || (a.Columns == nil) != (b.Columns == nil) || !slices.EqualFunc(a.Columns, b.Columns, sameButFill):
		return &MergeError{"inputs" + unequal(a.Inputs, b.Inputs)}
	case !slices.Equal(a.Targets, b.Targets):
		return &MergeError{"targets" + unequal(a.Targets, b.Targets)}
	}
	columns, kept := a.Columns, other.KeptInputs()
	if kept == nil || !exchangeable(columns, b.Columns, kept) {
		if columns = b.Columns; !exchangeable(columns, a.Columns, m.KeptInputs()) {
			return &MergeError{"means for missing cells"}
		}
	}
	for _, l := range b.Learned {
		if !l.Removed && !again && m.FindLearned(l.Size, l.Hash, false) >= 0 {
			return &TwiceError{l.Name}
		}
	}
	err := m.mergeRows(other)
	var option *bls.OptionError
	if errors.As(err, &option) {
		if what, two := strings.CutSuffix(option.Option, " of the two models"); two {
			return &MergeError{fmt.Sprintf("values of %s (%v)", what, option.Value)}
		}
		return &MergeError{"feature maps"}
	}
	if err == nil {
		a.Columns = columns
		twice := func(l modelfile.Learned) bool { return l.Removed && m.FindLearned(l.Size, l.Hash, true) >= 0 }
		a.Learned = slices.Concat(a.Learned, slices.DeleteFunc(slices.Clone(b.Learned), twice))
		undone := func(l modelfile.Learned) bool { return l.Removed && m.FindLearned(l.Size, l.Hash, false) >= 0 }
		a.Learned = bounded(slices.DeleteFunc(slices.Clone(a.Learned), undone))
		a.Log = slices.Concat(a.Log, b.Log)
		m.Log(modelfile.Operation{Kind: modelfile.OpMerge, Merged: len(b.Log)})
	}
	return err
}

func sameButFill(a, b stream.Column) bool {
	n := len(a.Fill) - len(b.Fill)
	a.Fill, b.Fill = nil, nil
	return n == 0 && reflect.DeepEqual(a, b)
}

// unequal returns the first two names that differ or, if none do, the lengths; "" for equal lists.
func unequal(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf(" (%q and %q)", a[i], b[i])
		}
	}
	if len(a) != len(b) {
		return fmt.Sprintf(" (%d and %d)", len(a), len(b))
	}
	return ""
}

// exchangeable reports whether the rows x, which were read with from, are sure to be the same when read
// with to. The two differ only in Fill. A row may change if a cell equals a Fill of from that to
// replaces. If x is nil, every Fill must agree.
func exchangeable(to, from stream.Columns, x *mat.Dense) bool {
	at := 0
	for i := range to {
		n := from[i].Inputs()
		if fill := from[i].Fill; !slices.Equal(fill, to[i].Fill) {
			if x == nil {
				return false
			}
			for row := range x.RawMatrix().Rows {
				if slices.Equal(x.RawRowView(row)[at:at+n], fill) {
					return false
				}
			}
		}
		at += n
	}
	return true
}

func (m *Model) mergeRows(other *Model) error {
	if m.Classifier == nil {
		return m.Regressor.Merge(other.Regressor)
	}
	all, to := m.classes.With(other.Labels())
	if err := other.become(all, to); err != nil {
		return err
	}
	if err := m.become(all, factor.Indices(len(m.Labels()))); err != nil {
		return err
	}
	return m.Classifier.Merge(other.Classifier)
}

// FindLearned returns the index in Metadata.Learned of the file with the given size and hash, or -1. If
// removed is true, it looks for a removed file instead.
func (m *Model) FindLearned(size int64, hash string, removed bool) int {
	return slices.IndexFunc(m.Metadata.Learned, func(l modelfile.Learned) bool {
		return l.Size == size && l.Hash == hash && l.Removed == removed
	})
}

// AddLearned adds a learned or removed file to m.Metadata.Learned, and deletes its entry of the other
// kind. It does not list a file as removed while another entry lists it as learned.
func (m *Model) AddLearned(l modelfile.Learned) {
	list := slices.Clone(m.Metadata.Learned)
	if i := m.FindLearned(l.Size, l.Hash, !l.Removed); i >= 0 {
		list = slices.Delete(list, i, i+1)
	}
	m.Metadata.Learned = list
	if l.Removed && m.FindLearned(l.Size, l.Hash, false) >= 0 {
		return
	}
	m.Metadata.Learned = bounded(append(list, l))
}

// Unlist deletes, for each element of files, the last entry of m.Metadata.Learned that equals it.
func (m *Model) Unlist(files []modelfile.Learned) {
	list := slices.Clone(m.Metadata.Learned)
	for _, l := range files {
		for i := len(list) - 1; i >= 0; i-- {
			if list[i] == l {
				list = slices.Delete(list, i, i+1)
				break
			}
		}
	}
	m.Metadata.Learned = list
}

func bounded(list []modelfile.Learned) []modelfile.Learned {
	return list[max(0, len(list)-MaxLearned):]
}
