package learn

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/atomicfile"
	"blskernel/internal/npy"
	"blskernel/mat"

	"github.com/spf13/cobra"
)

// An exporting has the flags of export.
type exporting struct {
	command
	out string
}

// NewExport returns the command export.
func NewExport(s ui.Streams) *cobra.Command {
	var e exporting
	cmd := &cobra.Command{
		Use:   "export MODEL --out FILE.npz",
		Short: "Write the weights and feature maps of a model for NumPy",
		Long: `Write all numbers that predictions are computed from to an .npz file, which numpy.load reads. For d
inputs, N feature nodes, n enhancement nodes, k = N + n, and c classes or targets, the arrays are:

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

Numbers are float64 in C order; labels are int64 if all are whole numbers, else strings. From samples
X, one a row:

    S = (X - means) / deviations                         scaling "columns"
    S = (X - mean of the row) / deviation of the row     scaling "samples", with d-1
    Z = ([S, bias] feature_weights - feature_minimum) / feature_range
    H = tanh(enhancement_scale [Z, bias] enhancement_weights)
    scores = [Z, H] weights,  predictions = [Z, H, 1] weights + center`,
		Example: `  blskernel export iris.bls --out iris.npz
  python3 -c 'import numpy; print(numpy.load("iris.npz")["weights"])'`,
		Args:              modelFirst(1),
		ValidArgsFunction: completeArguments(true, false),
		RunE:              func(cmd *cobra.Command, args []string) error { return e.do(cmd.Context(), args[0], s) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&e.out, "out", "", "the .npz file")
	e.register(cmd, "one JSON object with the shapes of the arrays")
	ui.CompleteFile(cmd, "out", "npz")
	return cmd
}

func (e *exporting) do(ctx context.Context, path string, s ui.Streams) error {
	switch {
	case e.out == "":
		return ui.Usagef("--out is missing: name the .npz file")
	case !strings.EqualFold(filepath.Ext(e.out), ".npz"):
		return ui.Usagef("--out is %q; want a name that ends in .npz", e.out)
	}
	if err := e.begin(ctx, s); err != nil {
		return err
	}
	if err := checkOut(e.out, false, path); err != nil {
		return err
	}
	m, err := e.loadToRead(ctx, path)
	if err != nil {
		return err
	}
	e.Explain("%s; its weights are computed by the backend %s", m, e.backend.Name())
	arrays, err := modelArrays(m)
	if err != nil {
		return err
	}
	file, err := atomicfile.Create(s.FS, e.out)
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
	shapes := map[string][]int{}
	var names []string
	for _, a := range arrays {
		shapes[a.name] = append([]int{}, a.shape...)
		names = append(names, a.name)
	}
	if err := e.Object(map[string]any{"out": e.out, "arrays": shapes}); err != nil {
		return err
	}
	return e.Say("%s   %s", e.out, strings.Join(names, ", "))
}

// exported is an array of the archive: of numbers, or of labels.
type exported struct {
	name   string
	shape  []int
	values []float64
	labels []string
}

// numbers returns an array of numbers, a scalar without a shape.
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

// modelArrays returns the arrays of a model that the help of export lists.
func modelArrays(m *model) ([]exported, error) {
	w, err := m.Weights()
	if err != nil {
		return nil, explainLearning(err)
	}
	maps := m.FittedFeatures().Maps()
	arrays := []exported{
		{name: "kind", labels: []string{m.kind}},
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
	if m.Classifier != nil {
		arrays = append(arrays, matrix("weights", w))
		labeled("classes", m.labels())
	} else {
		arrays = append(arrays, withIntercept(w, m)...)
	}
	if m.Metadata.Inputs != nil {
		labeled("inputs", m.Metadata.Inputs)
	}
	if m.Metadata.Targets != nil {
		labeled("targets", m.Metadata.Targets)
	}
	return arrays, nil
}

// withIntercept returns the weights and the center of a regression. A model without an intercept gets a
// row of zeros, so that predictions are computed in one way.
func withIntercept(w *mat.Dense, m *model) []exported {
	weights := matrix("weights", w)
	center := m.Regressor.Center()
	c := weights.shape[1]
	if weights.shape[0] == m.FittedFeatures().Nodes() {
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
		// Compression does not make weights smaller.
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
