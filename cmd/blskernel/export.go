package main

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"blskernel/internal/atomicfile"
	"blskernel/internal/npy"
	"blskernel/mat"

	"github.com/spf13/cobra"
)

// exportSettings are the flags of export.
type exportSettings struct {
	out     string
	compute computeSettings
	talk    talkSettings
}

func newExport(s streams) *cobra.Command {
	var set exportSettings
	cmd := &cobra.Command{
		Use:   "export MODEL --out FILE.npz",
		Short: "Write the weights and feature maps of a model for NumPy",
		Long: `Write all numbers that predictions are computed from to an .npz file, which numpy.load
reads. Of d inputs, N feature nodes, n enhancement nodes, k = N + n, and c classes or
targets, its arrays are:

  kind                 "classification" or "regression"
  scaling              "samples", "columns" or "none"
  means, deviations    d             of the columns; only if scaling is "columns"
  bias                 scalar        0.1, the last input of the nodes
  feature_weights      (d+1) x N     the last row is that of the bias
  feature_minimum      N             of the feature nodes on the first batch
  feature_range        N
  enhancement_weights  (N+1) x n     only if n > 0; the last row is that of the bias
  enhancement_scale    scalar
  weights              k x c, for a regression (k+1) x c: the last row is that of a 1
  center               c             only for a regression: is added to the predictions
  classes              c             only for a classification: the labels
  inputs, targets      names of the columns, if the data had names

Numbers are float64 in C order; labels are int64 if all are whole numbers, else strings.
From samples X, each in a row:

  S = (X - means) / deviations                         scaling "columns"
  S = (X - mean of the row) / deviation of the row     scaling "samples", with d-1
  Z = ([S, bias] feature_weights - feature_minimum) / feature_range
  H = tanh(enhancement_scale [Z, bias] enhancement_weights)
  scores = [Z, H] weights,  predictions = [Z, H, 1] weights + center`,
		Example: `  blskernel export iris.bls --out iris.npz
  python3 -c 'import numpy; print(numpy.load("iris.npz")["weights"])'`,
		Args:              oneModel,
		ValidArgsFunction: completeModel,
		RunE:              func(cmd *cobra.Command, args []string) error { return set.run(cmd.Context(), args[0], s) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&set.out, "out", "", "the .npz file")
	set.compute.register(cmd)
	set.talk.register(cmd, "one JSON object with the shapes of the arrays")
	completeFile(cmd, "out", "npz")
	return cmd
}

// oneModel wants one argument.
func oneModel(_ *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return fmt.Errorf("no model: name the model file")
	case 1:
		return nil
	default:
		return fmt.Errorf("unexpected argument %q", args[1])
	}
}

func (set *exportSettings) run(ctx context.Context, path string, s streams) error {
	switch {
	case set.out == "":
		return usageError{fmt.Errorf("--out is missing: name the .npz file")}
	case !strings.EqualFold(lastBytes(set.out, 4), ".npz"):
		return usageError{fmt.Errorf("--out is %q; want a name that ends in .npz", set.out)}
	}
	if err := set.talk.check(); err != nil {
		return err
	}
	if err := checkOutput(set.out, path); err != nil {
		return err
	}
	b, err := set.compute.lookup()
	if err != nil {
		return err
	}
	t := set.talk.begin(s)
	model, err := loadModel(ctx, path, b)
	if err != nil {
		return err
	}
	if what := unfinished(&model.Metadata); what != "" {
		t.warn("%s is %s", path, what)
	}
	t.explain("%s; its weights are computed by the backend %s", model.describe(), b.Name())
	arrays, err := modelArrays(model)
	if err != nil {
		return err
	}
	file, err := atomicfile.Create(s.fs, set.out)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	defer file.Abort()
	if err := writeArchive(file, arrays); err != nil {
		return err
	}
	if err := file.Commit(); err != nil {
		return err
	}
	return set.tell(arrays, t)
}

// lastBytes returns the last n bytes of text, or all.
func lastBytes(text string, n int) string { return text[max(0, len(text)-n):] }

// exported is an array of the archive: of numbers, or of labels.
type exported struct {
	name   string
	shape  []int
	values []float64
	labels []string
}

