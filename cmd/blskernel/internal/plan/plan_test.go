package plan

import (
	"math"
	"testing"

	"blskernel/blsupdate"
)

// TestNewStart checks that a method without a ridge takes the time of an SVD to start with fewer
// samples than nodes.
func TestNewStart(t *testing.T) {
	rates := blsupdate.ConstantRates(1e9, math.Inf(1))
	x := blsupdate.Candidate{Method: blsupdate.Improved}
	choice, shape := blsupdate.Choice{Candidates: []blsupdate.Candidate{x}}, blsupdate.Shape{L: 40, K: 80, C: 2}
	method, got := newStart(choice, rates, shape)
	shape.Start, shape.Rank = blsupdate.StartSVD, 40
	want := blsupdate.Total(blsupdate.Model(x.Method, blsupdate.ActionStart, x.Options, shape)) +
		blsupdate.Total(blsupdate.Model(x.Method, blsupdate.ActionWeights, x.Options, shape))
	if method != "improved" || !(math.Abs(got-want/1e9) <= 1e-12*got) {
		t.Errorf("%s takes %v s, want %v", method, got, want/1e9)
	}
}

// TestNewPlanned formats a choice that is not the first candidate, and a choice of no candidate.
func TestNewPlanned(t *testing.T) {
	form := func(f blsupdate.Form) blsupdate.Candidate {
		return blsupdate.Candidate{Method: blsupdate.RidgeInverse, Options: blsupdate.Options{Form: f}, Flops: float64(f)}
	}
	c := blsupdate.Choice{Candidates: []blsupdate.Candidate{form(blsupdate.Small), form(blsupdate.Large)}, Method: blsupdate.RidgeInverse}
	c.Options.Form = blsupdate.Large
	if p := newPlanned(c, blsupdate.ConstantRates(1, 1)); p["form"] != "large" || p["flops"] != p["candidates"].([]any)[1].(map[string]any)["flops"] {
		t.Errorf("%+v", p)
	}
	c.Candidates[1].WhyNot = "no"
	if p := newPlanned(c, blsupdate.ConstantRates(1, 1)); p["form"] != nil {
		t.Errorf("%+v", p)
	}
}
