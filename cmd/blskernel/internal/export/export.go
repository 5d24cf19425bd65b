// Package export has the command export.
package export

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"blskernel/bls/model"
	"blskernel/cmd/blskernel/internal/session"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/internal/io/atomicfile"
	"blskernel/internal/io/npy"
	"blskernel/mat"

	"github.com/spf13/cobra"
)

type exporting struct {
	session.Session
	out string
}

// New returns the command export.
func New(s ui.Streams) *cobra.Command {
	var e exporting
	cmd := &cobra.Command{
		Use:   "export MODEL --out FILE.npz",
		Short: "Write the weights and feature maps of a model for NumPy",
		Long: `Write all numbers that predictions are computed from to an .npz file, which numpy.load reads. For d
inputs, N feature nodes, n enhancement nodes, k = N + n, and c classes or targets, the arrays are:

    kind                 "classification" or "regression"
    scaling              "samples", "columns", "ranks" or "none"
    means, deviations    d             of the columns; only if scaling is "columns"
    knots, scores        d x m         of the columns, ascending; only if scaling is "ranks"
    direct               scalar        1 if S is part of the nodes, else 0
    bias                 scalar        0.1, the last input of the nodes
    feature_weights      (d+1) x N     the last row is that of the bias
    feature_minimum      N             of the feature nodes on the first batch
    feature_range        N
    enhancement_weights  (N+1) x n     only if n > 0; the last row is that of the bias
    enhancement_scale    scalar
    step_columns         2 x p         only if the last p of the n are steps: numbers of columns of S
    step_slopes          2 x p         enhancement_weights has n - p columns then
    step_thresholds      2 x p
    weights              k x c, for a regression (k+1) x c: the last row is that of a 1
    center               c             only for a regression: is added to the predictions
    smearing, largest    c             only for a regression of logarithms
    classes              c             only for a classification: the labels
    inputs, targets      names of the inputs and targets, if the data had names; color=red for a word
    fill                 d             of missing cells, if the model fills them in

Numbers are float64 in C order; labels are int64 if all are whole numbers, else strings. From samples
X, one a row:

    S = (X - means) / deviations                         scaling "columns"
    S = (X - mean of the row) / deviation of the row     scaling "samples", with d-1
    S[:,j] = numpy.interp(X[:,j], knots[j], scores[j])   scaling "ranks"
    Z = ([S, bias] feature_weights - feature_minimum) / feature_range
    H = tanh(enhancement_scale [Z, bias] enhancement_weights)
    scores = [Z, H] weights,  predictions = [Z, H, 1] weights + center
    [Z, S, H] in place of [Z, H] if direct is 1, and [Z, S, H, G] with steps
    G = tanh(min over i = 0, 1 of step_slopes[i] (S[:,step_columns[i]] - step_thresholds[i]))
    predictions = min(largest, smearing exp([Z, H, 1] weights + center)) with logarithms`,
		Example: `  blskernel export iris.bls --out iris.npz
  python3 -c 'import numpy; print(numpy.load("iris.npz")["weights"])'`,
		Args: session.ModelFirst(1),
		RunE: func(cmd *cobra.Command, args []string) error { return e.do(cmd.Context(), args[0], s) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	ui.OutFlag(cmd, &e.out, "the .npz file")
	e.Register(cmd, "one JSON object with the shapes of the arrays")
	return cmd
}

func (e *exporting) do(ctx context.Context, path string, s ui.Streams) error {
	switch {
	case e.out == "":
		return ui.Usagef("--out is missing: name the .npz file")
	case !strings.EqualFold(filepath.Ext(e.out), ".npz"):
		return ui.Usagef("--out is %q; want a name that ends in .npz", e.out)
	}
	if err := e.Begin(s); err != nil {
		return err
	}
	if err := e.CheckOut(e.out, false, e.Look(path)); err != nil {
		return err
	}
	m, err := e.LoadToRead(ctx, path)
	if err != nil {
		return err
	}
	e.Explain("%s; its weights are computed by the backend %s", session.Describe(m), e.Backend.Name())
	weights, err := m.Weights()
	if err != nil {
		return session.TrainAnew(err)
	}
	file, err := atomicfile.Create(s.FS, e.out)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	defer file.Abort()
	a := archive{zip: zip.NewWriter(file), shapes: map[string][]int{}}
	a.model(m, weights)
	if a.err == nil {
		a.err = a.zip.Close()
	}
	if a.err != nil {
		return a.err
	}
	if err := file.Commit(); err != nil {
		return err
	}
	if err := e.Object(map[string]any{"out": e.out, "arrays": a.shapes}); err != nil {
		return err
	}
	return e.Say("%s   %s", e.out, strings.Join(a.names, ", "))
}

// An archive writes arrays as numpy.savez does. After an error it writes no more.
type archive struct {
	zip    *zip.Writer
	names  []string
	shapes map[string][]int
	err    error
}

// model writes the arrays of a model that the help of export lists.
func (a *archive) model(m *model.Model, weights *mat.Dense) {
	maps := m.FittedFeatures().Maps()
	a.words("kind", []string{m.Kind()})
	a.words("scaling", []string{maps.Scaling.String()})
	if maps.Means != nil {
		a.vector("means", maps.Means)
		a.vector("deviations", maps.Deviations)
	}
	if maps.Knots != nil {
		a.padded("knots", maps.Knots)
		a.padded("scores", maps.Scores)
	}
	direct := 0.0
	if maps.Direct {
		direct = 1
	}
	a.numbers("direct", []float64{direct})
	a.numbers("bias", []float64{maps.Bias})
	a.matrix("feature_weights", maps.FeatureWeights)
	a.vector("feature_minimum", maps.FeatureMinimum)
	a.vector("feature_range", maps.FeatureRange)
	if maps.EnhancementWeights != nil {
		a.matrix("enhancement_weights", maps.EnhancementWeights)
	}
	a.numbers("enhancement_scale", []float64{maps.EnhancementScale})
	if p := m.FittedFeatures().Steps(); p > 0 {
		columns := mat.NewDense(2, p, nil)
		for i := range maps.StepColumns {
			for q, j := range maps.StepColumns[i] {
				columns.Set(i, q, float64(j))
			}
		}
		a.matrix("step_columns", columns)
		a.matrix("step_slopes", mat.NewDense(2, p, slices.Concat(maps.StepSlopes[0], maps.StepSlopes[1])))
		a.matrix("step_thresholds", mat.NewDense(2, p, slices.Concat(maps.StepThresholds[0], maps.StepThresholds[1])))
	}
	if m.Classifier != nil {
		a.matrix("weights", weights)
		a.words("classes", m.Labels(), len(m.Labels()))
	} else {
		// Without an intercept there is a row of zeros: predictions are computed in one way.
		k, c := m.FittedFeatures().Nodes(), m.Updater().Targets()
		whole := mat.NewDense(k+1, c, nil)
		whole.Copy(weights)
		a.matrix("weights", whole)
		center := make([]float64, c)
		copy(center, m.Regressor.Center())
		a.vector("center", center)
		if factors, largest := m.Regressor.Smearing(); factors != nil {
			a.vector("smearing", factors)
			a.vector("largest", largest)
		}
	}
	if names := m.Metadata.Inputs; names != nil {
		a.words("inputs", names, len(names))
	}
	if columns := m.Metadata.Columns; columns != nil && columns.Filled() {
		var fill []float64
		for _, c := range columns {
			fill = append(fill, c.Fill...)
		}
		a.vector("fill", fill)
	}
	if names := m.Metadata.Targets; names != nil {
		a.words("targets", names, len(names))
	}
}

// add writes an array, a scalar without a shape.
func (a *archive) add(name, descr string, shape []int, write func(w io.Writer) error) {
	if a.err != nil {
		return
	}
	a.names = append(a.names, name)
	a.shapes[name] = append([]int{}, shape...)
	// Compression does not make weights smaller.
	entry, err := a.zip.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
	if err == nil {
		_, err = entry.Write(npy.AppendHeader(nil, descr, shape...))
	}
	if err == nil {
		err = write(entry)
	}
	a.err = err
}

func (a *archive) numbers(name string, values []float64, shape ...int) {
	a.add(name, npy.Float64, shape, func(w io.Writer) error { return npy.WriteFloats(w, values) })
}

func (a *archive) vector(name string, values []float64) { a.numbers(name, values, len(values)) }

// padded writes rows of several lengths as a matrix: the last number of each row fills it up.
func (a *archive) padded(name string, rows [][]float64) {
	width := 0
	for _, row := range rows {
		width = max(width, len(row))
	}
	m := mat.NewDense(len(rows), width, nil)
	for i, row := range rows {
		for j := range width {
			m.Set(i, j, row[min(j, len(row)-1)])
		}
	}
	a.matrix(name, m)
}

func (a *archive) matrix(name string, m *mat.Dense) {
	r, c := m.Dims()
	values := make([]float64, 0, r*c)
	for i := range r {
		values = append(values, m.RawRowView(i)...)
	}
	a.numbers(name, values, r, c)
}

func (a *archive) words(name string, words []string, shape ...int) {
	descr := npy.LabelType(words)
	var text []byte
	for _, word := range words {
		text = npy.AppendLabel(text, descr, word)
	}
	a.add(name, descr, shape, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}
