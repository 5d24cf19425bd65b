package main

import (
	"bytes"

	"blskernel/bls"
	"blskernel/blsupdate"
)

// A ridge is a blsupdate.Updater, which is created from the first rows.
type ridge struct {
	Method blsupdate.Method
	blsupdate.Options
	u blsupdate.Updater // nil before the first rows
}

func (r *ridge) methods() map[string]method {
	on := func(run func(c *call, u blsupdate.Updater) error) func(c *call) error {
		return func(c *call) error {
			if r.u == nil {
				return bls.ErrNotFitted
			}
			return run(c, r.u)
		}
	}
	return map[string]method{
		"attributes":  {run: r.attributes},
		"add_rows":    {operands: 2, run: r.add},
		"remove_rows": {operands: 2, run: on(func(c *call, u blsupdate.Updater) error { return u.RemoveInputs(c.in[0], c.in[1]) })},
		"rebuild":     {operands: 2, run: on(func(c *call, u blsupdate.Updater) error { return u.RebuildContext(c.ctx, c.in[0], c.in[1]) })},
		"add_nodes":   {operands: 3, run: on(func(c *call, u blsupdate.Updater) error { return u.AddNodes(c.in[0], c.in[1], c.in[2]) })},
		"add_targets": {operands: 1, run: on(func(c *call, u blsupdate.Updater) error { return u.AddTargets(c.in[0]) })},
		"map_targets": {operands: 1, run: on(func(c *call, u blsupdate.Updater) error { return u.MapTargets(c.in[0]) })},
		"forget":      {run: on(func(c *call, u blsupdate.Updater) error { return u.Forget(c.Factor) })},
		"set_lambda":  {run: on(func(c *call, u blsupdate.Updater) error { return u.SetLambda(c.Lambda) })},
		"merge": {run: on(func(c *call, u blsupdate.Updater) error {
			other, ok := c.other.(*ridge)
			if !ok || other.u == nil {
				return valueError("the other object is not an IncrementalRidge with rows: merge an IncrementalRidge that has learned rows")
			}
			return u.Merge(other.u)
		})},
		"refine": {operands: 2, run: on(func(c *call, u blsupdate.Updater) error {
			f, ok := u.(blsupdate.Refiner)
			if !ok {
				return unsupportedError{valueError("the method %v does not support refine; start the model with gram", u.Method())}
			}
			return f.Refine(c.in[0], c.in[1])
		})},
		"leverage": {operands: 1, results: 1, run: on(func(c *call, u blsupdate.Updater) error {
			h, err := u.Leverage(c.in[0])
			return storeColumn(c, h, err)
		})},
		"weights":   {results: 1, run: on(func(c *call, u blsupdate.Updater) error { return c.store(u.Weights()) })},
		"condition": {run: on(func(c *call, u blsupdate.Updater) error { return c.giveCondition(u) })},
		"encode": {run: on(func(c *call, u blsupdate.Updater) error {
			var b bytes.Buffer
			err := roomToEncode(u)
			if err == nil {
				err = blsupdate.Encode(&b, u)
			}
			c.result = b.Bytes()
			return err
		})},
	}
}

func (r *ridge) add(c *call) (err error) {
	if r.u != nil {
		return r.u.AddInputsContext(c.ctx, c.in[0], c.in[1], nil)
	}
	r.u, err = blsupdate.NewContext(c.ctx, r.Method, c.in[0], c.in[1], r.Options)
	return err
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
