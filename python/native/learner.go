package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"

	"blskernel"
	"blskernel/bls"
	"blskernel/bls/modelfile"
	"blskernel/blsupdate"
	"blskernel/internal/io/codec"
	"blskernel/mat"
)

func open(b blskernel.Backend, kind string, options []byte) (object, error) {
	switch kind {
	case "cholesky", "ldlt", "lu":
		return &factor{kind: kind}, nil
	case "ridge":
		r := &ridge{Method: blsupdate.Gram, Options: blsupdate.Options{Backend: b}}
		return r, parse(options, r)
	case "classifier":
		c := &bls.Classifier{Backend: b}
		return &learner{modelfile.File{Classifier: c}}, parse(options, c)
	case "regressor":
		r := &bls.Regressor{Backend: b}
		return &learner{modelfile.File{Regressor: r}}, parse(options, r)
	}
	return nil, valueError("unknown kind of object %.40q", kind)
}

// decode returns the object of the bytes of encode or of a model file.
func decode(b blskernel.Backend, data []byte) (object, error) {
	if bytes.HasPrefix(data, []byte("blsstate")) {
		r := bytes.NewReader(data)
		u, err := blsupdate.Decode(r, b)
		if err == nil && r.Len() > 0 {
			err = &codec.FormatError{Offset: r.Size() - int64(r.Len()), What: "there is more than there should be"}
		}
		if err != nil {
			return nil, err
		}
		return &ridge{u.Method(), u.Options(), u}, nil
	}
	f, err := modelfile.Read(bytes.NewReader(data), b)
	if err != nil {
		return nil, err
	}
	return &learner{*f}, nil
}

// A learner is a classifier or a regressor, with the metadata of its model file.
type learner struct{ modelfile.File }

func (l *learner) call(c *call) error {
	err := l.run(c)
	if p := l.Metadata.Progress; err == nil && methods[c.name].learns {
		delete(l.Metadata.Notes, "holdout") // the score of the model before
		if p != nil {
			p.Done = true
		}
	}
	return err
}

func (l *learner) run(c *call) error {
	m := l.Learner()
	if c.name == "condition" || c.name == "encode" {
		if _, err := m.Weights(); m.Updater() == nil {
			return err
		}
	}
	switch c.name {
	case "forget":
		return m.Forget(c.Factor)
	case "set_lambda":
		return m.SetLambda(c.Lambda)
	case "merge":
		other, ok := c.other.(*learner)
		if !ok || (l.Classifier == nil) != (other.Classifier == nil) {
			return valueError("the other object is of another kind")
		} else if l.Classifier != nil {
			return l.Classifier.Merge(other.Classifier)
		}
		return l.Regressor.Merge(other.Regressor)
	case "condition":
		return c.giveCondition(m.Updater())
	case "kept":
		return c.give(map[string]any{"kept": m.KeptRows()})
	case "attributes":
		return l.attributes(c, m)
	case "encode":
		return l.encode(c, m.Updater())
	}
	w, err := c.column(2)
	if err != nil || len(c.in) == 0 && c.name != "relabel" {
		return cmp.Or(err, errNoMethod)
	}
	if l.Classifier != nil {
		return classify(l.Classifier, c, w)
	}
	return regress(l.Regressor, c, w)
}

// regress runs the methods of a regressor that take rows.
func regress(m *bls.Regressor, c *call, w []float64) error {
	switch {
	case c.name == "predict":
		return c.store(m.PredictContext(c.ctx, c.in[0]))
	case c.name == "predict_interval":
		lower, upper, err := m.PredictIntervalContext(c.ctx, c.in[0], c.Coverage)
		if err != nil {
			return err
		}
		var ends mat.Dense
		ends.Augment(lower, upper)
		return c.store(&ends, nil)
	case c.name == "calibrate":
		return m.CalibrateContext(c.ctx, c.in[0], c.in[1], nil)
	case c.name == "importance":
		return giveImportance(c, c.in[1], w, m.ImportanceContext)
	case len(c.in) == 3:
		return learn(c, c.in[1], w, m.FitContext, m.PartialFitContext, m.RefitContext, m.RemoveContext)
	}
	return errNoMethod
}

