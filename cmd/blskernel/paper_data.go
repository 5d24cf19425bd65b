package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"blskernel/bench"
	"blskernel/dataset"
)

// sets are the training and the test set of the data, where they have been loaded.
type sets struct {
	train, test *dataset.Images
	data        string
}

// load returns the data of a table.
func (j *paperJob) load(t bench.PaperTable, here func(func() error) error) (sets, error) {
	_ = here(func() error { j.shown.show(0, "reading the data"); return nil })
	if t.Data == bench.NORB {
		return j.loadNORB(t)
	}
	if j.mnist.train == nil {
		switch {
		case j.embedded:
			full, _ := bench.LookupPaperTable(2) // all tables of MNIST have as many samples
			n := full.Scaled(j.scale).Samples()
			j.mnist = sets{digits(n+n/10, j.seed), digits(max(1000, n/6), j.seed+1), bench.SyntheticDigits}
		case j.dir == "":
			return sets{}, usageError{errors.New("--data is missing: name the folder of MNIST's idx files (docs/data.md says where to get them), or give --embedded")}
		default:
			train, test, err := loadFrom(j.dir, "mnist", dataset.LoadMNIST)
			if err != nil {
				return sets{}, err
			}
			j.mnist = sets{train, test, bench.MNIST}
		}
	}
	return j.mnist, nil
}

// loadNORB returns small NORB, or random images where it is not there.
func (j *paperJob) loadNORB(t bench.PaperTable) (sets, error) {
	if j.norb.train == nil && j.dir != "" {
		train, test, err := loadFrom(j.dir, "norb", dataset.LoadNORB)
		switch {
		case err == nil:
			j.norb = sets{train, test, bench.NORB}
		case !errors.Is(err, fs.ErrNotExist):
			return sets{}, err
		}
	}
	if j.norb.train != nil {
		return j.norb, nil
	}
	return sets{train: bench.RandomNORB(t.Samples(), j.seed), data: bench.RandomImages}, nil
}

// loadFrom loads a set from a folder or from the one of the given name in it.
func loadFrom(dir, name string, load func(string) (train, test *dataset.Images, err error)) (train, test *dataset.Images, err error) {
	if inner := filepath.Join(dir, name); isFolder(inner) {
		dir = inner
	}
	return load(dir)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// holdOut takes the last n samples of the training set for the test set, and from the table the updates that they are in.
func holdOut(t bench.PaperTable, data sets, n int) (bench.PaperTable, sets, error) {
	left := data.train.Len() - n
	if data.test == nil || left < t.Initial+t.Batch {
		return t, data, usageError{fmt.Errorf("--held-out is %d of %d samples with classes: table %d needs %d for the start and an update",
			n, data.train.Len(), t.Table, t.Initial+t.Batch)}
	}
	data.train, data.test = bench.HoldOut(data.train, n)
	t.Updates = min(t.Updates, (left-t.Initial)/t.Batch)
	return t, data, nil
}
