// Package export implements the export command, which writes a model's weights and maps for NumPy.
package export

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
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

// New returns the export command.
func New(s ui.Streams) *cobra.Command {
	var e exporting
	cmd := &cobra.Command{
		Use:   "export MODEL --out FILE.npz",
		Short: "Write the weights and feature maps of a model for NumPy",
		Long: `Write an .npz file for numpy.load with all the numbers from which predictions are computed. For d
inputs, N feature nodes, n enhancement nodes, k nodes (N + n, or N + d + n if direct is 1), and c classes
or targets, the arrays are:

    kind                 "classification" or "regression"
    scaling              "samples", "columns", "ranks" or "none"
    means, deviations    d             of the columns; only if scaling is "columns"
    knots, scores        d x m         of the columns, ascending; only if scaling is "ranks"
    direct               scalar        1 if S is part of the nodes, else 0
    bias                 scalar        0.1, the last input of the nodes
    feature_weights      (d+1) x N     the last row is for the bias
    feature_minimum      N             of the feature nodes on the first batch
    feature_range        N
    enhancement_weights  (N+1) x n     only if n > 0; the last row is for the bias
    enhancement_scale    scalar
    step_columns         2 x p         columns of S, from 0; only if the last p of the n are step functions
    step_slopes          2 x p
    step_thresholds      2 x p         enhancement_weights then has only n - p columns
    weights              k x c, for regression (k+1) x c: the last row multiplies a 1
    center               c             only for regression: added to the predictions
    smearing, largest    c             only for regression on logarithms
    classes              c             only for classification: the labels
    inputs, targets      their names, if the data had names; color=red is the input for the word red
    fill                 d             values for missing cells, if the model fills them in

Numbers are float64 in C order; labels are int64 if all are whole numbers, else strings. For samples
X, one in each row:

    S = (X - means) / deviations                         scaling "columns"
    S = (X - mean of the row) / deviation of the row     scaling "samples", divisor d-1, 0/0 = 0
    S[:,j] = numpy.interp(X[:,j], knots[j], scores[j])   scaling "ranks"
    Z = ([S, bias] feature_weights - feature_minimum) / feature_range
    H = tanh(enhancement_scale [Z, bias] enhancement_weights)
    scores = [Z, H] weights,  predictions = [Z, H, 1] weights + center
    [Z, S, H] instead of [Z, H] if direct is 1, and [Z, S, H, G] with step functions
    G = tanh(min over i = 0, 1 of step_slopes[i] (S[:,step_columns[i]] - step_thresholds[i]))
    predictions = min(largest, smearing exp([Z, H, 1] weights + center)) with logarithms`,
		Example: `  blskernel export iris.bls --out iris.npz
  python3 -c 'import numpy; print(numpy.load("iris.npz")["weights"])'`,
		Args: session.ModelFirst(1),
	}
	ui.OutFlag(cmd, &e.out, "the .npz file")
	return e.Command(cmd, s, "one JSON object with the shapes of the arrays", e.do)
}

func (e *exporting) do(ctx context.Context, args []string) error {
	path := args[0]
	switch {
	case e.out == "":
		return ui.Usagef("--out is missing: name the .npz file")
	case !strings.EqualFold(filepath.Ext(e.out), ".npz"):
		return ui.Usagef("--out is %q; want a name that ends in .npz", e.out)
	}
	if err := e.CheckOut(e.out, false, path); err != nil {
		return err
	}
	m, err := e.LoadToRead(ctx, path)
	if err != nil {
		return err
	}
	e.Explain("%s; its weights are computed by the backend %s", session.Describe(m), e.Backend.Name())
	weights, err := m.Weights()
	if err != nil {
		return session.Advice{}.Explain(err)
	}
	file, err := atomicfile.Create(e.FS, e.out)
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
	return errors.Join(e.Object(map[string]any{"out": e.out, "arrays": a.shapes}), e.Say("%s   %s", e.out, strings.Join(a.list, ", ")))
}

