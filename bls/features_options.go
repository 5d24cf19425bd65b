package bls

import (
	"math"

	"blskernel"
	"blskernel/internal/backend"
)

// The defaults that the zero values of FeatureOptions stand for.
const (
	DefaultGroups     = 10  // n2
	DefaultGroupNodes = 10  // n1
	DefaultShrink     = 0.8 // s
)

// maxNodes bounds k, so that products of two such numbers do not overflow an int64.
const maxNodes = math.MaxInt32

// FeatureOptions are the settings of Algorithm 1. The zero value stands for 10 groups of 10 feature
// nodes, no enhancement nodes, and seed 0 on the default backend.
type FeatureOptions struct {
	// Scaling standardises the samples. The zero value, ScaleSamples, is the paper's and suits
	// images; use ScaleColumns for a table.
	Scaling Scaling
	// Groups is n2, the number of groups of feature nodes; 0 stands for DefaultGroups.
	Groups int
	// GroupNodes is n1, the number of nodes of each group; 0 stands for DefaultGroupNodes.
	GroupNodes int
	// EnhancementNodes is n3. 0 is none: A = Z, a linear map of each standardised sample.
	EnhancementNodes int
	// Shrink is s, the largest input of an enhancement node's tanh over the first training set; 0
	// stands for DefaultShrink.
	Shrink float64
	// Unscaled leaves out the factor s/max of the enhancement nodes, H = tanh([Z, 0.1] Wh), as
	// printed in the paper. Shrink must then be 0.
	Unscaled bool
	// Enhancement is the way to draw the weights of the enhancement nodes.
	Enhancement EnhancementWeights
	// Seed determines all random numbers.
	Seed uint64
	// Backend computes the products; nil stands for blskernel.Default().
	Backend blskernel.Backend
}

// resolve returns o with the defaults in place of zeros, or an *OptionError. Its result resolves to
// itself.
func (o FeatureOptions) resolve() (FeatureOptions, error) {
	if o.Groups == 0 {
		o.Groups = DefaultGroups
	}
	if o.GroupNodes == 0 {
		o.GroupNodes = DefaultGroupNodes
	}
	bad := func(option string, value any, want string) (FeatureOptions, error) {
		return o, &OptionError{Op: "bls", Option: option, Value: value, Want: want}
	}
	const positive = "a positive number, or 0 for the default"
	switch {
	case o.Scaling < ScaleSamples || o.Scaling > ScaleNone:
		return bad("Scaling", o.Scaling, "ScaleSamples, ScaleColumns or ScaleNone")
	case o.Groups < 0 || o.Groups > maxNodes:
		return bad("Groups", o.Groups, positive)
	case o.GroupNodes < 0 || o.GroupNodes > maxNodes/o.Groups:
		return bad("GroupNodes", o.GroupNodes, positive+", and fewer than 2³¹ feature nodes in all")
	case o.EnhancementNodes < 0 || o.EnhancementNodes > maxNodes-o.Groups*o.GroupNodes:
		return bad("EnhancementNodes", o.EnhancementNodes, "a number that is not negative, and fewer than 2³¹ nodes in all")
	case !(o.Shrink >= 0) || math.IsInf(o.Shrink, 1):
		return bad("Shrink", o.Shrink, "a positive finite number, or 0 for the default")
	case o.Unscaled && o.Shrink != 0:
		return bad("Shrink", o.Shrink, "0, since Unscaled leaves out the scale")
	case o.Enhancement != Orthonormal && o.Enhancement != Uniform:
		return bad("Enhancement", o.Enhancement, "Orthonormal or Uniform")
	}
	if o.Shrink == 0 && !o.Unscaled {
		o.Shrink = DefaultShrink
	}
	o.Backend = backend.Or(o.Backend)
	return o, nil
}
