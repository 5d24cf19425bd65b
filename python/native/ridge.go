package main

import (
	"bytes"

	"blskernel/bls"
	"blskernel/blsupdate"
)

// A ridge is a blsupdate.Updater, which the first rows start.
type ridge struct {
	Method blsupdate.Method
	blsupdate.Options
	u blsupdate.Updater // nil before the first rows
}

func (r *ridge) call(c *call) error {
	u := r.u
	switch {
	case c.name == "attributes":
		return r.attributes(c)
	case c.name == "add_rows" && u == nil:
		var err error
		r.u, err = blsupdate.NewContext(c.ctx, r.Method, c.in[0], c.in[1], r.Options)
		return err
	case u == nil:
		return bls.ErrNotFitted
	}
	switch c.name {
	case "add_rows":
		return u.AddInputsContext(c.ctx, c.in[0], c.in[1], nil)
	case "remove_rows":
		return u.RemoveInputs(c.in[0], c.in[1])
	case "add_nodes":
		return u.AddNodes(c.in[0], c.in[1], c.in[2])
	case "add_targets":
		return u.AddTargets(c.in[0])
	case "map_targets":
		return u.MapTargets(c.in[0])
	case "forget":
		return u.Forget(c.Factor)
	case "set_lambda":
		return u.SetLambda(c.Lambda)
	case "merge":
		other, ok := c.other.(*ridge)
		if !ok || other.u == nil {
			return valueError("the other object is no IncrementalRidge with rows")
		}
		return u.Merge(other.u)
	case "refine":
		f, err := can[blsupdate.Refiner](u, c.name, "gram")
		if err == nil {
			err = f.Refine(c.in[0], c.in[1])
		}
		return err
	case "leverage":
		h, err := u.Leverage(c.in[0])
		return storeColumn(c, h, err)
	case "weights":
		return c.store(u.Weights())
	case "condition":
		return c.giveCondition(u)
	case "encode":
		var b bytes.Buffer
		err := roomToEncode(u)
		if err == nil {
			err = blsupdate.Encode(&b, u)
		}
		c.result = b.Bytes()
		return err
	}
	return errNoMethod
}

// can returns u as a T, or an error if its method lacks the action.
func can[T any](u blsupdate.Updater, action, instead string) (T, error) {
	t, ok := u.(T)
	if !ok {
		return t, unsupportedError{valueError("the method %v has no %s; start the model by %s", u.Method(), action, instead)}
	}
	return t, nil
}

func (r *ridge) attributes(c *call) error {
	out := *r
	out.Backend = nil
	about := map[string]any{"options": &out, "samples": 0, "nodes": 0, "targets": 0}
	if u := r.u; u != nil {
		out.Lambda, about["samples"], about["nodes"], about["targets"] = u.Lambda(), u.Samples(), u.Nodes(), u.Targets()
		last := u.Report()
		about["last"] = map[string]any{"added": last.Added, "form": last.Form.String(), "start": last.Start.String(), "flops": last.Counted()}
	}
	return c.give(about)
}
