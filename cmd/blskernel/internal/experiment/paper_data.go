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
func (x *paper) load(t bench.PaperTable) (images, error) {
	x.Show(0, "reading the data")
	if t.Data == bench.NORB {
		return x.loadNORB(t)
	}
	if x.mnist.train == nil {
		switch {
		case x.embedded:
			full, _ := bench.LookupPaperTable(2) // all tables of MNIST have as many samples
			n := full.Scaled(x.size).Samples()
			x.mnist = images{digits(n+n/10, x.seed), digits(max(1000, n/6), x.seed+1), bench.SyntheticDigits}
		case x.dir == "":
			return images{}, ui.Usagef("--data is missing: name the folder of MNIST's idx files " +
				"(docs/data.md says where to get them), or give --embedded")
		default:
			train, test, err := loadFrom(x.dir, "mnist", dataset.LoadMNIST)
			if err != nil {
				return images{}, err
			}
			x.mnist = images{train, test, bench.MNIST}
		}
	}
	return x.mnist, nil
}

// loadNORB returns small NORB, or random images without its files.
func (x *paper) loadNORB(t bench.PaperTable) (images, error) {
	if x.norb.train == nil && x.dir != "" {
		train, test, err := loadFrom(x.dir, "norb", dataset.LoadNORB)
		switch {
		case err == nil:
			x.norb = images{train, test, bench.NORB}
		case !errors.Is(err, fs.ErrNotExist):
			return images{}, err
		}
	}
	if x.norb.train != nil {
		return x.norb, nil
	}
	return images{train: bench.RandomNORB(t.Samples(), x.seed), data: bench.RandomImages}, nil
}

// loadFrom loads a set from a folder, or from the folder of that name in it.
func loadFrom(dir, name string, load func(string) (train, test *dataset.Images, err error)) (train, test *dataset.Images, err error) {
	inner := filepath.Join(dir, name)
	if info, err := os.Stat(inner); err == nil && info.IsDir() {
		dir = inner
	}
	return load(dir)
}
