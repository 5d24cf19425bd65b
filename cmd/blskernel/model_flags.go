package main

import (
	"fmt"
	"math"
	"strings"

	"blskernel"
	"blskernel/bls"
	"blskernel/blsupdate"

	"github.com/spf13/cobra"
)

// automatic is the value of flags that leave the choice to the command.
const automatic = "auto"

// modelSettings are the flags that say what model is trained.
type modelSettings struct {
	groups, groupNodes, enhancement int
	shrink                          float64
	scale                           string
	lambda                          ridge
	method                          string
	seed                            uint64
}

func (s *modelSettings) register(cmd *cobra.Command) {
	s.lambda = 1e-3
	f := cmd.Flags()
	f.IntVar(&s.groups, "groups", bls.DefaultGroups, "groups of feature nodes")
	f.IntVar(&s.groupNodes, "group-nodes", bls.DefaultGroupNodes, "feature nodes of each group")
	f.IntVar(&s.enhancement, "enhancement", 400, "enhancement nodes")
	f.Float64Var(&s.shrink, "shrink", bls.DefaultShrink, "largest input of the tanh of an enhancement node on the first batch")
	f.StringVar(&s.scale, "scale", automatic, "what the samples are scaled by: samples (each by its own mean and deviation), columns (each column by those of the first batch), none, or auto: samples for idx, columns for the others")
	f.Var(&s.lambda, "lambda", "ridge, as 1e-6 or 2^-30; 0 for least squares")
	f.StringVar(&s.method, "method", automatic, "how the output layer learns: "+methodNames()+"; or auto: that of the fewest flops whose error leaves six digits on the first batch, else qr; the same on all machines")
	f.Uint64Var(&s.seed, "seed", 1, "seed of all random numbers; the same seed gives the same model")
	complete(cmd, "scale", automatic, "samples", "columns", "none")
	complete(cmd, "method", append([]string{automatic}, strings.Split(methodNames(), ", ")...)...)
}

// check says which flag is wrong.
func (s *modelSettings) check() error {
	for _, check := range []struct {
		flag         string
		value, least int
	}{{"groups", s.groups, 1}, {"group-nodes", s.groupNodes, 1}, {"enhancement", s.enhancement, 0}} {
		if check.value < check.least || check.value > mostNodes {
			return usageError{fmt.Errorf("--%s is %d; want %d to %d", check.flag, check.value, check.least, mostNodes)}
		}
	}
	if k := int64(s.groups)*int64(s.groupNodes) + int64(s.enhancement); k > mostNodes {
		return usageError{fmt.Errorf("--groups, --group-nodes and --enhancement make %d nodes; want at most %d", k, mostNodes)}
	}
	if !(s.shrink > 0) || math.IsInf(s.shrink, 1) {
		return usageError{fmt.Errorf("--shrink is %v; want a positive number", s.shrink)}
	}
	if _, err := bls.ParseScaling(s.scale); err != nil && s.scale != automatic {
		return usageError{fmt.Errorf("--scale is %q; want auto, samples, columns or none", s.scale)}
	}
	if s.method != automatic {
		if _, err := blsupdate.ParseMethod(s.method); err != nil {
			return usageError{fmt.Errorf("--method is %q; want auto or one of %s", s.method, methodNames())}
		}
	}
	return nil
}

// nodes returns k.
func (s *modelSettings) nodes() int { return s.groups*s.groupNodes + s.enhancement }

// features returns the settings of the feature maps.
func (s *modelSettings) features(images bool) bls.FeatureOptions {
	scaling, err := bls.ParseScaling(s.scale)
	if err != nil { // it is auto
		scaling = bls.ScaleColumns
		if images {
			scaling = bls.ScaleSamples
		}
	}
	return bls.FeatureOptions{
		Groups: s.groups, GroupNodes: s.groupNodes, EnhancementNodes: s.enhancement,
		Shrink: s.shrink, Seed: s.seed, Scaling: scaling,
	}
}

// estimator returns a model that has learned nothing, of the given method.
func (s *modelSettings) estimator(classification bool, classes int, method blsupdate.Method, images bool, b blskernel.Backend) (*bls.Classifier, *bls.Regressor) {
	update := blsupdate.Options{Lambda: float64(s.lambda), Backend: b}
	if classification {
		return &bls.Classifier{Backend: b, Features: s.features(images), Method: method, Update: update, Classes: classes}, nil
	}
	return nil, &bls.Regressor{Backend: b, Features: s.features(images), Method: method, Update: update}
}
