package session

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"blskernel/bls"
	"blskernel/bls/model"
	"blskernel/blsupdate"
	"blskernel/cmd/blskernel/internal/ui"
	"blskernel/dataset/stream"
	"blskernel/internal/io/names"
)

var (
	ErrNoRows    = errors.New("the data has no usable rows")
	ErrNoTargets = ui.Usagef("the data has no labels or targets: name their column with --target, or their file with --targets-file")
)

// Uncalibrated says what to do about a model without a calibration.
const Uncalibrated = "the model is not calibrated: use 'blskernel calibrate' with rows that it has not learned (remove, merge and update --lambda discard a calibration, and so does any update while the model keeps its rows)"

// InFlags rewrites the remedies in an error of package stream as flags. For io.EOF, where a row was
// needed, it returns ErrNoRows.
func InFlags(err error) error {
	fault, ok := err.(*stream.Error)
	switch {
	case errors.Is(err, io.EOF) && !ok:
		return ErrNoRows
	case !ok:
		return err
	}
	return fault.With(func(r stream.Remedy) string {
		flag := "--" + strings.ToLower(r.Option.String())
		switch r.Option {
		case stream.OptionTargets:
			flag = "--target"
		case stream.OptionInputArray:
			flag = "--array"
		}
		return strings.TrimSpace(flag + " " + r.Value)
	})
}

// Advice says which flags of a command can help after an error of a model.
type Advice struct {
	Closed string // what to do about a new class; empty if the model accepts new classes
	Memory string // what to do about too little memory; empty if no flag helps
	Trains bool   // whether the command has the flags of train
}

// Explain adds to an error of a model the flags that can help.
func (a Advice) Explain(err error) error {
	var fault *model.Error
	var large *blsupdate.MemoryError
	switch {
	case a.Memory != "" && errors.As(err, &large):
		// Not wrapped, so that another call does not add the flags again.
		return fmt.Errorf("%v (with this command: %s)", err, a.Memory)
	case !errors.As(err, &fault):
		return explainLearning(err, a.Trains)
	}
	do := fault.Do.String()
	switch {
	case fault.Do&model.ExcludeColumn != 0:
		do += " with --exclude"
	case fault.Do == model.AddClass:
		do = a.Closed
	case fault.Do == model.OtherTarget:
		do = "is --target the right column?"
	}
	if fault.Many {
		return ui.Usagef("%s A batch adds at most %d classes or, if that is more, half as many as its rows; a model has at most %d", fault.With(do), model.FewLabels, model.MaxClasses)
	}
	return errors.New(fault.With(do))
}

