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
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
)

// points returns n points of the square [0,1]², whose class is "in" within a circle and "out"
// elsewhere.
func points(n int) (x *mat.Dense, classes []string) {
	x = mat.NewDense(n, 2, nil)
	for i := range n {
		a, b := float64(i%31)/31, float64(i%17)/17
		x.SetRow(i, []float64{a, b})
		if (a-0.5)*(a-0.5)+(b-0.5)*(b-0.5) < 0.1 {
			classes = append(classes, "in")
		} else {
			classes = append(classes, "out")
		}
	}
	return x, classes
}

// folder makes a folder with the points in four texts, one of which has a bad cell, and a model of some
// of them, such as `blskernel train` makes.
func folder() string {
	folder, err := os.MkdirTemp("", "scaleout-*")
	check(err)
	x, classes := points(400)
	for shard := range 4 {
		text := "a,b,class\n"
		for i := 100 * shard; i < 100*(shard+1); i++ {
			text += fmt.Sprintf("%v,%v,%s\n", x.At(i, 0), x.At(i, 1), classes[i])
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
	few, names := points(60)
	labels := make([]int, 60)
	for i, name := range names {
		if name == "out" {
			labels[i] = 1
		}
	}
	check(model.Fit(few, labels))
	check(modelfile.Save(filepath.Join(folder, "sample.bls"), &modelfile.File{Classifier: &model, Metadata: modelfile.Metadata{
		Inputs: []string{"a", "b"}, Classes: []string{"in", "out"}, Targets: []string{"class"}}}))
	return folder
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// A fit to the files of a folder, on Prism. A program calls beam.Init after it has parsed its flags,
// and beamx.Run in the place of prism.Execute, for any runner.
func Example() {
	folder := folder()
	defer os.RemoveAll(folder)
	sample, out := filepath.Join(folder, "sample.bls"), filepath.Join(folder, "all.bls")

	p, s := beam.NewPipelineWithRoot()
	shards := scaleout.Match(s, []string{filepath.Join(folder, "*.csv")}, nil)
	batches, bad := scaleout.Read(s, shards, scaleout.ReadOptions{Model: sample, SkipBad: 10})
	model := scaleout.FitGram(s, batches, scaleout.Options{Model: sample, Lambda: 1e-6, Bad: bad, SkipBad: 10})
	scaleout.Write(s, out, model)
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

// A worker calls only registered functions.
func init() {
	register.Function1x0(printShard)
	register.Function1x0(printBatch)
	register.Function1x0(printBad)
	register.Function1x1(printModel)
	register.Function2x0(printState)
}

func printShard(s scaleout.Shard) { fmt.Println(filepath.Base(s.Path)) }

func ExampleMatch() {
	folder := folder()
	defer os.RemoveAll(folder)
	p, s := beam.NewPipelineWithRoot()
	shards := scaleout.Match(s, []string{filepath.Join(folder, "points-[01].csv")}, nil)
	beam.ParDo0(s, printShard, shards)
	_, err := prism.Execute(context.Background(), p)
	check(err)
	// Unordered output:
	// points-0.csv
	// points-1.csv
}

func printBatch(b scaleout.Batch) {
	rows, d := b.X.Dims()
	fmt.Printf("%s from %d: %d×%d, %s first\n", filepath.Base(b.Shard), b.First, rows, d, b.Labels[0])
}

func printBad(line string) { fmt.Println(filepath.Base(line)) }

func ExampleRead() {
	folder := folder()
	defer os.RemoveAll(folder)
	p, s := beam.NewPipelineWithRoot()
	shards := beam.Create(s, scaleout.Shard{Path: filepath.Join(folder, "points-2.csv")})
	batches, bad := scaleout.Read(s, shards, scaleout.ReadOptions{Model: filepath.Join(folder, "sample.bls"), Batch: 60, SkipBad: 1})
	beam.ParDo0(s, printBatch, batches)
	beam.ParDo0(s, printBad, bad)
	_, err := prism.Execute(context.Background(), p)
	check(err)
	// Unordered output:
	// points-2.csv from 0: 60×2, in first
	// points-2.csv from 60: 40×2, in first
	// points-2.csv:102: column "b" is "half", not a number; correct it, or use --exclude b
}

func printModel(m scaleout.Model) error {
	f, err := m.File(nil)
	if err == nil {
		u := f.Classifier.Updater()
		fmt.Println(u.Method(), u.Samples(), "samples, lambda", u.Lambda(), f.Metadata.Classes)
	}
	return err
}

// Batches may come from anywhere, here from the program itself; a negative lambda is that of the model
// file.
func ExampleFitGram() {
	folder := folder()
	defer os.RemoveAll(folder)
	x, classes := points(250)
	p, s := beam.NewPipelineWithRoot()
	batches := beam.Create(s, scaleout.Batch{X: x, Labels: classes, Shard: "points"})
	model := scaleout.FitGram(s, batches, scaleout.Options{Model: filepath.Join(folder, "sample.bls"), Lambda: -1})
	beam.ParDo0(s, printModel, model)
	_, err := prism.Execute(context.Background(), p)
	check(err)
	// Output: gram 250 samples, lambda 1e-06 [in out]
}

func printState(_ int64, s *scaleout.State) { fmt.Println(s.Samples(), "samples") }

// The parts of FitGram by themselves.
func ExampleStates() {
	folder := folder()
	defer os.RemoveAll(folder)
	opt := scaleout.Options{Model: filepath.Join(folder, "sample.bls"), Lambda: 0.5}
	x, classes := points(250)
	p, s := beam.NewPipelineWithRoot()
	batches := beam.Create(s, scaleout.Batch{X: x, Labels: classes, Shard: "points"})
	states := scaleout.States(s, blsupdate.Gram, batches, opt)
	beam.ParDo0(s, printState, states)
	sum := scaleout.Merge(s, states, opt)
	beam.ParDo0(s, printModel, scaleout.Solve(s, sum, opt))
	_, err := prism.Execute(context.Background(), p)
	check(err)
	// Output:
	// 250 samples
	// gram 250 samples, lambda 0.5 [in out]
}
