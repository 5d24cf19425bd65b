package soak

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"blskernel"
	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/dataset/stream"
	"blskernel/internal/testutil"
	"blskernel/internal/testutil/faults"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// modelTasks returns tasks that fit a classifier of their own, and tasks that read, write and load one
// classifier that they share.
//
// On a backend that does not promise bits, feature maps fitted by 50 iterations have no useful error
// bound, so only the predicted classes are compared. Rounding cannot change them, since a task checks
// that the score of the predicted class exceeds the other scores by more than 0.5.
func modelTasks(t *testing.T, b blskernel.Backend) []*soakTask {
	t.Helper()
	const l, first, d, classes = 150, 100, 12, 3
	rnd := rand.New(rand.NewPCG(74, 1))
	x, labels := mat.NewDense(l, d, uniform(rnd, l*d)), make([]int, l)
	for i := range l {
		labels[i] = i % classes
		x.Set(i, labels[i], x.At(i, labels[i])+8)
	}
	part := func(from, to int) *mat.Dense { return x.Slice(from, to, 0, d).(*mat.Dense) }
	exact := b.Name() == "pure"
	result := func(c *bls.Classifier) ([]float64, error) {
		scores, err := c.DecisionFunction(x)
		if err != nil {
			return nil, err
		}
		predicted := bls.ArgMax(scores)
		for i, class := range predicted {
			for j := range classes {
				if j != class && !(scores.At(i, class)-scores.At(i, j) > 0.5) {
					return nil, fmt.Errorf("the scores of sample %d are %v", i, scores.RawRowView(i))
				}
			}
		}
		if exact {
			return scores.RawMatrix().Data, nil
		}
		out := make([]float64, l)
		for i, class := range predicted {
			out[i] = float64(class)
		}
		return out, nil
	}
	features := bls.FeatureOptions{Scaling: bls.ScaleColumns, Groups: 3, GroupNodes: 4, EnhancementNodes: 30, Seed: 9}

	var tasks []*soakTask
	add := func(name string, run func() ([]float64, error)) {
		tasks = append(tasks, &soakTask{name: name, run: run})
	}
	for _, method := range blsupdate.Methods() {
		fit := func() (*bls.Classifier, error) {
			c := &bls.Classifier{Backend: b, Features: features, Method: method, Update: blsupdate.Options{Lambda: 1e-4}}
			return c, c.Fit(part(0, first), labels[:first])
		}
		add(fmt.Sprintf("classifier-%v", method), func() ([]float64, error) {
			c, err := fit()
			if err != nil {
				return nil, err
			}
			if err := c.PartialFitContext(faults.CanceledAfter(1), part(first, l), labels[first:], nil); !errors.Is(err, context.Canceled) {
				return nil, fmt.Errorf("canceled: %v", err)
			}
			var text bytes.Buffer
			if err := c.Encode(&text); err != nil {
				return nil, err
			}
			if c, err = bls.DecodeClassifier(&text, b); err != nil {
				return nil, err
			}
			if err := c.PartialFit(part(first, l), labels[first:]); err != nil {
				return nil, err
			}
			return result(c)
		})
		shared, err := fit()
		testutil.NoError(t, err)
		var written bytes.Buffer
		testutil.NoError(t, shared.Encode(&written))
		path := filepath.Join(t.TempDir(), "shared.bls")
		same := func(c *bls.Classifier) error {
			var text bytes.Buffer
			if err := c.Encode(&text); err != nil {
				return err
			}
			if !bytes.Equal(text.Bytes(), written.Bytes()) {
				return errors.New("the model is encoded differently")
			}
			return nil
		}
		add(fmt.Sprintf("shared-classifier-%v", method), func() ([]float64, error) {
			// All tasks write the same model to one file, which is complete at any time.
			if err := errors.Join(same(shared), modelfile.Save(path, &modelfile.File{Classifier: shared})); err != nil {
				return nil, err
			}
			loaded, err := modelfile.Load(path, b)
			if err == nil {
				err = same(loaded.Classifier)
			}
			if err != nil {
				return nil, err
			}
			return result(shared)
		})
	}
	return tasks
}

// streamTasks returns tasks that read one file, each with a Reader of its own, to the end or in part.
// Closing the Reader must also stop its read-ahead.
func streamTasks(t *testing.T) []*soakTask {
	t.Helper()
	const l, d = 5000, 20
	rnd := rand.New(rand.NewPCG(75, 1))
	var text bytes.Buffer
	for range l {
		for j := range d {
			fmt.Fprintf(&text, "%v%c", rnd.NormFloat64(), ",\n"[j/(d-1)])
		}
	}
	path := filepath.Join(t.TempDir(), "x.csv")
	testutil.NoError(t, os.WriteFile(path, text.Bytes(), 0o666))
	read := func(most int) ([]float64, error) {
		r, err := stream.Open(context.Background(), []string{path}, stream.Options{})
		if err != nil {
			return nil, err
		}
		defer r.Close()
		var sums []float64
		for len(sums) < most {
			batch, err := r.Next(700)
			if err == io.EOF {
				break
			}
			if err != nil {
				return nil, err
			}
			sums = append(sums, gonum.Sum(batch.X))
		}
		return sums, r.Close()
	}
	return []*soakTask{
		{name: "read-a-file", run: func() ([]float64, error) { return read(math.MaxInt) }},
		{name: "read-some-of-a-file", run: func() ([]float64, error) { return read(1) }},
	}
}
