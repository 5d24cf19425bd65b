package session

import (
	"fmt"

	"blskernel/bls/model"
	"blskernel/cmd/blskernel/internal/ui"
)

// A Description has the kind, the method and the sizes of a model, for text and for JSON.
type Description struct {
	Kind    string `json:"kind"`
	Method  string `json:"method"`
	Samples int    `json:"samples"`
	Inputs  int    `json:"inputs"`
	Nodes   int    `json:"nodes"`
	Targets int    `json:"targets"`
}

// Describe returns the Description of m. For a classifier, Targets is the number of classes.
func Describe(m *model.Model) Description {
	u, f := m.Updater(), m.FittedFeatures()
	targets := u.Targets()
	if m.Classifier != nil {
		targets = m.Classifier.NumClasses()
	}
	return Description{m.Kind(), u.Method().String(), u.Samples(), f.Inputs(), f.Nodes(), targets}
}

func (d Description) String() string {
	targets := ui.Count(d.Targets, "target")
	if d.Kind == model.Classification {
		targets = ui.Count(d.Targets, "class", "classes")
	}
	return fmt.Sprintf("%s, %s, %s, k = %d nodes", d.Kind, targets, ui.Count(d.Inputs, "input"), d.Nodes)
}

// A Choice has the automatic settings of a model, in JSON, and the score by which they were chosen.
type Choice struct {
	Enhancement int     `json:"enhancement_nodes"`
	Shrink      float64 `json:"shrink"`
	Lambda      float64 `json:"lambda"` // the current ridge, which Forget and SetLambda may change
	Scale       string  `json:"scale"`
	Extras
	Measure string  `json:"measure"` // accuracy or R2
	Score   float64 `json:"score"`
	HeldOut int     `json:"held_out_rows"`
	Rows    int     `json:"rows"` // the first rows, of which HeldOut were held out
}

// ChoiceOf returns the Choice of a model, or nil if no rows were held out for it.
func ChoiceOf(m *model.Model) *Choice {
	o, c := m.FittedFeatures().Options(), m.Choice()
	if c.HeldOut == 0 {
		return nil
	}
	measure := "R2"
	if m.Kind() == model.Classification {
		measure = "accuracy"
	}
	return &Choice{o.EnhancementNodes, o.Shrink, m.Updater().Lambda(), o.Scaling.String(), ExtrasOf(m), measure, c.Score, c.HeldOut, c.Rows}
}

// Extras are further settings. JSON output has all of them; text has Steps, Relevance and Logs if on.
type Extras struct {
	Direct    bool `json:"direct"`
	Relevance int  `json:"relevance"`
	Steps     int  `json:"steps"` // enhancement nodes that are steps
	Logs      bool `json:"log_targets"`
}

// ExtrasOf returns the Extras with which m was fitted.
func ExtrasOf(m *model.Model) Extras {
	f := m.FittedFeatures()
	e := Extras{Direct: f.Options().Direct > 0, Relevance: f.Options().Relevance, Steps: f.Steps()}
	if m.Regressor != nil {
		factors, _ := m.Regressor.Smearing()
		e.Logs = factors != nil
	}
	return e
}

// String returns the settings that are on, except Direct, each after a comma: ", 3 step functions".
func (e Extras) String() string {
	text := ""
	if e.Relevance > 0 {
		text += ", " + ui.Count(e.Relevance, "round") + " of relevance"
	}
	if e.Steps > 0 {
		text += ", " + ui.Count(e.Steps, "step function")
	}
	if e.Logs {
		text += ", logarithms of the targets"
	}
	return text
}

// Settings returns the settings as text: enhancement nodes, shrink, lambda, scale and extras.
func (c *Choice) Settings() string {
	return fmt.Sprintf("%s, shrink %.3g, lambda %.3g, scale %s%v", ui.Count(c.Enhancement, "enhancement node"), c.Shrink, c.Lambda, c.Scale, c.Extras)
}

// Reached returns the score of the settings, as text, with the number of rows on which it was measured.
func (c *Choice) Reached() string {
	if c.HeldOut == c.Rows {
		return fmt.Sprintf("%s %.4f on %d rows, each held out once", c.Measure, c.Score, c.Rows)
	}
	return fmt.Sprintf("%s %.4f on %s held out from %d", c.Measure, c.Score, ui.Count(c.HeldOut, "row"), c.Rows)
}
