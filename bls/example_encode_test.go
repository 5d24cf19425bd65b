package bls_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/mat"
)

// A classifier is written in the middle of its training, read, and goes on: the scores are to the last
// bit those of the one that did not stop. Package modelfile keeps models in files, with names and
// checksums.
func ExampleDecodeClassifier() {
	train, test := dataset.Digits(600, 1), dataset.Digits(100, 2)
	c := &bls.Classifier{Features: bls.FeatureOptions{Groups: 3, EnhancementNodes: 50}, Method: blsupdate.Gram, Classes: 10}
	check(c.Fit(train.Dense(0, 400), train.LabelsInt(0, 400)))
	var kept bytes.Buffer
	check(c.Encode(&kept))
	again, err := bls.DecodeClassifier(&kept, nil)
	check(err)
	var scores [2]*mat.Dense
	for i, m := range []*bls.Classifier{c, again} {
		check(m.PartialFit(train.Dense(400, 600), train.LabelsInt(400, 600)))
		scores[i], err = m.DecisionFunction(test.Dense(0, 100))
		check(err)
	}
	fmt.Println("the same:", bytes.Equal(bits(scores[0]), bits(scores[1])))
	// Output:
	// the same: true
}

// bits returns the numbers of m as text that tells them apart.
func bits(m *mat.Dense) []byte { return fmt.Appendf(nil, "%x", m.RawMatrix().Data) }

func ExampleDecodeRegressor() {
	r, _, _ := line()
	var kept bytes.Buffer
	check(r.Encode(&kept))
	again, err := bls.DecodeRegressor(&kept, nil)
	check(err)
	p, err := again.Predict(mat.NewDense(1, 1, []float64{10}))
	check(err)
	fmt.Printf("%.6f\n", p.At(0, 0))
	// Output:
	// 21.000000
}

func ExampleDecodeFeatures() {
	x := dataset.Digits(50, 1).Dense(0, 50)
	f, err := bls.FitFeatures(x, bls.FeatureOptions{Groups: 2, EnhancementNodes: 10})
	check(err)
	var kept bytes.Buffer
	check(f.Encode(&kept))
	again, err := bls.DecodeFeatures(&kept, nil)
	check(err)
	fmt.Println(again.Inputs(), again.FeatureNodes(), again.EnhancementNodes())
	// Output:
	// 784 20 10
}

// Training that takes too long, or that a user gives up, stops with the cause of its context, and the
// model is what it was.
func ExampleClassifier_PartialFitContext() {
	train := dataset.Digits(600, 1)
	c := &bls.Classifier{Features: bls.FeatureOptions{EnhancementNodes: 100}, Classes: 10}
	check(c.FitContext(context.Background(), train.Dense(0, 400), train.LabelsInt(0, 400)))
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("the user pressed a key"))
	fmt.Println(c.PartialFitContext(ctx, train.Dense(400, 600), train.LabelsInt(400, 600)))
	fmt.Println(c.Updater().Samples(), "samples")
	// Output:
	// blskernel: canceled before the end: the user pressed a key
	// 400 samples
}
