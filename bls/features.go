package bls

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"blskernel"
	"blskernel/internal/linalg/backend"
	"blskernel/mat"

	gonum "gonum.org/v1/gonum/mat"
)

// Defaults for the fields of FeatureOptions that are zero.
const (
	DefaultGroups     = 10  // n2
	DefaultGroupNodes = 10  // n1
	DefaultShrink     = 0.8 // s
)

// None turns off an option for which 0 lets Fit choose: EnhancementNodes, Direct, Relevance, Steps,
// Update.Lambda or LogTargets.
const None = -1

// maxNodes bounds k, so that the product of two node counts does not overflow an int64.
const maxNodes = math.MaxInt32

// FeatureOptions are the settings of Algorithm 1. The zero value means 10 groups of 10 feature nodes,
// no enhancement nodes and seed 0. A Classifier or Regressor chooses Scaling, Shrink, EnhancementNodes,
// Direct, Relevance and Steps if they are zero. None turns off all of these but Scaling and Shrink.
type FeatureOptions struct {
	// Scaling standardizes the samples: ScaleColumns and ScaleRanks suit tables, ScaleSamples suits
	// images. FitFeatures treats ScaleAuto as ScaleSamples, the scaling of the paper.
	Scaling Scaling
	// Groups is n2, the number of groups of feature nodes; 0 stands for DefaultGroups. But for 0
	// and a table of more than 500 columns, a Classifier or Regressor takes about one feature node
	// per column, at most 1000.
	Groups int
	// GroupNodes is n1, the number of nodes of each group; 0 stands for DefaultGroupNodes.
	GroupNodes int
	// EnhancementNodes is n3. With None, the model is linear in S: A is Z, or [Z, S] with Direct.
	EnhancementNodes int
	// Direct = 1 links the standardized columns to the output layer: S is part of A, so that the
	// model contains all linear functions of S.
	Direct int
	// Relevance is the number of rounds, at most 3, that weight the columns of S by their effect
	// on the predictions. FitFeatures, which has no targets, rejects a positive number.
	Relevance int
	// Steps = 1 makes half of the enhancement nodes steps: axis-parallel corners and bands in one
	// or two columns of S, which suit threshold rules. It needs Direct.
	Steps int
	// Shrink is s, the largest input of an enhancement node's tanh over the first training set.
	// If it is 0, FitFeatures takes DefaultShrink, and a Classifier or Regressor chooses it.
	Shrink float64
	// Unscaled leaves out the factor s/m of the enhancement nodes, H = tanh([Z, 0.1] Wh), as
	// printed in the paper. Shrink must then be 0.
	Unscaled bool
	// Enhancement is the distribution of the weights of the enhancement nodes.
	Enhancement EnhancementWeights
	// Seed determines all random numbers.
	Seed uint64
	// Backend computes the products; nil stands for blskernel.Default().
	Backend blskernel.Backend
}

