package golden_test

import (
	"fmt"
	"testing"

	"blskernel"
	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/dataset"
	"blskernel/internal/selftest"
	"blskernel/mat"
)

func TestGoldenFeatures(t *testing.T) {
	each(t, "features", func(r recorder, b blskernel.Backend) {
		for _, scaling := range []bls.Scaling{bls.ScaleSamples, bls.ScaleColumns, bls.ScaleNone, bls.ScaleRanks} {
			for _, weights := range []bls.EnhancementWeights{bls.Orthonormal, bls.Uniform} {
				for _, nodes := range []int{0, 30, 200} {
					s := selftest.Source(nodes)
					x := dense(&s, 300, 21)
					opt := bls.FeatureOptions{Scaling: scaling, Enhancement: weights, EnhancementNodes: nodes, Groups: 3, GroupNodes: 12, Seed: 5, Backend: b}
					f, a, err := bls.FitTransformFeatures(x, opt)
					r.must(err)
					later, err := f.Transform(dense(&s, 70, 21))
					r.must(err)
					name := fmt.Sprintf("%v %v %d", scaling, weights, nodes)
					r.add(name+" maps", ruleFeatures, encoded(r, f.Encode))
					r.add(name+" rows", ruleFeatures, numbers(a, later))
				}
			}
		}
	})
}

func TestGoldenModels(t *testing.T) {
	each(t, "models", func(r recorder, b blskernel.Backend) {
		s := selftest.Source(3)
		x, y, labels := dense(&s, 450, 12), mat.NewDense(450, 1, nil), make([]int, 450)
		for i := range labels {
			v := float64(x.At(i, 1)*x.At(i, 2)) + x.At(i, 0)
			y.Set(i, 0, v)
			if v > 0 {
				labels[i] = 1
			}
		}
		part := func(m *mat.Dense, i, j int) *mat.Dense { return m.Slice(i, j, 0, m.RawMatrix().Cols).(*mat.Dense) }
		for i, m := range blsupdate.Methods() {
			for j, scaling := range []bls.Scaling{bls.ScaleSamples, bls.ScaleColumns} {
				if some && i%2 != j {
					continue
				}
				f := bls.FeatureOptions{EnhancementNodes: 60, Shrink: 0.8, Groups: 4, GroupNodes: 5, Seed: 7, Scaling: scaling}
				c := bls.Classifier{Backend: b, Features: f, Method: m, Update: blsupdate.Options{Lambda: 1e-3}}
				r.must(c.Fit(part(x, 0, 200), labels[:200]), c.PartialFit(part(x, 200, 350), labels[200:350]))
				scores, err := c.DecisionFunction(part(x, 350, 450))
				r.must(err)
				accuracy, err := c.Score(part(x, 350, 450), labels[350:])
				r.must(err)
				g := bls.Regressor{Backend: b, Features: f, Method: m, Update: blsupdate.Options{Lambda: 1e-3}}
				r.must(g.Fit(part(x, 0, 200), part(y, 0, 200)), g.PartialFit(part(x, 200, 350), part(y, 200, 350)))
				predicted, err := g.Predict(part(x, 350, 450))
				r.must(err)
				r2, err := g.Score(part(x, 350, 450), part(y, 350, 450))
				r.must(err)
				r.add(fmt.Sprintf("Classifier %v %v", m, scaling), ruleFeatures, numbers(scores), []float64{accuracy}, encoded(r, c.Encode))
				r.add(fmt.Sprintf("Regressor %v %v", m, scaling), ruleFeatures, numbers(predicted), []float64{r2}, encoded(r, g.Encode))
			}
		}
		if some {
			return
		}
		// Models that choose all settings themselves.
		c, g := bls.Classifier{Backend: b}, bls.Regressor{Backend: b}
		r.must(c.Fit(part(x, 0, 350), labels[:350]), g.Fit(part(x, 0, 350), part(y, 0, 350)))
		r.add("Classifier zero", ruleFeatures, []float64{c.Choice().Score}, encoded(r, c.Encode))
		r.add("Regressor zero", ruleFeatures, []float64{g.Choice().Score}, encoded(r, g.Encode))
	})
}

// TestGoldenDigits hashes the drawn digits, bytes that no backend computes.
func TestGoldenDigits(t *testing.T) {
	each(t, "digits", func(r recorder, b blskernel.Backend) {
		d := dataset.Digits(300, 4)
		r.add("pixels and labels", ruleFeatures, bytesOf(d.Pixels), bytesOf(d.Labels))
	})
}
