package train

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"blskernel"
	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/flagvalue"
	"blskernel/cmd/blskernel/internal/input"
	"blskernel/cmd/blskernel/internal/ui"

	"github.com/spf13/cobra"
)

// settings say which model is trained. The zero of a setting is auto, as in package bls.
type settings struct {
	ui.Nodes // of which Enhancement may be bls.None
	shrink   float64
	scale    bls.Scaling
	lambda   float64 // or bls.None
	method   blsupdate.Method
	seed     uint64
	tune     bool

	classWeight bls.ClassWeight
}

func (m *settings) register(cmd *cobra.Command) {
	m.Nodes = ui.Nodes{Groups: bls.DefaultGroups, GroupNodes: bls.DefaultGroupNodes}
	m.Nodes.RegisterFeatures(cmd)
	ui.Auto(cmd, &m.Enhancement, "enhancement", "enhancement nodes; auto: by the numbers of rows and columns", func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		switch {
		case err != nil || n < 0 || n > ui.MostNodes:
			return 0, fmt.Errorf("want 0 to %d, or auto", ui.MostNodes)
		case n == 0:
			return bls.None, nil
		}
		return n, nil
	})
	ui.Auto(cmd, &m.shrink, "shrink", "largest input of the tanh of an enhancement node on the first batch: small for a smooth model, large for a crooked one; auto: by rows held out of the first batch", func(text string) (float64, error) {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v > 0) || math.IsInf(v, 1) {
			return 0, errors.New("want a positive number, or auto")
		}
		return v, nil
	})
	ui.Auto(cmd, &m.lambda, "lambda", "ridge, as 1e-6 or 2^-30; 0 for least squares; auto: by rows held out of the first batch", func(text string) (float64, error) {
		v, err := flagvalue.ParseRidge(text)
		if err == nil && v == 0 {
			v = bls.None
		}
		return v, err
	})
	ui.Auto(cmd, &m.scale, "scale", "scaling of the samples: samples (each by its own mean and deviation), columns (each by the first batch), ranks (each column to normal scores), none, or auto: samples for images, else columns or ranks by rows held out",
		bls.ParseScaling, "samples", "columns", "ranks", "none")
	ui.Auto(cmd, &m.method, "method", "how the output layer learns: "+ui.MethodNames()+"; or auto: gram, or qr where rows held out show that it is better",
		blsupdate.ParseMethod, strings.Split(ui.MethodNames(), ", ")...)
	cmd.Flags().BoolVar(&m.tune, "tune", false, "search wider for what is auto, for some 10^12 flops: about half a minute on one core")
	ui.Parsed(cmd, &m.classWeight, "class-weight", bls.Unweighted.String(), "unweighted, or balanced: rows of rare classes count more, so that all classes count alike", func(s string) (bls.ClassWeight, error) {
		return input.Wanted(bls.ParseClassWeight, s, "unweighted or balanced")
	})
	ui.Complete(cmd, "class-weight", bls.Unweighted.String(), bls.Balanced.String())
	ui.SeedFlag(cmd, &m.seed)
}

// check returns an error for a flag that is wrong.
func (m *settings) check() error { return m.Nodes.Check() }

// estimator returns a model that has learned nothing and expects the given rows. One of the results
// is nil.
func (m *settings) estimator(labeled bool, classes, rows int, images bool, b blskernel.Backend) (*bls.Classifier, *bls.Regressor) {
	features := bls.FeatureOptions{
		Groups: m.Groups, GroupNodes: m.GroupNodes, EnhancementNodes: m.Enhancement,
		Shrink: m.shrink, Seed: m.seed, Scaling: m.scale,
	}
	if images && m.scale == bls.ScaleAuto {
		features.Scaling = bls.ScaleSamples
	}
	update := blsupdate.Options{Lambda: m.lambda, Backend: b}
	if labeled {
		return &bls.Classifier{
			Backend: b, Features: features, Method: m.method, Update: update, Classes: classes,
			ClassWeight: m.classWeight, ExpectedRows: rows, Validate: true,
		}, nil
	}
	return nil, &bls.Regressor{Backend: b, Features: features, Method: m.method, Update: update, ExpectedRows: rows, Validate: true}
}
