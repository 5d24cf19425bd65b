package learn

import (
	"math"
	"strings"

	"blskernel"
	"blskernel/bls"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/ui"

	"github.com/spf13/cobra"
)

// automatic is the value of flags that leave the choice to the command.
const automatic = "auto"

// modelFlags say which model is trained.
type modelFlags struct {
	ui.Nodes
	shrink      float64
	scale       string
	lambda      ui.Ridge
	method      string
	seed        uint64
	classWeight string
}

func (m *modelFlags) register(cmd *cobra.Command) {
	m.lambda = 1e-3
	m.Nodes = ui.Nodes{Groups: bls.DefaultGroups, GroupNodes: bls.DefaultGroupNodes, Enhancement: 400}
	m.Nodes.Register(cmd)
	f := cmd.Flags()
	f.Float64Var(&m.shrink, "shrink", bls.DefaultShrink, "largest input of the tanh of an enhancement node on the first batch")
	ui.Choice(cmd, &m.scale, "scale", "scaling of the samples: samples (each by its own mean and deviation), columns (each by the first batch), none, or auto: samples for idx, else columns",
		automatic, "samples", "columns", "none")
	ui.LambdaFlag(cmd, &m.lambda, "")
	ui.Choice(cmd, &m.method, "method", "how the output layer learns: "+ui.MethodNames()+"; or auto: the fewest flops that leave six digits on the first batch, else qr; the same on all machines",
		append([]string{automatic}, strings.Split(ui.MethodNames(), ", ")...)...)
	ui.Choice(cmd, &m.classWeight, "class-weight", "unweighted, or balanced: rows of rare classes count more, so that all classes count alike", bls.Unweighted.String(), bls.Balanced.String())
	ui.SeedFlag(cmd, &m.seed)
}

// check returns an error for a flag that is wrong.
func (m *modelFlags) check() error {
	if err := m.Nodes.Check(); err != nil {
		return err
	}
	if !(m.shrink > 0) || math.IsInf(m.shrink, 1) {
		return ui.Usagef("--shrink is %v; want a positive number", m.shrink)
	}
	return nil
}

// estimator returns a model of the method that has learned nothing. One of the results is nil.
func (m *modelFlags) estimator(labeled bool, classes int, method blsupdate.Method, images bool, b blskernel.Backend) (*bls.Classifier, *bls.Regressor) {
	scaling, err := bls.ParseScaling(m.scale)
	if err != nil || scaling == bls.ScaleAuto { // the command chooses
		scaling = bls.ScaleColumns
		if images {
			scaling = bls.ScaleSamples
		}
	}
	features := bls.FeatureOptions{
		Groups: m.Groups, GroupNodes: m.GroupNodes, EnhancementNodes: m.Enhancement,
		Shrink: m.shrink, Seed: m.seed, Scaling: scaling,
	}
	update := blsupdate.Options{Lambda: float64(m.lambda), Backend: b}
	if m.Enhancement == 0 {
		features.EnhancementNodes = bls.None
	}
	if m.lambda == 0 {
		update.Lambda = bls.None
	}
	if labeled {
		weight, _ := bls.ParseClassWeight(m.classWeight) // which ui.Choice has checked
		return &bls.Classifier{
			Backend: b, Features: features, Method: method, Update: update, Classes: classes, ClassWeight: weight,
		}, nil
	}
	return nil, &bls.Regressor{Backend: b, Features: features, Method: method, Update: update}
}
