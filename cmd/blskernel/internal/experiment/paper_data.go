package experiment

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"blskernel/bench"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset"
)

// images are the training and the test set of the data.
type images struct {
	train, test *dataset.Images
	data        string
}

// load returns the data of a table.
func (r *paperRun) load(t bench.PaperTable) (images, error) {
	r.Show(0, "reading the data")
	if t.Data == bench.NORB {
		return r.loadNORB(t)
	}
	if r.mnist.train == nil {
		switch {
		case r.embedded:
			full, _ := bench.LookupPaperTable(2) // all tables of MNIST have as many samples
			n := full.Scaled(r.size).Samples()
			r.mnist = images{digits(n+n/10, r.seed), digits(max(1000, n/6), r.seed+1), bench.SyntheticDigits}
		case r.dir == "":
			return images{}, ui.Usagef("--data is missing: name the folder of MNIST's idx files (docs/data.md says where to get them), or give --embedded")
		default:
			train, test, err := loadFrom(r.dir, "mnist", dataset.LoadMNIST)
			if err != nil {
				return images{}, err
			}
			r.mnist = images{train, test, bench.MNIST}
		}
	}
	return r.mnist, nil
}

// loadNORB returns small NORB, or random images without its files.
func (r *paperRun) loadNORB(t bench.PaperTable) (images, error) {
	if r.norb.train == nil && r.dir != "" {
		train, test, err := loadFrom(r.dir, "norb", dataset.LoadNORB)
		switch {
		case err == nil:
			r.norb = images{train, test, bench.NORB}
		case !errors.Is(err, fs.ErrNotExist):
			return images{}, err
		}
	}
	if r.norb.train != nil {
		return r.norb, nil
	}
	return images{train: bench.RandomNORB(t.Samples(), r.seed), data: bench.RandomImages}, nil
}

// loadFrom loads a set from a folder, or from the folder of that name in it.
func loadFrom(dir, name string, load func(string) (train, test *dataset.Images, err error)) (train, test *dataset.Images, err error) {
	inner := filepath.Join(dir, name)
	if info, err := os.Stat(inner); err == nil && info.IsDir() {
		dir = inner
	}
	return load(dir)
}

// holdOut makes the last n training samples the test set, and removes the updates that they are in from
// the table.
func holdOut(t bench.PaperTable, data images, n int) (bench.PaperTable, images, error) {
	left := data.train.Len() - n
	if data.test == nil || left < t.Initial+t.Batch {
		return t, data, ui.Usagef("--held-out is %d of %d samples with classes: table %d needs %d for the start and an update",
			n, data.train.Len(), t.Table, t.Initial+t.Batch)
	}
	data.train, data.test = bench.HoldOut(data.train, n)
	t.Updates = min(t.Updates, (left-t.Initial)/t.Batch)
	return t, data, nil
}