func explainLearning(err error, trains bool) error {
	anew := ""
	if !trains {
		anew = "; these are flags of 'blskernel train': train a new model with them"
	}
	var rank *blsupdate.RankError
	var scale *bls.ScaleError
	var condition *blsupdate.ConditionError
	var leverage *blsupdate.LeverageError
	var forgotten *blsupdate.ForgottenRowsError
	var calibration *bls.CalibrationError
	var option *bls.OptionError
	var unsupported *blsupdate.UnsupportedError
	switch {
	case errors.Is(err, model.ErrNoTargets):
		return ErrNoTargets
	case errors.As(err, &option) && option.Option == "Relevance":
		return ui.Usagef("--relevance above 0 needs --scale columns or ranks")
	case errors.As(err, &option) && option.Option == "Steps":
		return ui.Usagef("--steps yes needs --direct yes")
	case errors.As(err, &unsupported):
		does := map[blsupdate.Action]string{blsupdate.ActionRidge: "change the ridge", blsupdate.ActionMerge: "merge models"}[unsupported.Action]
		return fmt.Errorf("the method %v cannot %s: train a new model with --method %s", unsupported.Method, cmp.Or(does, unsupported.Action.String()), names.Alternatives(unsupported.Instead))
	case errors.As(err, &rank) && rank.Running && rank.Lambda > 0:
		return fmt.Errorf("%s be left for %d nodes: remove fewer rows, or train a new model on the other rows with --method gram or qr", ui.Count(rank.Samples, "row would", "rows would"), rank.Nodes)
	case errors.As(err, &rank) && rank.Running && !trains:
		return fmt.Errorf("%s not determine the weights of %d nodes without a ridge: learn more rows, set a ridge with update --lambda (only gram and qr), or train a new model with --lambda above 0", ui.Count(rank.Samples, "row does", "rows do"), rank.Nodes)
	case errors.As(err, &rank) && rank.Lambda > 0:
		return fmt.Errorf("the first batch has %s, fewer than the %d nodes, and with --lambda above 0 the method cannot start from so few: raise --first, lower --enhancement, --group-nodes or --groups, or use --method qr%s", ui.Count(rank.Samples, "row"), rank.Nodes, anew)
	case errors.As(err, &rank):
		return fmt.Errorf("%s not determine the weights of %d nodes: set --lambda above 0, lower --enhancement, --group-nodes or --groups, or use --method improved, which keeps a matrix of rows x nodes%s", ui.Count(rank.Samples, "row does", "rows do"), rank.Nodes, anew)
	case errors.As(err, &scale):
		return fmt.Errorf("the largest input of the enhancement nodes on the first batch is %v, which is not positive: use another --seed or raise --enhancement%s", scale.Max, anew)
	case errors.As(err, &condition) && !trains:
		return fmt.Errorf("the nodes are linearly dependent to working precision (%s): set a larger ridge with update --lambda (only gram and qr), or train with a larger --lambda, with --method qr, or without columns that depend on others%s", condition.What, anew)
	case errors.As(err, &condition):
		return fmt.Errorf("the nodes are linearly dependent to working precision (%s): train with a larger --lambda, with --method qr, or without columns that depend on others%s", condition.What, anew)
	case errors.As(err, &leverage) && leverage.TooFew:
		return errors.New("these rows cannot be removed, since fewer rows than nodes would be left: remove fewer rows, or train a new model on the other rows with --lambda above 0")
	case errors.As(err, &leverage) && leverage.Action == blsupdate.ActionRemove:
		return fmt.Errorf("these rows cannot be removed, since the rest would not determine the output weights (1 - leverage is %.1g): check that the model has learned these rows, and that --weight gives their current weights, which update --forget reduces; otherwise train a new model on the other rows with 'blskernel train --like' or, if the lambda of this model is 0, without --like and with --lambda above 0", leverage.Rest)
	case errors.As(err, &forgotten):
		return fmt.Errorf("the method %v cannot remove rows after update --forget: train a new model on the other rows with 'blskernel train --like'", forgotten.Method)
	case errors.As(err, &calibration) && calibration.Rows > 0:
		return fmt.Errorf("this coverage needs at least %d calibration rows, but the model has %d: calibrate it on more rows, of which it keeps at most %d, or ask for a lower coverage", calibration.Want, calibration.Rows, bls.CalibrationRows)
	case errors.As(err, &calibration) && calibration.Want > 0:
		return errors.New(Uncalibrated)
	}
	return err
}

// flagOf replaces the name of an option by its flag and, where the flag is yes or no, the values.
var flagOf = strings.NewReplacer(
	"Direct (1 and 0)", "--direct (yes and no)", "Direct (0 and 1)", "--direct (no and yes)",
	"Steps (1 and 0)", "--steps (yes and no)", "Steps (0 and 1)", "--steps (no and yes)",
	"LogTargets (true and false)", "--log-targets (yes and no)", "LogTargets (false and true)", "--log-targets (no and yes)",
	"EnhancementNodes", "--enhancement", "GroupNodes", "--group-nodes", "Groups", "--groups", "Scaling", "--scale",
	"Relevance", "--relevance", "Shrink", "--shrink", "Seed", "--seed", "Method", "--method",
)

// Differing returns what differs between two models, with a flag in place of the name of an option.
func Differing(e *model.MergeError) string {
	if strings.HasPrefix(e.What, "values of ") {
		return flagOf.Replace(e.What)
	}
	return e.What
}
