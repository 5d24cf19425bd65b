package model_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"blskernel/bls"
	"blskernel/bls/model"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/dataset/stream"
)

// check ends an example that fails.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// table returns a reader of a file with lines of a color, a size and a label.
func table(lines ...string) *stream.Reader {
	dir, err := os.MkdirTemp("", "model")
	check(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "rows.csv")
	check(os.WriteFile(path, []byte("width,height,shape\n"+strings.Join(lines, "\n")+"\n"), 0o666))
	r, err := stream.Open(context.Background(), []string{path}, stream.Options{Targets: []string{"shape"}, Classes: true})
	check(err)
	return r
}

// A model learns a first batch, and then one with a new label. It predicts labels.
func Example() {
	ctx := context.Background()
	r := table("1,1,square", "2,1,wide", "3,1,wide", "2,2,square", "3,3,square", "4,2,wide", "1,3,tall")
	first, err := r.Next(6)
	check(err)
	classes, err := model.ClassesOf(first, "")
	check(err)
	m := model.New(&modelfile.File{
		Classifier: &bls.Classifier{
			Features: bls.FeatureOptions{Groups: 1, GroupNodes: 4, EnhancementNodes: 4, Seed: 1, Scaling: bls.ScaleColumns, Shrink: 1},
			Method:   blsupdate.Gram, Update: blsupdate.Options{Lambda: 1e-6}, Classes: len(classes),
		},
		Metadata: modelfile.Metadata{Classes: classes, Inputs: r.Inputs(), Targets: r.Targets()},
	})
	m.Gained = func(place string, added []string) { fmt.Println("new:", added) }
	check(m.Learn(ctx, first))
	second, err := r.Next(6)
	check(err)
	check(m.Learn(ctx, second))

	other := table("3,1,wide", "1,3,tall")
	check(m.Match(other, model.Data{Single: true}))
	b, err := other.Next(2)
	check(err)
	scores, err := m.Scores(ctx, b)
	check(err)
	numbers, err := model.ArgMax(scores, b)
	check(err)
	for _, n := range numbers {
		fmt.Println(m.Labels()[n])
	}
	// Output:
	// new: [tall]
	// wide
	// tall
}

// The log records how a file was learned, so that Verify can check that the file makes the model.
func ExampleModel_Verify() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "model")
	check(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "rows.csv")
	check(os.WriteFile(path, []byte("a,b,kind\n1,1,even\n2,1,odd\n3,1,even\n2,2,even\n3,2,odd\n4,3,odd\n"), 0o666))
	read := stream.Options{Targets: []string{"kind"}, Classes: true}
	r, err := stream.Open(ctx, []string{path}, read)
	check(err)
	defer r.Close()
	b, err := r.Next(100)
	check(err)
	m := model.New(&modelfile.File{
		Classifier: &bls.Classifier{
			Features: bls.FeatureOptions{Groups: 1, GroupNodes: 4, EnhancementNodes: 4, Seed: 1, Scaling: bls.ScaleColumns, Shrink: 1},
			Method:   blsupdate.Gram, Update: blsupdate.Options{Lambda: 1e-6}, Classes: 2,
		},
		Metadata: modelfile.Metadata{Classes: []string{"even", "odd"}, Inputs: r.Inputs(), Targets: r.Targets()},
	})
	check(m.Learn(ctx, b))
	hash, err := model.HashOf(nil, path)
	check(err)
	m.Log(modelfile.Operation{
		Kind: modelfile.OpTrain, Files: []modelfile.Learned{{Name: "rows.csv", Hash: hash, Rows: 6}},
		Read: &read, First: 100, Batch: 100, Classes: 2, Arithmetic: model.Arithmetic(nil),
	})
	v, err := m.Verify(ctx, []string{path})
	check(err)
	fmt.Println(v.Verdict, v.Bits)
	v, err = m.Verify(ctx, nil)
	check(err)
	fmt.Println(v.Verdict, len(v.Missing))
	// Output:
	// same true
	// unknown 1
}

// A program names its own flags in the advice on an error.
func ExampleRemedy() {
	var err error = &model.Error{Place: "rows.csv:7", Row: 5, What: "the nodes are too large", Do: model.DropRow | model.ExcludeColumn}
	fmt.Println(err)
	var e *model.Error
	if errors.As(err, &e) && e.Do&model.ExcludeColumn != 0 {
		fmt.Println(e.With("give -exclude 2"))
	}
	// Output:
	// rows.csv:7: the nodes are too large: remove the row if it is an outlier, or scale the values down, or leave the column out
	// rows.csv:7: the nodes are too large: give -exclude 2
}

// Two models have different classes: the union has the classes of the first, and then the others.
func ExampleClasses() {
	all, to := model.NewClasses([]string{"dog", "cat"}).With([]string{"owl", "cat", "owl", "dog", "ant"})
	fmt.Println(all, to)
	// Output:
	// [dog cat owl ant] [2 1 2 0 3]
}
