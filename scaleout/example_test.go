package scaleout_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/mat"
	"blskernel/scaleout"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
)

// folder makes a folder with points of the square [0,1]² in four CSV files, labeled "in" within a
// circle and "out" elsewhere. One file has a bad cell. The folder also has a model of some points, as
// from `blskernel train`.
func folder() string {
	folder, err := os.MkdirTemp("", "scaleout-*")
	check(err)
	few, labels, classes := mat.NewDense(60, 2, nil), make([]int, 60), []string{"in", "out"}
	for shard := range 4 {
		text := "a,b,class\n"
		for i := 100 * shard; i < 100*(shard+1); i++ {
			a, b, class := float64(i%31)/31, float64(i%17)/17, 0
			if (a-0.5)*(a-0.5)+(b-0.5)*(b-0.5) >= 0.1 {
				class = 1
			}
			text += fmt.Sprintf("%v,%v,%s\n", a, b, classes[class])
			if i < 60 {
				few.SetRow(i, []float64{a, b})
				labels[i] = class
			}
		}
		if shard == 2 {
			text += "0.5,half,in\n"
		}
		check(os.WriteFile(filepath.Join(folder, fmt.Sprintf("points-%d.csv", shard)), []byte(text), 0o666))
	}
	model := bls.Classifier{
		Features: bls.FeatureOptions{Scaling: bls.ScaleNone, Groups: 2, GroupNodes: 5, EnhancementNodes: 20},
		Method:   blsupdate.Gram, Update: blsupdate.Options{Lambda: 1e-6},
	}
	check(model.Fit(few, labels))
	check(modelfile.Save(filepath.Join(folder, "sample.bls"), &modelfile.File{Classifier: &model, Metadata: modelfile.Metadata{
		Inputs: []string{"a", "b"}, Classes: classes, Targets: []string{"class"}}}))
	return folder
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// This example fits to the files of a folder, on Prism. A program calls beam.Init after parsing its
// flags, and beamx.Run instead of prism.Execute, for any runner.
func Example() {
	folder := folder()
	defer os.RemoveAll(folder)
	sample, out := filepath.Join(folder, "sample.bls"), filepath.Join(folder, "all.bls")

	p, s := beam.NewPipelineWithRoot()
	scaleout.Fit(s, []string{filepath.Join(folder, "*.csv")}, nil,
		scaleout.Options{Model: sample, Out: out, Lambda: 1e-6, SkipBad: 10})
	result, err := prism.Execute(context.Background(), p)
	check(err)

	for _, c := range result.Metrics().AllMetrics().Counters() {
		if c.Name() == scaleout.MetricRows || c.Name() == scaleout.MetricBad {
			fmt.Println(c.Name(), c.Result())
		}
	}
	f, err := modelfile.Load(out, nil)
	check(err)
	predicted, err := f.Classifier.Predict(mat.NewDense(2, 2, []float64{0.5, 0.5, 0.1, 0.9}))
	check(err)
	for _, class := range predicted {
		fmt.Println(f.Metadata.Classes[class])
	}
	// Unordered output:
	// rows 400
	// bad 1
	// in
	// out
}