// classify runs the methods of a classifier that a regressor lacks, or that take or return classes.
func classify(m *bls.Classifier, c *call, w []float64) error {
	switch c.name {
	case "relabel":
		return m.Relabel(c.To, c.Classes)
	case "predict":
		classes, err := m.PredictContext(c.ctx, c.in[0])
		return storeColumn(c, classes, err)
	case "decision_function":
		scores, err := m.DecisionFunctionContext(c.ctx, c.in[0])
		if err != nil {
			return err
		}
		outside, err := m.OutsideContext(c.ctx, c.in[0])
		if err != nil {
			return err
		}
		m.TemperScores(scores, outside)
		return c.store(scores, nil)
	case "predict_proba":
		return c.store(m.PredictProbaContext(c.ctx, c.in[0]))
	}
	labels, err := c.labels(1)
	if err != nil {
		return err
	}
	if c.name == "calibrate" {
		return m.CalibrateContext(c.ctx, c.in[0], labels, nil)
	}
	if c.name == "importance" {
		return giveImportance(c, labels, w, m.ImportanceContext)
	}
	return learn(c, labels, w, m.FitContext, m.PartialFitContext, m.RefitContext, m.RemoveContext)
}

// giveImportance gives the importance of the columns, or of the groups of columns.
func giveImportance[Y any](c *call, y Y, weights []float64,
	of func(context.Context, *mat.Dense, Y, bls.ImportanceOptions) (*bls.Importances, error),
) error {
	out, err := of(c.ctx, c.in[0], y, bls.ImportanceOptions{Groups: c.Groups, Repeats: c.Repeats, Seed: c.Seed, Weights: weights})
	if err != nil {
		return err
	}
	return c.give(out)
}

// An action learns samples with labels or targets, and weights.
type action[Y any] = func(ctx context.Context, x *mat.Dense, y Y, weights []float64) error

// learn runs one of the actions by its name.
func learn[Y any](c *call, y Y, weights []float64, fit, partialFit, refit, remove action[Y]) error {
	run := map[string]action[Y]{"fit": fit, "partial_fit": partialFit, "refit": refit, "remove": remove}[c.name]
	if run == nil {
		return errNoMethod
	}
	return run(c.ctx, c.in[0], y, weights)
}

// attributes gives the options and, once fitted, the sizes, the choice and the metadata.
func (l *learner) attributes(c *call, m modelfile.Learner) error {
	out := map[string]any{"metadata": l.Metadata, "names": l.Metadata.Options().Inputs}
	if m := l.Classifier; m != nil {
		given := *m
		given.Backend, given.Features.Backend, given.Update.Backend = nil, nil, nil
		out["kind"], out["options"], out["targets"] = "classifier", &given, m.NumClasses()
	} else {
		given := *l.Regressor
		given.Backend, given.Features.Backend, given.Update.Backend = nil, nil, nil
		out["kind"], out["options"] = "regressor", &given
	}
	if u := m.Updater(); u != nil {
		if l.Regressor != nil {
			out["targets"] = u.Targets()
		}
		choice, maps := m.Choice(), m.FittedFeatures().Options()
		maps.Backend = nil
		out["features"], out["samples"] = m.FittedFeatures().Inputs(), u.Samples()
		out["kept"] = m.KeptRows()
		out["fitted"] = map[string]any{"Features": maps, "Method": u.Method(), "Lambda": u.Lambda()}
		out["choice"] = map[string]any{"rows": choice.Rows, "held_out": choice.HeldOut, "score": choice.Score}
	}
	return c.give(out)
}

// encode gives the bytes of the model file. Fields of the option Metadata replace the present ones.
func (l *learner) encode(c *call, u blsupdate.Updater) error {
	if err := roomToEncode(u); err != nil {
		return err
	}
	f := modelfile.File{Classifier: l.Classifier, Regressor: l.Regressor}
	present, err := json.Marshal(l.Metadata)
	if err != nil {
		return err
	}
	for _, text := range [][]byte{present, c.Metadata} { // as text, since a copy would share slices
		if err := parse(text, &f.Metadata); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	if err := modelfile.Write(&b, &f); err != nil {
		return err
	}
	c.result, l.Metadata = b.Bytes(), f.Metadata
	return nil
}
