package modelfile_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/mat"

	"github.com/cespare/xxhash/v2"
)

// check ends an example that fails.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// tempFolder returns a new folder for an example, and a function that removes it.
func tempFolder() (string, func()) {
	dir, err := os.MkdirTemp("", "modelfile")
	check(err)
	return dir, func() { _ = os.RemoveAll(dir) }
}

// line returns a file with a regressor for y = 2u + 3v.
func line() *modelfile.File {
	x := mat.NewDense(5, 2, []float64{0, 0, 1, 0, 0, 1, 1, 1, 2, 3})
	y := mat.NewDense(5, 1, []float64{0, 2, 3, 5, 13})
	r := &bls.Regressor{
		Features: bls.FeatureOptions{Groups: 2, GroupNodes: 1, EnhancementNodes: bls.None},
		Method:   blsupdate.QR,
		Update:   blsupdate.Options{Lambda: bls.None},
	}
	check(r.Fit(x, y))
	return &modelfile.File{Regressor: r, Metadata: modelfile.Metadata{Software: "example 1.0", Inputs: []string{"u", "v"}, Targets: []string{"y"}}}
}

// Load returns the model. It says what a file is that is not a model.
func ExampleLoad() {
	dir, remove := tempFolder()
	defer remove()
	path := filepath.Join(dir, "line.bls")
	check(modelfile.Save(path, line()))
	f, err := modelfile.Load(path, nil)
	check(err)
	p, err := f.Regressor.Predict(mat.NewDense(1, 2, []float64{10, 1}))
	check(err)
	fmt.Printf("%v of %v: %.6f\n", f.Metadata.Targets, f.Metadata.Inputs, p.At(0, 0))

	table := filepath.Join(dir, "table.csv")
	check(os.WriteFile(table, []byte("u,v,y\n0,0,0\n1,0,2\n"), 0o666))
	_, err = modelfile.Load(table, nil)
	fmt.Println(strings.TrimPrefix(err.Error(), dir+string(filepath.Separator)))
	// Output:
	// [y] of [u v]: 23.000000
	// table.csv: modelfile: not a model file: it begins with "u,v,y\n0,0,0\n1,0,"; name the file that a model was saved to
}

// Inspect verifies the checksums of a file and lists what is in it, without decoding the model.
func ExampleInspect() {
	var b bytes.Buffer
	check(modelfile.Write(&b, line()))
	info, err := modelfile.Inspect(&b)
	check(err)
	fmt.Printf("version %d, a regressor: %v, by %s\n", info.Version, info.Regressor(), info.Metadata.Software)
	for _, s := range info.Sections {
		fmt.Printf("%q ", s.Name)
	}
	// Output:
	// version 2, a regressor: true, by example 1.0
	// "META" "REGR" "END "
}

// Check finds before training what cannot be written after it.
func ExampleMetadata() {
	m := modelfile.Metadata{Classes: []string{"cat", "dog", "cat"}}
	fmt.Println(m.Check())
	m.Classes[2] = "owl"
	fmt.Println(m.Check())
	// Output:
	// modelfile: metadata: classes: two classes have the label "cat"
	// <nil>
}

// A program that can resume writes its progress into each checkpoint, in the same file as the model, so
// that the two cannot disagree. It also lists the files that it has learned, so that it recognizes
// them. Write and Read are for a connection or an object store.
func ExampleProgress() {
	f := line()
	f.Metadata.Progress = &modelfile.Progress{Rows: 5, Sources: []string{"line.csv"}}
	hash := fmt.Sprintf("%x", xxhash.Sum64String("u,v,y\n1,2,3\n"))
	f.Metadata.Learned = append(f.Metadata.Learned, modelfile.Learned{Name: "first.csv", Size: 12, Rows: 1, Hash: hash})
	var b bytes.Buffer
	check(modelfile.Write(&b, f))
	f, err := modelfile.Read(&b, nil)
	check(err)
	p, l := f.Metadata.Progress, f.Metadata.Learned[0]
	fmt.Println("skip", p.Rows, "rows of", p.Sources, p.Done)
	fmt.Println("learned", l.Name, l.Rows, l.Hash == hash)
	// Output:
	// skip 5 rows of [line.csv] false
	// learned first.csv 1 true
}

// A Learner serves for all that does not depend on the kind of model.
func ExampleFile_Learner() {
	var model modelfile.Learner = line().Learner()
	w, err := model.Weights()
	check(err)
	rows, targets := w.Dims()
	fmt.Printf("%d inputs, %d weights, %d target, %d samples\n", model.FittedFeatures().Inputs(), rows, targets, model.Updater().Samples())
	// Output:
	// 2 inputs, 3 weights, 1 target, 5 samples
}