// An archive writes arrays as numpy.savez does. After an error it ignores further arrays.
type archive struct {
	zip    *zip.Writer
	list   []string // the names of the arrays written so far
	shapes map[string][]int
	err    error
}

// model writes the arrays that the help of export lists.
func (a *archive) model(m *model.Model, weights *mat.Dense) {
	maps := m.FittedFeatures().Maps()
	a.add("kind", m.Kind())
	a.add("scaling", maps.Scaling.String())
	a.add("means", maps.Means)
	a.add("deviations", maps.Deviations)
	a.add("knots", maps.Knots)
	a.add("scores", maps.Scores)
	direct := 0.0
	if maps.Direct {
		direct = 1
	}
	a.add("direct", direct)
	a.add("bias", maps.Bias)
	a.add("feature_weights", maps.FeatureWeights)
	a.add("feature_minimum", maps.FeatureMinimum)
	a.add("feature_range", maps.FeatureRange)
	a.add("enhancement_weights", maps.EnhancementWeights)
	a.add("enhancement_scale", maps.EnhancementScale)
	if p := m.FittedFeatures().Steps(); p > 0 {
		columns := mat.NewDense(2, p, nil)
		for i := range maps.StepColumns {
			for q, j := range maps.StepColumns[i] {
				columns.Set(i, q, float64(j))
			}
		}
		a.add("step_columns", columns)
		a.add("step_slopes", maps.StepSlopes[:])
		a.add("step_thresholds", maps.StepThresholds[:])
	}
	if m.Classifier != nil {
		a.add("weights", weights)
		a.add("classes", m.Labels())
	} else {
		// Without an intercept the last row is zero, so that one formula gives all predictions.
		k, c := m.FittedFeatures().Nodes(), m.Updater().Targets()
		whole := mat.NewDense(k+1, c, nil)
		whole.Copy(weights)
		a.add("weights", whole)
		center := make([]float64, c)
		copy(center, m.Regressor.Center())
		a.add("center", center)
		factors, largest := m.Regressor.Smearing()
		a.add("smearing", factors)
		a.add("largest", largest)
	}
	a.add("inputs", m.Metadata.Inputs)
	if columns := m.Metadata.Columns; columns.Filled() {
		var fill []float64
		for _, c := range columns {
			fill = append(fill, c.Fill...)
		}
		a.add("fill", fill)
	}
	a.add("targets", m.Metadata.Targets)
}

// add writes value as an array called name: a number or a string as a scalar, a slice as a vector,
// rows as a matrix. It pads a shorter row with its last number, and leaves out a nil value.
func (a *archive) add(name string, value any) {
	var floats []float64
	var words []string
	shape := []int{}
	switch v := value.(type) {
	case float64:
		floats = []float64{v}
	case string:
		words = []string{v}
	case []float64:
		floats, shape = v, []int{len(v)}
	case []string:
		words, shape = v, []int{len(v)}
	case [][]float64:
		width := 0
		for _, row := range v {
			width = max(width, len(row))
		}
		for _, row := range v {
			floats = append(append(floats, row...), slices.Repeat(row[len(row)-1:], width-len(row))...)
		}
		shape = []int{len(v), width}
	case *mat.Dense:
		if v != nil {
			r, c := v.Dims()
			for i := range r {
				floats = append(floats, v.RawRowView(i)...)
			}
			shape = []int{r, c}
		}
	}
	if a.err != nil || floats == nil && words == nil {
		return
	}
	a.list = append(a.list, name)
	a.shapes[name] = shape
	descr := npy.Float64
	if words != nil {
		descr = npy.LabelType(words)
	}
	// Compression would not make weights smaller.
	entry, err := a.zip.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
	if err == nil {
		_, err = entry.Write(npy.AppendHeader(nil, descr, shape...))
	}
	if err == nil {
		err = npy.WriteFloats(entry, floats)
	}
	for _, word := range words {
		if err == nil {
			_, err = entry.Write(npy.AppendLabel(nil, descr, word))
		}
	}
	a.err = err
}
