package bls

import (
	"math"

	"blskernel"
	"blskernel/internal/backend"
)

// What the zero values of FeatureOptions stand for.
const (
	DefaultGroups     = 10  // n2
	DefaultGroupNodes = 10  // n1
	DefaultShrink     = 0.8 // s
)

// maxNodes bounds k, so that products of two such numbers are still numbers.
const maxNodes = math.MaxInt32

// FeatureOptions are the settings of Algorithm 1. The zero value stands for 10 groups of 10 feature
// nodes, without enhancement nodes, from seed 0 on the default backend.
type FeatureOptions struct {
	// Scaling says how samples are standardised. The zero value, ScaleSamples, is the paper's and suits
	// images; a table wants ScaleColumns.
	Scaling Scaling
	// Groups is n2, the number of groups of feature nodes; 0 stands for DefaultGroups.
	Groups int
	// GroupNodes is n1, the number of nodes of each group; 0 stands for DefaultGroupNodes.
	GroupNodes int
	// EnhancementNodes is n3. 0 is none: A = Z, a linear map of each standardised sample.
	EnhancementNodes int
	// Shrink is s: the largest input of an enhancement node's tanh over the first training set. 0
	// stands for DefaultShrink.
	Shrink float64
	// Unscaled leaves out the factor s/max of the enhancement nodes, H = tanh([Z, 0.1] Wh), as the
	// paper is printed. Shrink must then be 0.
	Unscaled bool
	// Enhancement says how the weights of the enhancement nodes are made.
	Enhancement EnhancementWeights
	// Seed determines all random numbers. Every value is as good as any other.
	Seed uint64
	// Backend computes the products; nil stands for blskernel.Default().
	Backend blskernel.Backend
}

// resolve returns o with the values that its zeros stand for, or a *OptionError. What it returns
// resolves to itself.
func (o FeatureOptions) resolve() (FeatureOptions, error) {
	if o.Groups == 0 {
		o.Groups = DefaultGroups
	}
	if o.GroupNodes == 0 {
		o.GroupNodes = DefaultGroupNodes
	}
	switch {
	case o.Scaling < ScaleSamples || o.Scaling > ScaleNone:
		return o, &OptionError{Op: "bls", Option: "Scaling", Value: o.Scaling, Want: "ScaleSamples, ScaleColumns or ScaleNone"}
	case o.Groups < 0 || o.Groups > maxNodes:
		return o, &OptionError{Op: "bls", Option: "Groups", Value: o.Groups, Want: "a positive number, or 0 for the default"}
	case o.GroupNodes < 0 || o.GroupNodes > maxNodes/o.Groups:
		return o, &OptionError{Op: "bls", Option: "GroupNodes", Value: o.GroupNodes, Want: "a positive number, or 0 for the default, and fewer than 2³¹ feature nodes in all"}
	case o.EnhancementNodes < 0 || o.EnhancementNodes > maxNodes-o.Groups*o.GroupNodes:
		return o, &OptionError{Op: "bls", Option: "EnhancementNodes", Value: o.EnhancementNodes, Want: "a number that is not negative, and fewer than 2³¹ nodes in all"}
	case !(o.Shrink >= 0) || math.IsInf(o.Shrink, 1):
		return o, &OptionError{Op: "bls", Option: "Shrink", Value: o.Shrink, Want: "a positive finite number, or 0 for the default"}
	case o.Unscaled && o.Shrink != 0:
		return o, &OptionError{Op: "bls", Option: "Shrink", Value: o.Shrink, Want: "0, since Unscaled leaves out the scale"}
	case o.Enhancement != Orthonormal && o.Enhancement != Uniform:
		return o, &OptionError{Op: "bls", Option: "Enhancement", Value: o.Enhancement, Want: "Orthonormal or Uniform"}
	}
	if o.Shrink == 0 && !o.Unscaled {
		o.Shrink = DefaultShrink
	}
	o.Backend = backend.Or(o.Backend)
	return o, nil
}
