package paper

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"blskernel/bench"
	"blskernel/cmd/blskernel/internal/experiment"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset"
)

// load returns the training and the test set of table t, and the name of the data. For a table on small
// NORB without its files it returns random images and no test set.
func (x *paper) load(t bench.PaperTable) (train, test *dataset.Images, data string, err error) {
	x.Show(0, "reading the data")
	if _, err := os.Stat(x.dir); x.dir != "" && errors.Is(err, fs.ErrNotExist) {
		return nil, nil, "", fmt.Errorf("--data: the folder %q does not exist", x.dir)
	}
	switch {
	case t.Data == bench.NORB:
		err = fs.ErrNotExist
		if x.dir != "" {
			train, test, err = loadFrom(x.dir, "norb", dataset.LoadNORB)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return bench.RandomNORB(t.Samples(), x.seed), nil, bench.RandomImages, nil
		}
		return train, test, bench.NORB, err
	case x.embedded:
		n := bench.LookupPaperTable(2).Scaled(x.size).Samples() // all tables on MNIST have the same number of samples
		return experiment.Digits(n+n/10, x.seed), experiment.Digits(max(1000, n/6), x.seed+1), bench.SyntheticDigits, nil
	case x.dir == "":
		return nil, nil, "", ui.Usagef("--data is missing: name the folder of MNIST's idx files " +
			"(docs/data.md says where to get them), or give --embedded")
	}
	train, test, err = loadFrom(x.dir, "mnist", dataset.LoadMNIST)
	return train, test, bench.MNIST, err
}

// loadFrom calls load with dir/name if that is a folder, and otherwise with dir.
func loadFrom(dir, name string, load func(string) (train, test *dataset.Images, err error)) (train, test *dataset.Images, err error) {
	inner := filepath.Join(dir, name)
	if info, err := os.Stat(inner); err == nil && info.IsDir() {
		dir = inner
	}
	return load(dir)
}
