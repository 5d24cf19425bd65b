package main

import (
	"bytes"
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
	return nil, valueError("unknown kind of object %.40q; want classifier, regressor, ridge, cholesky, ldlt or lu", kind)
}

// decode returns the object that data describes: a result of encode, or the contents of a model file.
func decode(b blskernel.Backend, data []byte) (object, error) {
	if bytes.HasPrefix(data, []byte("blsstate")) {
		r := bytes.NewReader(data)
		u, err := blsupdate.Decode(r, b)
		if err == nil && r.Len() > 0 {
			err = &codec.FormatError{Offset: r.Size() - int64(r.Len()), What: "data follows the end"}
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

func (l *learner) methods() map[string]method {
	m := l.Learner()
	all := map[string]method{
		"forget":     {run: l.learns(func(c *call) error { return m.Forget(c.Factor) })},
		"set_lambda": {run: l.learns(func(c *call) error { return m.SetLambda(c.Lambda) })},
		"merge":      {run: l.learns(l.merge)},
		"attributes": {run: l.attributes},
		"kept":       {run: func(c *call) error { return c.give(map[string]any{"kept": m.KeptRows()}) }},
		"condition":  {run: l.fitted((*call).giveCondition)},
		"encode":     {run: l.fitted(l.encode)},
	}
	if l.Classifier != nil {
		addClassifier(l, all)
	} else {
		addRegressor(l, all)
	}
	return all
}

// learns returns a method that calls run. If run succeeds, the metadata loses its held-out score, and
// the progress of an unfinished training run is marked as done.
func (l *learner) learns(run func(c *call) error) func(c *call) error {
	return func(c *call) error {
		err := run(c)
		if p := l.Metadata.Progress; err == nil {
			delete(l.Metadata.Notes, "holdout")
			if p != nil {
				p.Done = true
			}
		}
		return err
	}
}

// fitted returns a method that lets the model learn the rows that it keeps, and then calls run. Before
// the first fit the method returns an error.
func (l *learner) fitted(run func(c *call, u blsupdate.Updater) error) func(c *call) error {
	return func(c *call) error {
		m := l.Learner()
		if _, err := m.Weights(); m.Updater() == nil {
			return err
		}
		return run(c, m.Updater())
	}
}

func (l *learner) merge(c *call) error {
	other, ok := c.other.(*learner)
	switch {
	case !ok || (l.Classifier == nil) != (other.Classifier == nil):
		return valueError("the other object is of another kind: merge a model of the same kind")
	case l.Classifier != nil:
		return l.Classifier.Merge(other.Classifier)
	}
	return l.Regressor.Merge(other.Regressor)
}

func addRegressor(l *learner, to map[string]method) {
	m := l.Regressor
	addLearning(l, to, (*call).targets, m.FitContext, m.PartialFitContext, m.RefitContext, m.RemoveContext, m.CalibrateContext, m.ImportanceContext)
	to["predict"] = method{1, 1, true, func(c *call) error { return c.store(m.PredictContext(c.ctx, c.in[0])) }}
	to["predict_interval"] = method{1, 1, true, func(c *call) error {
		lower, upper, err := m.PredictIntervalContext(c.ctx, c.in[0], c.Coverage)
		if err != nil {
			return err
		}
		var ends mat.Dense
		ends.Augment(lower, upper)
		return c.store(&ends, nil)
	}}
}

func addClassifier(l *learner, to map[string]method) {
	m := l.Classifier
	addLearning(l, to, (*call).labels, m.FitContext, m.PartialFitContext, m.RefitContext, m.RemoveContext, m.CalibrateContext, m.ImportanceContext)
	to["relabel"] = method{run: func(c *call) error {
		err := m.Relabel(c.To, c.Classes)
		if err == nil {
			l.Metadata.Classes = nil // the old order
		}
		return err
	}}
	to["predict_proba"] = method{1, 1, true, func(c *call) error { return c.store(m.PredictProbaContext(c.ctx, c.in[0])) }}
	to["predict"] = method{1, 1, true, func(c *call) error {
		classes, err := m.PredictContext(c.ctx, c.in[0])
		return storeColumn(c, classes, err)
	}}
	to["decision_function"] = method{1, 1, true, func(c *call) error {
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
	}}
}

// An action is a method, such as fit or remove, that takes samples, labels or targets, and weights.
type action[Y any] = func(ctx context.Context, x *mat.Dense, y Y, weights []float64) error

// addLearning adds to the map the methods that take samples with labels or targets, which y returns.
func addLearning[Y any](l *learner, to map[string]method, y func(c *call) (Y, error), fit, partialFit, refit, remove, calibrate action[Y],
	importance func(context.Context, *mat.Dense, Y, bls.ImportanceOptions) (*bls.Importances, error),
) {
	samples := func(do func(c *call, y Y, weights []float64) error) func(c *call) error {
		return func(c *call) error {
			w, err := c.column(2)
			if err != nil {
				return err
			}
			of, err := y(c)
			if err != nil {
				return err
			}
			return do(c, of, w)
		}
	}
	learn := func(operands int, do action[Y]) method {
		run := samples(func(c *call, y Y, w []float64) error { return do(c.ctx, c.in[0], y, w) })
		return method{operands: operands, run: l.learns(run)}
	}
	to["fit"], to["partial_fit"], to["refit"], to["remove"] = learn(3, fit), learn(3, partialFit), learn(3, refit), learn(3, remove)
	to["calibrate"] = learn(2, calibrate)
	to["importance"] = method{operands: 3, reads: true, run: samples(func(c *call, y Y, w []float64) error {
		out, err := importance(c.ctx, c.in[0], y, bls.ImportanceOptions{Groups: c.Groups, Repeats: c.Repeats, Seed: c.Seed, Weights: w})
		if err != nil {
			return err
		}
		return c.give(out)
	})}
}

// attributes sets c.result to the options, the metadata and, once fitted, the sizes and the choice.
func (l *learner) attributes(c *call) error {
	m := l.Learner()
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

// encode sets c.result to the bytes of the model file. Fields of the option Metadata replace the
// current fields. Without that option encode omits the labels unless every class has one, since only
// the caller knows the missing labels.
func (l *learner) encode(c *call, u blsupdate.Updater) error {
	if err := roomToEncode(u); err != nil {
		return err
	}
	f := modelfile.File{Classifier: l.Classifier, Regressor: l.Regressor}
	present, err := json.Marshal(l.Metadata)
	if err != nil {
		return err
	}
	for _, text := range [][]byte{present, c.Metadata} { // as JSON, since a copy would share slices
		if err := parse(text, &f.Metadata); err != nil {
			return err
		}
	}
	if m := l.Classifier; m != nil && len(c.Metadata) == 0 && len(f.Metadata.Classes) != m.NumClasses() {
		f.Metadata.Classes = nil
	}
	var b bytes.Buffer
	if err := modelfile.Write(&b, &f); err != nil {
		return err
	}
	c.result, l.Metadata = b.Bytes(), f.Metadata
	return nil
}
