package bls

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"blskernel/internal/testutil"
	"blskernel/mat"
)

// rulesTable returns l rows of 8 normal numbers, with labels from three threshold rules.
func rulesTable(seed uint64, l int) (x *mat.Dense, labels []int) {
	r := rand.New(rand.NewPCG(seed, 31))
	x, labels = testutil.Random(r, l, 8), make([]int, l)
	for i := range l {
		row := x.RawRowView(i)
		if row[1] > 0.5 && row[4] > -0.3 || row[6] < -1 || row[2] > 0.8 && row[3] > 0 {
			labels[i] = 1
		}
	}
	return x, labels
}

// TestSteps computes the steps of a row from the numbers of Maps.
func TestSteps(t *testing.T) {
	x, _ := rulesTable(1, 200)
	for _, scaling := range []Scaling{ScaleColumns, ScaleRanks} {
		f := mustFit(t, x, FeatureOptions{Scaling: scaling, Groups: 1, GroupNodes: 2, EnhancementNodes: 41, Direct: 1, Steps: 1})
		if f.Steps() != 20 || f.Nodes() != 2+8+41 {
			t.Fatalf("%d steps of %d nodes", f.Steps(), f.Nodes())
		}
		m, a := f.Maps(), mustTransform(t, f, x)
		for i := range 200 {
			s, g := a.RawRowView(i)[2:10], a.RawRowView(i)[31:]
			for q := range g {
				at := func(k int) float64 { return m.StepSlopes[k][q] * (s[m.StepColumns[k][q]] - m.StepThresholds[k][q]) }
				if want := math.Tanh(min(at(0), at(1))); !(math.Abs(g[q]-want) <= 1e-15) {
					t.Fatalf("%v: step %d of row %d is %v, want %v", scaling, q, i, g[q], want)
				}
			}
		}
		// Thresholds are elements of the columns, slopes are steep both ways.
		for k := range m.StepColumns {
			for q, j := range m.StepColumns[k] {
				column := make([]float64, 200)
				for i := range column {
					column[i] = a.At(i, 2+j)
				}
				if !slices.Contains(column, m.StepThresholds[k][q]) || math.Abs(m.StepSlopes[k][q]) != stepSlope {
					t.Errorf("%v: column %d, threshold %v, slope %v", scaling, j, m.StepThresholds[k][q], m.StepSlopes[k][q])
				}
			}
			if slices.Min(m.StepSlopes[k]) > 0 || slices.Max(m.StepSlopes[k]) < 0 || slices.Min(m.StepColumns[k]) == slices.Max(m.StepColumns[k]) {
				t.Errorf("%v: slopes %v of columns %v", scaling, m.StepSlopes[k], m.StepColumns[k])
			}
		}
	}
}

// TestStepsOfWeights draws columns in proportion to their squared weights, with equal steepness.
func TestStepsOfWeights(t *testing.T) {
	s := drawSteps(3, 4000, mat.NewDense(1, 3, []float64{5, 6, 7}), []float64{2, 0, 1})
	counts := make([]float64, 3)
	for k := range s.columns {
		for q, j := range s.columns[k] {
			counts[j]++
			if want := []float64{2, 0, 4}[j]; math.Abs(s.slopes[k][q]) != want || s.thresholds[k][q] != float64(5+j) {
				t.Fatalf("column %d has the slope %v and the threshold %v", j, s.slopes[k][q], s.thresholds[k][q])
			}
		}
	}
	if counts[1] != 0 || !(math.Abs(counts[0]/8000-0.8) <= 0.02) {
		t.Errorf("columns are drawn %v times", counts)
	}
}

// TestStepsFind has threshold rules: the zero value chooses steps, and predicts better than without.
// For a plane that is parallel to no axis it chooses none.
func TestStepsFind(t *testing.T) {
	pureWithoutRace(t)
	x, labels := rulesTable(2, 1400)
	fit := func(steps int) (accuracy float64, chosen int) {
		c := Classifier{Features: FeatureOptions{EnhancementNodes: 400, Steps: steps}}
		must(t, c.Fit(rowsOf(x, 0, 1000), labels[:1000]))
		accuracy, err := c.Score(rowsOf(x, 1000, 1400), labels[1000:])
		must(t, err)
		return accuracy, c.FittedFeatures().Options().Steps
	}
	with, chosen := fit(0)
	if without, none := fit(None); chosen != 1 || none != 0 || !(with >= 0.93 && without <= with-0.015) {
		t.Errorf("accuracy %v, Steps %d, and %v without, Steps %d", with, chosen, without, none)
	}
	for i := range labels {
		labels[i] = 0
		if row := x.RawRowView(i); row[0]+row[1]-row[2]+row[3] > 0 {
			labels[i] = 1
		}
	}
	if accuracy, chosen := fit(0); chosen != 0 || !(accuracy >= 0.94) {
		t.Errorf("a plane: accuracy %v, Steps %d", accuracy, chosen)
	}
	if _, err := FitFeatures(x, FeatureOptions{Scaling: ScaleColumns, EnhancementNodes: 10, Steps: 1}); !isA(err, new(*OptionError)) {
		t.Errorf("steps without Direct: %v", err)
	}
}

// TestGroupsOfColumns has more columns than a choice links to the output layer. Fit takes as many
// feature nodes, and a linear model with a ridge has all columns.
func TestGroupsOfColumns(t *testing.T) {
	for _, of := range []struct{ d, groups, direct int }{{500, 0, 1}, {501, 51, 0}, {3000, 100, 0}} {
		s := prepare(settings{}, 100, of.d)
		if s.features.Groups != of.groups || s.features.Direct != of.direct {
			t.Errorf("%d columns: %d groups, Direct %d", of.d, s.features.Groups, s.features.Direct)
		}
	}
	images := settings{features: FeatureOptions{Scaling: ScaleSamples}}
	if s := prepare(images, 100, 784); s.features.Groups != 0 || s.features.Direct != 0 {
		t.Errorf("images: %d groups, Direct %d", s.features.Groups, s.features.Direct)
	}
	linear := settings{features: FeatureOptions{EnhancementNodes: None}}
	linear.update.Lambda = 0.1
	if s := prepare(linear, 100, 300); s.features.Direct != 1 {
		t.Error("a linear model with a given ridge has not all columns")
	}
}
