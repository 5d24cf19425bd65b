package bench

import "slices"

// Figures are what the paper prints for one of its tables: what its authors measured, in MATLAB on a
// server.
type Figures struct {
	// Speedup is the time of Original over that of Improved, by update, each time with the features
	// of the batch.
	Speedup []float64
	// Total is the same of the accumulated training time, start and all updates.
	Total float64
	// Accuracy is the testing accuracy in percent, by step, of which the first is the start, and
	// AccuracySD its standard deviation over runs where the paper gives one, else 0. Both are nil
	// where they are not known here.
	Accuracy, AccuracySD []float64
}

// PaperFigures returns the figures of one of the paper's Tables 2 to 9, in new storage. ok is false for
// any other number.
func PaperFigures(table int) (f Figures, ok bool) {
	f, ok = paperFigures[table]
	f.Speedup, f.Accuracy, f.AccuracySD = slices.Clone(f.Speedup), slices.Clone(f.Accuracy), slices.Clone(f.AccuracySD)
	return f, ok
}

var paperFigures = map[int]Figures{
	2: {
		Speedup: []float64{1.34, 1.36, 1.36, 1.35, 1.36}, Total: 1.35,
		Accuracy:   []float64{97.57, 98.28, 98.45, 98.57, 98.59, 98.64},
		AccuracySD: []float64{0.11, 0, 0, 0, 0, 0.06},
	},
	3: {Speedup: []float64{1.66, 1.58, 1.56}, Total: 1.57},
	4: {Speedup: []float64{1.13, 1.14, 1.14, 1.15, 1.15}, Total: 1.13},
	5: {Speedup: []float64{1.10, 1.10, 1.11, 1.10, 1.11}, Total: 1.09},
	6: {Speedup: []float64{1.38, 1.39}, Total: 1.35},
	7: {Speedup: []float64{1.09, 1.10, 1.12, 1.13}, Total: 1.10},
	8: {Speedup: []float64{1.09, 1.08, 1.11, 1.11}, Total: 1.09},
	9: {Speedup: []float64{1.08, 1.08, 1.08, 1.08}, Total: 1.07},
}
