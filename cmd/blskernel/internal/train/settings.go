package train

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"blskernel/bls"
	"blskernel/bls/model"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/flagvalue"
	"blskernel/cmd/blskernel/internal/ui"

	"github.com/spf13/cobra"
)

// settings holds the flags that say which model to train. As in package bls, the zero value means auto
// where auto is allowed.
type settings struct {
	features    bls.FeatureOptions
	lambda      float64 // or bls.None
	method      blsupdate.Method
	tune        bool
	log         int // or bls.None
	classWeight bls.ClassWeight
}

func (m *settings) register(cmd *cobra.Command) {
	m.features.GroupNodes = bls.DefaultGroupNodes
	ui.Auto(cmd, &m.features.Groups, "groups", "number of groups of feature nodes; auto: 10 or, for a table with more than 500 columns, enough for one node per column, up to 1000 nodes", count(1, ui.MaxNodes))
	ui.Int(cmd, &m.features.GroupNodes, "group-nodes", 1, ui.MaxNodes, "number of feature nodes in each group")
	ui.Auto(cmd, &m.features.EnhancementNodes, "enhancement", "number of enhancement nodes; auto: chosen from the numbers of rows and columns", count(0, ui.MaxNodes))
	ui.Auto(cmd, &m.features.Direct, "direct", "whether the columns themselves are linked to the output layer, yes or no; auto: yes for a table with at most 500 columns; no if --shrink and --lambda are given", yesOrNo, "yes", "no")
	ui.Auto(cmd, &m.features.Relevance, "relevance", "number of rounds, 0 to 3, that weight columns by how much the predictions depend on them; auto: chosen on rows held out from the first batch; 0 if --shrink and --lambda are given", count(0, 3))
	ui.Auto(cmd, &m.features.Steps, "steps", "whether half of the enhancement nodes are step functions of one or two columns, yes or no; auto: chosen on rows held out from the first batch; no if --shrink and --lambda are given", yesOrNo, "yes", "no")
	ui.Auto(cmd, &m.log, "log-targets", "whether to learn the logarithms of the targets of a regression model, yes or no; auto: chosen on rows held out from the first batch if the targets are positive and skewed; no if --shrink and --lambda are given", yesOrNo, "yes", "no")
	ui.Auto(cmd, &m.features.Shrink, "shrink", "largest input to the tanh of any enhancement node on the first batch: small for a smooth model, large for a rough one; auto: chosen on rows held out from the first batch",
		ui.Number("want a positive number, or auto", func(v float64) bool { return v > 0 && !math.IsInf(v, 1) }))
	ui.Auto(cmd, &m.lambda, "lambda", "ridge, such as 1e-6 or 2^-30; 0 for least squares; auto: chosen on rows held out from the first batch", func(text string) (float64, error) {
		v, err := flagvalue.ParseRidge(text)
		if err == nil && v == 0 {
			v = bls.None
		}
		return v, err
	})
	ui.Auto(cmd, &m.features.Scaling, "scale", "scaling: samples (each by its own mean and deviation), columns (each by its mean and deviation in the first batch), ranks (each column mapped to normal scores), none, or auto: samples for images, otherwise columns or ranks, chosen on held-out rows",
		bls.ParseScaling, "samples", "columns", "ranks", "none")
	ui.Auto(cmd, &m.method, "method", "how the output layer learns: "+strings.Join(ui.Methods(), ", ")+"; or auto: gram, or qr if held-out rows show that it is better",
		blsupdate.ParseMethod, ui.Methods()...)
	cmd.Flags().BoolVar(&m.tune, "tune", false, "search more widely for the settings that are auto; this takes about 10^12 flops, half a minute on one core")
	ui.Enum(cmd, &m.classWeight, "class-weight", "unweighted, or balanced: rows of rare classes count more, so that all classes count alike",
		bls.ParseClassWeight, bls.Unweighted.String(), bls.Balanced.String())
	ui.SeedFlag(cmd, &m.features.Seed)
}

// count returns a parser of integers from low to high, which returns bls.None for 0.
func count(low, high int) func(string) (int, error) {
	return func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		if err != nil || n < low || n > high {
			return 0, fmt.Errorf("want %d to %d, or auto", low, high)
		}
		if n == 0 {
			return bls.None, nil
		}
		return n, nil
	}
}

func yesOrNo(text string) (int, error) {
	switch strings.ToLower(text) {
	case "yes":
		return 1, nil
	case "no":
		return bls.None, nil
	}
	return 0, errors.New("want yes or no")
}

const maxFolds = 100

var parseHoldout = ui.Number("want a share from 0 to 0.9, such as 0.2", func(v model.Holdout) bool { return v >= 0 && v <= 0.9 })

// estimator returns an unfitted classifier if the targets are labels, and otherwise an unfitted
// regressor; the other is nil. rows is the expected number of rows.
func (tr *training) estimator(classes, rows int) (*bls.Classifier, *bls.Regressor) {
	features, update := tr.features, blsupdate.Options{Lambda: tr.lambda, Backend: tr.Backend}
	if tr.images && features.Scaling == bls.ScaleAuto {
		features.Scaling = bls.ScaleSamples
	}
	if tr.labeled {
		return &bls.Classifier{
			Backend: tr.Backend, Features: features, Method: tr.method, Update: update, Classes: classes,
			ClassWeight: tr.classWeight, ExpectedRows: rows, Validate: true,
		}, nil
	}
	return nil, &bls.Regressor{
		Backend: tr.Backend, Features: features, Method: tr.method, Update: update,
		LogTargets: tr.log, ExpectedRows: rows, Validate: true,
	}
}