// resolve returns o with defaults for zeros and 0 for None, or an *OptionError. It is idempotent.
func (o FeatureOptions) resolve() (FeatureOptions, error) {
	o.Groups = cmp.Or(o.Groups, DefaultGroups)
	o.GroupNodes = cmp.Or(o.GroupNodes, DefaultGroupNodes)
	o.Scaling = cmp.Or(o.Scaling, ScaleSamples)
	for _, number := range []*int{&o.EnhancementNodes, &o.Direct, &o.Relevance, &o.Steps} {
		if *number == None {
			*number = 0
		}
	}
	bad := func(option string, value any, want string) (FeatureOptions, error) {
		return o, &OptionError{Op: "bls", Option: option, Value: value, Want: want}
	}
	const positive = "a positive number, or 0 for the default"
	switch {
	case o.Scaling < ScaleSamples || o.Scaling > ScaleRanks:
		return bad("Scaling", o.Scaling, "ScaleAuto, ScaleSamples, ScaleColumns, ScaleNone or ScaleRanks")
	case o.Groups < 0 || o.Groups > maxNodes:
		return bad("Groups", o.Groups, "a positive number below 2³¹, or 0 for the default")
	case o.GroupNodes < 0 || o.GroupNodes > maxNodes/o.Groups:
		return bad("GroupNodes", o.GroupNodes, positive+", and fewer than 2³¹ feature nodes in all")
	case o.EnhancementNodes < 0 || o.EnhancementNodes > maxNodes-o.Groups*o.GroupNodes:
		return bad("EnhancementNodes", o.EnhancementNodes, "0, a positive number or None, and fewer than 2³¹ nodes in all")
	case o.Direct < 0 || o.Direct > 1:
		return bad("Direct", o.Direct, "1, 0 or None")
	case o.Relevance < 0 || o.Relevance > maxRounds:
		return bad("Relevance", o.Relevance, fmt.Sprintf("0 to %d, or None", maxRounds))
	case o.Relevance > 0 && !o.Scaling.ofColumns():
		return bad("Relevance", o.Relevance, "0 or None, unless Scaling is ScaleColumns or ScaleRanks")
	case o.Steps < 0 || o.Steps > 1:
		return bad("Steps", o.Steps, "1, 0 or None")
	case o.Steps > 0 && o.Direct == 0:
		return bad("Steps", o.Steps, "0 or None, unless Direct is 1, since step functions need the columns of S in A")
	case !(o.Shrink >= 0) || math.IsInf(o.Shrink, 1):
		return bad("Shrink", o.Shrink, "a positive finite number, or 0 for the default")
	case o.Unscaled && o.Shrink != 0:
		return bad("Shrink", o.Shrink, "0, since Unscaled leaves out the scale factor")
	case o.Enhancement != Orthonormal && o.Enhancement != Uniform:
		return bad("Enhancement", o.Enhancement, "Orthonormal or Uniform")
	}
	if o.Shrink == 0 && !o.Unscaled {
		o.Shrink = DefaultShrink
	}
	o.Backend = backend.Or(o.Backend)
	return o, nil
}

// Features are fitted feature maps from samples X (l×d) to the expanded input matrix A = [Z, H] (l×k),
// or [Z, S, H] with Direct. docs/settings.md has the equations; Maps returns the parameters. Features
// do not change after FitFeatures, so their methods may run concurrently. The zero value has no nodes:
// Transform and Encode return ErrNotFitted.
type Features struct {
	// opt holds the resolved options of the fit.
	opt FeatureOptions

	// means and deviations belong to the d columns of the first training set; they are nil unless
	// Scaling is ScaleColumns. Each deviation is divided by the weight of its column.
	means, deviations []float64
	// ranks are the curves of the d columns, nil unless Scaling is ScaleRanks. The weight of a
	// column multiplies its scores.
	ranks []curve
	// weights are beta_1, ..., beta_n2 side by side, (d+1)×N; the last row is for the bias.
	weights *mat.Dense
	// offset and gain, N each, map column j of T = H1·weights to Z: z = (t - offset[j]) * gain[j].
	offset, gain []float64
	// enhancement is Wh, (N+1)×(n3 - Steps()), nil for n3 = 0; the last row is for the bias.
	enhancement *mat.Dense
	// scale is s/m, or 1 with Unscaled or without enhancement nodes.
	scale float64
	steps steps // the last enhancement nodes
}

// Options returns the options of the fit, with defaults in place of zeros, and the backend in use. If
// Relevance is 0 and no constant column varied later, they give the same maps for the same samples.
func (f *Features) Options() FeatureOptions { return f.opt }

// Inputs returns d, the number of features of a sample.
func (f *Features) Inputs() int {
	if f.weights == nil {
		return 0
	}
	r, _ := f.weights.Dims()
	return r - 1
}

// Nodes returns the number of columns of A: k = N + n3, and d more with Direct.
func (f *Features) Nodes() int { return f.opt.nodes(f.Inputs()) }

// nodes returns the number of nodes for d inputs. o must be resolved.
func (o FeatureOptions) nodes(d int) int {
	return o.Groups*o.GroupNodes + o.Direct*d + o.EnhancementNodes
}

// FeatureNodes returns N = n2·n1, the number of columns of Z, the first columns of A.
func (f *Features) FeatureNodes() int { return f.opt.Groups * f.opt.GroupNodes }