// numbers returns an array with a number of elements, or a scalar if there is no shape.
func numbers(name string, values []float64, shape ...int) exported {
	return exported{name: name, shape: shape, values: values}
}

// matrix returns an array of the elements of m.
func matrix(name string, m *mat.Dense) exported {
	r, c := m.Dims()
	values := make([]float64, 0, r*c)
	for i := range r {
		values = append(values, m.RawRowView(i)...)
	}
	return numbers(name, values, r, c)
}

// modelArrays returns the arrays of a model, as the help of the command lists them.
func modelArrays(model *learner) ([]exported, error) {
	w, err := model.weights()
	if err != nil {
		return nil, explainLearning(err)
	}
	maps := model.features().Maps()
	arrays := []exported{
		{name: "kind", labels: []string{model.kind()}},
		{name: "scaling", labels: []string{maps.Scaling.String()}},
	}
	if maps.Means != nil {
		arrays = append(arrays, numbers("means", maps.Means, len(maps.Means)), numbers("deviations", maps.Deviations, len(maps.Deviations)))
	}
	arrays = append(arrays,
		numbers("bias", []float64{maps.Bias}),
		matrix("feature_weights", maps.FeatureWeights),
		numbers("feature_minimum", maps.FeatureMinimum, len(maps.FeatureMinimum)),
		numbers("feature_range", maps.FeatureRange, len(maps.FeatureRange)),
	)
	if maps.EnhancementWeights != nil {
		arrays = append(arrays, matrix("enhancement_weights", maps.EnhancementWeights))
	}
	arrays = append(arrays, numbers("enhancement_scale", []float64{maps.EnhancementScale}))
	labeled := func(name string, labels []string) {
		arrays = append(arrays, exported{name: name, shape: []int{len(labels)}, labels: labels})
	}
	if model.Classifier != nil {
		arrays = append(arrays, matrix("weights", w))
		labeled("classes", model.labels())
	} else {
		arrays = append(arrays, withIntercept(w, model)...)
	}
	if model.Metadata.Inputs != nil {
		labeled("inputs", model.Metadata.Inputs)
	}
	if model.Metadata.Targets != nil {
		labeled("targets", model.Metadata.Targets)
	}
	return arrays, nil
}

// withIntercept returns the weights and the center of a regression. One without an intercept gets a row
// of zeros, so that the predictions of all are computed in the same way.
func withIntercept(w *mat.Dense, model *learner) []exported {
	weights := matrix("weights", w)
	center := model.Regressor.Center()
	c := weights.shape[1]
	if weights.shape[0] == model.features().Nodes() {
		weights.values = append(weights.values, make([]float64, c)...)
		weights.shape[0]++
	}
	if center == nil {
		center = make([]float64, c)
	}
	return []exported{weights, numbers("center", slices.Clone(center), c)}
}

// writeArchive writes the arrays as numpy.savez does.
func writeArchive(w io.Writer, arrays []exported) error {
	archive := zip.NewWriter(w)
	for _, a := range arrays {
		// Weights do not become smaller by being packed.
		entry, err := archive.CreateHeader(&zip.FileHeader{Name: a.name + ".npy", Method: zip.Store})
		if err != nil {
			return err
		}
		if err := a.write(entry); err != nil {
			return err
		}
	}
	return archive.Close()
}

func (a exported) write(w io.Writer) error {
	if a.labels == nil {
		if _, err := w.Write(npy.AppendHeader(nil, npy.Float64, a.shape...)); err != nil {
			return err
		}
		return npy.WriteFloats(w, a.values)
	}
	descr := npy.LabelType(a.labels)
	text := npy.AppendHeader(nil, descr, a.shape...)
	for _, label := range a.labels {
		text = npy.AppendLabel(text, descr, label)
	}
	_, err := w.Write(text)
	return err
}

// tell says what was written.
func (set *exportSettings) tell(arrays []exported, t *talk) error {
	shapes := map[string][]int{}
	var names []string
	for _, a := range arrays {
		shapes[a.name] = append([]int{}, a.shape...)
		names = append(names, a.name)
	}
	if err := t.object(map[string]any{"out": set.out, "arrays": shapes}); err != nil {
		return err
	}
	return t.say("%s   %s", set.out, strings.Join(names, ", "))
}