// Steps returns the number of enhancement nodes that are steps. They are the last columns of A.
func (f *Features) Steps() int { return f.opt.steps() }

func (o FeatureOptions) steps() int { return o.Steps * o.EnhancementNodes / 2 }

// EnhancementNodes returns n3, the number of columns of H, the last columns of A.
func (f *Features) EnhancementNodes() int { return f.opt.EnhancementNodes }

// FeatureMaps are the parameters of Features, for programs in other languages. In NumPy, a sample x
// becomes a row a of A by
//
//	ScaleSamples:  s = (x - x.mean()) / x.std(ddof=1), or zeros if all elements of x are equal
//	ScaleColumns:  s = (x - Means) / Deviations
//	ScaleNone:     s = x
//	ScaleRanks:    s[j] = numpy.interp(x[j], Knots[j], Scores[j])
//	h1 = append(s, Bias)
//	z  = (h1 @ FeatureWeights - FeatureMinimum) / FeatureRange
//	h  = tanh(EnhancementScale * (append(z, Bias) @ EnhancementWeights))
//	g  = tanh(minimum(*(StepSlopes[i] * (s[StepColumns[i]] - StepThresholds[i]) for i in (0, 1))))
//	a  = concatenate([z, h]), or [z, s, h, g] with Direct, without h if EnhancementWeights is nil
//
// The result differs from Transform only by rounding. Let W be the weights of the output layer. The
// scores of a Classifier are a @ W. The predictions of a Regressor are append(a, 1) @ W + Center or,
// without an intercept, a @ W. With LogTargets this predicts the logarithms (see Regressor.Smearing).
//
// With Relevance, the weight of a column divides its deviation or multiplies its Scores. The deviation
// of a constant column is +Inf.
type FeatureMaps struct {
	Scaling           Scaling
	Means, Deviations []float64   // d each, nil unless Scaling is ScaleColumns
	Knots, Scores     [][]float64 // d lists each, nil unless Scaling is ScaleRanks

	Direct bool // S is part of A

	Bias float64 // 0.1, the last column of H1 and of [Z, Bias]

	FeatureWeights               *mat.Dense // (d+1)×N; the last row is for the bias
	FeatureMinimum, FeatureRange []float64  // N each, over the first training set; 0 and 1 if not scaled

	EnhancementWeights *mat.Dense // (N+1)×(n3 - p) for p steps, nil for n3 = 0; the last row is for the bias
	EnhancementScale   float64    // s/m, or 1 with Unscaled

	// Each step, one of the last enhancement nodes, has two columns, two slopes and two thresholds.
	StepColumns                [2][]int
	StepSlopes, StepThresholds [2][]float64
}

// Maps returns copies of the parameters of the maps.
func (f *Features) Maps() FeatureMaps {
	m := FeatureMaps{
		Scaling:          f.opt.Scaling,
		Means:            slices.Clone(f.means),
		Deviations:       slices.Clone(f.deviations),
		Direct:           f.opt.Direct > 0,
		Bias:             biasInput,
		FeatureWeights:   copyOf(f.weights),
		FeatureMinimum:   slices.Clone(f.offset),
		FeatureRange:     make([]float64, len(f.gain)),
		EnhancementScale: f.scale,
	}
	for j, v := range m.Deviations {
		if v == constantDeviation {
			m.Deviations[j] = math.Inf(1)
		}
	}
	for i, s := range f.steps.columns {
		m.StepColumns[i] = slices.Clone(s)
		m.StepSlopes[i], m.StepThresholds[i] = slices.Clone(f.steps.slopes[i]), slices.Clone(f.steps.thresholds[i])
	}
	for _, c := range f.ranks {
		m.Knots = append(m.Knots, slices.Clone(c.knots))
		m.Scores = append(m.Scores, slices.Clone(c.scores))
	}
	for j, g := range f.gain {
		// For a range near the largest float64, 1/g may round to infinity.
		m.FeatureRange[j] = min(1/g, math.MaxFloat64)
	}
	m.EnhancementWeights = copyOf(f.enhancement)
	return m
}

func copyOf(m *mat.Dense) *mat.Dense {
	if m == nil {
		return nil
	}
	return gonum.DenseCopyOf(m)
}
